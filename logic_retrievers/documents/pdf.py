"""PDF files: the text of each page, by PDFium; only converter.py calls it, in its own process."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

from logic_retrievers.documents.conversion import conversion, import_package
from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.formats import Record
from logic_retrievers.documents.pdf_columns import read_in_columns
from logic_retrievers.errors import ReadError
from logic_retrievers.queries.language import english_words
from logic_retrievers.text import without_layout

_ADVICE = "open it in a PDF viewer and print it to a new file"
_PASSWORD_ERROR, _IMAGE = 4, 3  # FPDF_ERR_PASSWORD, FPDF_PAGEOBJ_IMAGE

_BROKEN = "\x02"  # PDFium puts it where it saw a word hyphenated at a line's end
_CHARACTERS = dict.fromkeys(map(ord, "\x00\r\ufffe"))
_LINE_END = re.compile(r"(?<=[^\W_])-\n(?=[^\W_])")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_WORD_START, _WORD_END = re.compile(r"[\w-]*"), re.compile(r"[\w-]*\Z")
_LONGEST_WORD = 64
_CONJUNCTIONS = {
    *("and", "or", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "og", "och"),
}
"""Words behind a hyphen that stands for a word to come: "pre- and post-war"."""


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
        with conversion(file, _ADVICE):
            pages, size = len(document), stream.seek(0, 2)
            title = document.get_metadata_dict().get("Title", "").strip()
        found, scans = False, []
        known: Counter[str] = Counter()
        for number in range(1, pages + 1):
            try:
                with conversion(file, f"page {number} cannot be read; {_ADVICE}"):
                    text, has_picture = _read_page(document, number - 1)
            except ReadError as error:
                found = True
                yield error
                continue
            stream.seek(size * number // pages)  # PDFium goes its own way; this shows progress
            if text:
                found = True
                text = _join_words(text, known)
                metadata = {"page": number, **({"title": title} if title else {})}
                name = f"{file.name}#page={number}"
                yield Record({"_id": name, "text": text, "metadata": metadata})
            elif has_picture:
                scans.append(number)
    finally:
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
    with conversion(file, _ADVICE):
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
            text = without_layout(read_in_columns(text_page).translate(_CHARACTERS)).strip()
        finally:
            text_page.close()
        return text, not text and any(page.get_objects(filter=[_IMAGE]))
    finally:
        page.close()


def _join_words(text: str, known: Counter[str]) -> str:
    """The text with words whole that a line's end divides.

    ``known`` counts the words of the pages up to this one, and gets those of the page.
    """
    known.update(_WORD.findall(text.casefold()))
    first, *parts = _LINE_END.sub(_BROKEN, text).split(_BROKEN)
    joined = [first]
    for part in parts:
        left = _WORD_END.search(joined[-1][-_LONGEST_WORD:])
        right = _WORD_START.match(part[:_LONGEST_WORD])
        joined += [_hyphen(left[0] if left else "", right[0] if right else "", known), part]
    return "".join(joined)


def _hyphen(left: str, right: str, known: Counter[str]) -> str:
    """What stands between two parts of a word.

    The document's own spelling decides, then common English words. Where neither knows the word,
    the hyphen stays before a conjunction, a capital, a figure or an English word ("user-defined",
    "ex-wife"), and in "x-ray" and "state-of-the-art". All else is one word, as nine in ten are.
    """
    one, other = left.casefold(), right.casefold()
    word, hyphenated, english = f"{one}{other}", f"{one}-{other}", english_words()
    if known[word] != known[hyphenated]:
        return "-" if known[hyphenated] > known[word] else ""
    if word in english:
        return ""
    if other in _CONJUNCTIONS:
        return "- "
    keeps = (
        len(left) == 1
        or "-" in word
        or left[:1].isdigit()
        or left[-1:].isdigit()
        or right[:1].isdigit()
        or (right[:1].isupper() and not left.isupper())
        or other in english
    )
    return "-" if keeps else ""
