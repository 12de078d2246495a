"""PDF files: the text of each page, by PDFium."""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from typing import IO, Any

from logic_retrievers.documents.conversion import conversion, import_package
from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.formats import Record
from logic_retrievers.errors import ReadError

_ADVICE = "open it in a PDF viewer and print it to a new file"
_PASSWORD_ERROR, _IMAGE = 4, 3  # FPDF_ERR_PASSWORD, FPDF_PAGEOBJ_IMAGE

# PDFium puts U+0002 where it saw a word hyphenated at a line's end.
_CHARACTERS = dict.fromkeys(map(ord, "\x00\x02\r\u00ad\ufffe"))

_LOCK = RLock()
"""PDFium may be called from one thread at a time, for all of its documents together."""


def read_pdf(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record for every page with text, under the id ``name.pdf#page=3``.

    Metadata hold ``page``, counted from 1, and the file's ``title`` if it has one. One page is in
    memory at a time. Blank pages are passed over; pages that hold pictures and no text are named
    in an error behind the last page.

    Raises:
        ReadError: it is damaged, needs a password, or has no text.
        MissingExtraError: pypdfium2 is not installed.
    """
    document = _open(file, stream)
    try:
        with _LOCK, conversion(file, _ADVICE):
            pages, size = len(document), stream.seek(0, 2)
            title = document.get_metadata_dict().get("Title", "").strip()
        found, scans = False, []
        for number in range(1, pages + 1):
            try:
                with _LOCK, conversion(file, f"page {number} cannot be read; {_ADVICE}"):
                    text, has_picture = _read_page(document, number - 1)
            except ReadError as error:
                found = True
                yield error
                continue
            stream.seek(size * number // pages)  # PDFium goes its own way; this shows progress
            if text:
                found = True
                metadata = {"page": number, **({"title": title} if title else {})}
                name = f"{file.name}#page={number}"
                yield Record({"_id": name, "text": text, "metadata": metadata})
            elif has_picture:
                scans.append(number)
    finally:
        with _LOCK:
            document.close()
    if scans:
        listed = ", ".join(map(str, scans[:10])) + (", ..." if len(scans) > 10 else "")
        yield file.error(
            f"pages with pictures and no text: {len(scans)} of {pages} ({listed}); if they are "
            "scans, recognize the text first, for example: ocrmypdf --skip-text OLD NEW"
        )
    elif not found:
        raise file.error(f"no text on any of its pages ({pages})")


def _open(file: SourceFile, stream: IO[bytes]) -> Any:
    pdfium = import_package("pypdfium2", "pypdfium2")
    with _LOCK, conversion(file, _ADVICE):
        try:
            return pdfium.PdfDocument(stream)
        except pdfium.PdfiumError as error:
            if error.err_code != _PASSWORD_ERROR:
                raise
    raise file.error(
        "needs a password; save a copy without, for example: "
        "qpdf --password=SECRET --decrypt OLD NEW"
    )


def _read_page(document: Any, index: int) -> tuple[str, bool]:
    """The text of a page, and whether a page without text holds a picture."""
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            text = text_page.get_text_bounded().translate(_CHARACTERS).strip()
        finally:
            text_page.close()
        return text, not text and any(page.get_objects(filter=[_IMAGE]))
    finally:
        page.close()
