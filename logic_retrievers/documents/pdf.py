"""PDF files: the text of each page, by PDFium; only converter.py calls it, in its own process."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import IO, Any

from logic_retrievers.documents.files import Record, SourceFile
from logic_retrievers.documents.markup import conversion, import_package
from logic_retrievers.errors import ReadError
from logic_retrievers.queries.language import english_words
from logic_retrievers.text import without_layout

_ADVICE = "open it in a PDF viewer and print it to a new file"
_PASSWORD_ERROR, _IMAGE = 4, 3  # FPDF_ERR_PASSWORD, FPDF_PAGEOBJ_IMAGE

_BROKEN = "\x02"  # PDFium puts it where it saw a word hyphenated at a line's end
_CHARACTERS = dict.fromkeys(map(ord, "\x00\r\ufffe"))
_LINE_END = re.compile(r"(?<=[^\W_])-\n(?=[^\W_])")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_PARTS = re.compile(rf"([\w-]{{,64}}){_BROKEN}(?=([\w-]{{,64}}))")
# After a hyphen that stands for a word to come: "pre- and post-war".
_CONJUNCTIONS = {
    *("and", "or", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "og", "och"),
}


def read_pdf(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record for every page with text, under the id ``name.pdf#page=3``.

    Metadata hold ``page``, counted from 1, and the file's ``title`` if it has one. One page is in
    memory at a time. Pages that hold pictures and no text are named in an error after the last.
    """
    known: Counter[str] = Counter()
    found, scans = False, []
    with closing(_open(file, stream)) as document:
        with conversion(file, _ADVICE):
            pages, size = len(document), stream.seek(0, 2)
            title = document.get_metadata_dict().get("Title", "").strip()
        for number in range(1, pages + 1):
            try:
                with conversion(file, f"page {number} cannot be read; {_ADVICE}"):
                    text, has_picture = _read_page(document, number - 1)
            except ReadError as error:
                found = True
                yield error
                continue
            stream.seek(size * number // pages)  # shows the progress: PDFium seeks as it likes
            if text:
                found = True
                text = _join_words(text, known)
                metadata = {"page": number, **({"title": title} if title else {})}
                name = f"{file.name}#page={number}"
                yield Record({"_id": name, "text": text, "metadata": metadata})
            elif has_picture:
                scans.append(number)
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
    with closing(document[index]) as page:
        with closing(page.get_textpage()) as text_page:
            text = _read_text(text_page)
        text = without_layout(text.translate(_CHARACTERS)).strip()
        return text, not text and any(page.get_objects(filter=[_IMAGE]))


def _read_text(text_page: Any) -> str:
    # Within bounds PDFium joins a cell of one figure to the cell before: "Town 1" and "7" are "Town
    # 17". Without bounds it takes text outside of the page too, and no emoji.
    bounded: str = text_page.get_text_bounded()
    text: str = text_page.get_text_range().replace("\ufffe", _BROKEN)
    return text if "".join(text.split()) == "".join(bounded.split()) else bounded


def _join_words(text: str, known: Counter[str]) -> str:
    """The text with words whole that a line's end divides.

    ``known`` counts the words of the pages up to this one, and gets those of the page.
    """
    known.update(_WORD.findall(text.casefold()))
    text = _LINE_END.sub(_BROKEN, text)
    return _PARTS.sub(lambda part: part[1] + _hyphen(part[1], part[2], known), text)


def _hyphen(left: str, right: str, known: Counter[str]) -> str:
    """What stands between two parts of a word.

    The document's own spelling decides, then common English words. If neither knows the word, the
    hyphen stays before a conjunction, a capital, a figure or an English word ("user-defined",
    "ex-wife"), and in "x-ray" and "state-of-the-art". Others are one word, as nine in ten are.
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
