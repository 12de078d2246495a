"""Read PDF, Word and HTML; only converter.py calls these readers, in a separate process.

Readers of other formats are in rows.py, and ``READERS`` in reading.py lists all by extension.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, TYPE_CHECKING, Any
from xml.etree import ElementTree
from zipfile import ZipFile

from logic_retrievers.documents.files import Problem, Record, RecordReader, SourceFile
from logic_retrievers.errors import MAX_SHOWN, MissingExtraError
from logic_retrievers.language import english_words
from logic_retrievers.text import without_layout

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

LONGEST_MARKUP = 2**24  # bytes of a web page or of a Word document's XML; each is parsed to a tree

_PDF_ADVICE = "open it in a PDF viewer and print it to a new file"
_HTML_ADVICE = "open it in a browser and save it again"
_WORD_ADVICE = "open it in Word or LibreOffice and save it again as .docx"

_PASSWORD_ERROR, _IMAGE = 4, 3  # FPDF_ERR_PASSWORD, FPDF_PAGEOBJ_IMAGE
_BROKEN = "\x02"  # PDFium's mark for a word hyphenated at the end of a line
_CHARACTERS = {ord(_BROKEN): "-\n", **dict.fromkeys(map(ord, "\x00\r"))}
_LINE_END = re.compile(r"([^\W_]+)-\n(?=([^\W_]+))")
# Words that follow a hyphen in place of a later word: "pre- and post-war".
_CONJUNCTIONS = {
    *("and", "or", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "og", "och"),
}

_OLD_WORD = bytes.fromhex("D0CF11E0A1B11AE1")
_NO_TEXT = (
    "script, style, noscript, template, nav, [role=navigation], svg, iframe, object, dialog, "
    "button, select, input, textarea, [hidden], "
    '[style*="display:none" i], [style*="display: none" i]'
)
_AROUND = ", ".join(
    f"{tag}:not(main *, article *)"
    for tag in ("header", "footer", "aside", "[role=banner]", "[role=contentinfo]")
)
# Elements that begin a new line but are unknown to markdownify.
_BLOCKS = (
    "body, main, header, footer, aside, details, summary, address, fieldset, legend, form, hgroup, "
    "center"
)
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")


@contextmanager
def _conversion(advice: str) -> Iterator[None]:
    """Turn whatever a converter raises into a Problem with advice."""
    try:
        yield
    except (Problem, MemoryError):
        raise
    except MissingExtraError as error:
        raise Problem(str(error)) from None
    except RecursionError:
        raise Problem(f"its elements are nested too deeply; {advice}") from None
    except Exception as error:  # converters do not document their errors
        cause = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_SHOWN]
        raise Problem(f"damaged, or of another format ({cause}); {advice}") from None


def _import(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(package, "files") from error


def read_pdf(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | Problem]:
    """Yield a record for every page with text, under the id ``name.pdf#page=3``.

    Metadata hold ``page``, counted from 1, and the file's ``title`` if it has one. One page is in
    memory at a time. A problem after the last record names the pages with pictures but no text.
    """
    found, scans = False, []
    with closing(_open_pdf(stream)) as document:
        with _conversion(_PDF_ADVICE):
            pages = len(document)
            title = document.get_metadata_dict().get("Title", "").strip()
        for number in range(1, pages + 1):
            try:
                with _conversion(f"page {number} cannot be read; {_PDF_ADVICE}"):
                    text, has_picture = _read_page(document, number - 1)
            except Problem as problem:
                found = True
                yield problem
                continue
            if text:
                found = True
                metadata = {"page": number, **({"title": title} if title else {})}
                name = f"{file.name}#page={number}"
                yield Record(
                    {"_id": name, "text": _LINE_END.sub(_join, text), "metadata": metadata}
                )
            elif has_picture:
                scans.append(number)
    if scans:
        listed = ", ".join(map(str, scans[:10])) + (", ..." if len(scans) > 10 else "")
        raise Problem(
            f"pages with pictures and no text: {len(scans)} of {pages} ({listed}); if they are "
            "scans, recognize the text first, for example: ocrmypdf --skip-text OLD NEW"
        )
    if not found:
        raise Problem(f"no text on any of its pages ({pages})")


def _open_pdf(stream: IO[bytes]) -> Any:
    with _conversion(_PDF_ADVICE):
        pdfium = _import("pypdfium2", "pypdfium2")
        try:
            return pdfium.PdfDocument(stream)
        except pdfium.PdfiumError as error:
            if error.err_code != _PASSWORD_ERROR:
                raise
        raise Problem(
            "needs a password; save a copy without, for example: "
            "qpdf --password=SECRET --decrypt OLD NEW"
        )


def _read_page(document: Any, index: int) -> tuple[str, bool]:
    """Return the text of a page; if it has none, also whether the page holds a picture."""
    with closing(document[index]) as page:
        with closing(page.get_textpage()) as text_page:
            # With bounds, PDFium joins a cell of one digit to the previous cell: "Town 1" and "7"
            # become "Town 17". Without bounds, it adds text outside the page and drops emoji.
            bounded: str = text_page.get_text_bounded()
            text: str = text_page.get_text_range().replace("\ufffe", _BROKEN)
        if "".join(text.split()) != "".join(bounded.split()):
            text = bounded
        text = without_layout(text.translate(_CHARACTERS)).strip()
        return text, not text and any(page.get_objects(filter=[_IMAGE]))


def _join(parts: re.Match[str]) -> str:
    """Join a word that a line end splits; a hyphen between two English words stays."""
    left, right, english = parts[1], parts[2], english_words()
    if (left + right).casefold() in english:
        return left
    if right.casefold() in _CONJUNCTIONS:
        return f"{left}- "
    are_words = {left.casefold(), right.casefold()} <= english
    return f"{left}-" if are_words or not (left.isalpha() and right[0].islower()) else left


def read_docx(_file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """Yield a Word document as one record; headings, lists, tables, footnotes become Markdown.

    Headers, footers, comments and deleted text are left out. Links of the document are not opened.
    """
    if stream.read(len(_OLD_WORD)) == _OLD_WORD:
        raise Problem(
            "protected by a password, or an old .doc; open it in Word or LibreOffice and save it "
            "as .docx without a password"
        )
    with _conversion(_WORD_ADVICE), ZipFile(stream) as archive:
        mammoth = _import("mammoth", "mammoth")
        parts = (part for part in archive.infolist() if part.filename.endswith((".xml", ".rels")))
        _check_size(sum(part.file_size for part in parts))
        title = None
        if "docProps/core.xml" in archive.namelist():
            core = ElementTree.fromstring(archive.read("docProps/core.xml"))
            title = core.find(".//{http://purl.org/dc/elements/1.1/}title")
        stream.seek(0)
        html = mammoth.convert_to_html(
            stream,
            style_map="p[style-name='Title'] => h1:fresh",
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=mammoth.images.img_element(lambda _: {}),
        ).value
        text, _, _ = parse_html(html)
    if not text:
        raise Problem("no text in this document; if it holds scans, run OCR first")
    named = "" if title is None else " ".join("".join(title.itertext()).split())
    yield Record({"text": text, **({"metadata": {"title": named}} if named else {})})


def read_html(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """Yield a web page as one record; a text without a heading gets the title in front."""
    raw = stream.read(LONGEST_MARKUP + 1)
    _check_size(len(raw))
    if not raw.strip():
        raise Problem("is empty")
    with _conversion(_HTML_ADVICE):
        text, title, has_heading = parse_html(_decode(raw, file.format.encoding))
    if not text:
        raise Problem(
            "no text outside of scripts, navigation and hidden parts; if scripts build the page, "
            "save it from a browser"
        )
    named: dict[str, Any] = {"metadata": {"title": title}} if has_heading else {"title": title}
    yield Record({"text": text, **(named if title else {})})


def _check_size(size: int) -> None:
    if size > LONGEST_MARKUP:
        raise Problem(f"its markup is larger than {LONGEST_MARKUP:,} bytes; divide the file")


def _decode(raw: bytes, encoding: str) -> str:
    """Decode a page by its byte-order mark, else its declared charset, else ``encoding``."""
    detector = _import("bs4.dammit", "beautifulsoup4").EncodingDetector
    page, charset = detector.strip_byte_order_mark(raw)
    if charset is None and (declared := detector.find_declared_encoding(page, is_html=True)):
        known = _import("webencodings", "webencodings").lookup(declared)
        if known is None:
            unknown = f"declares the charset {declared[:40]!r}, which is unknown"
            raise Problem(f"{unknown}; {_HTML_ADVICE}, as UTF-8")
        # A charset declaration that can be read as ASCII cannot be in UTF-16.
        charset = "utf-8" if known.name.startswith("utf-16") else known.codec_info.name
    charset = charset or encoding
    try:
        return str(page.decode(charset))
    except UnicodeDecodeError as error:
        raise Problem(
            f"byte 0x{page[error.start]:02X} is not {charset}, the page's charset; "
            f"{_HTML_ADVICE}, as UTF-8",
            page.count(b"\n", 0, error.start) + 1,
        ) from None


def parse_html(html: str) -> tuple[str, str, bool]:
    """Return a page as Markdown, its title, and whether it has an ``h1`` heading.

    Headings, lists, tables and code stay; links and pictures become text. Scripts, navigation, form
    fields and hidden parts are left out. With a single ``main`` element, everything outside is
    left out. Otherwise headers, footers and asides outside of an ``article`` are left out.
    """
    converter = _import("markdownify", "markdownify").MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["a", "b", "strong", "i", "em"],
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    bs4 = _import("bs4", "beautifulsoup4")
    _import("lxml", "lxml")  # closes elements that old pages leave open: <td>, <li>
    # Beautiful Soup warns if a text has no tag (may be a file name or an address) or has an XML
    # declaration (may not be HTML). For lxml a zero character ends the text.
    tagged = _XML_DECLARATION.sub("", html).replace("\0", "\ufffd")
    soup: BeautifulSoup = bs4.BeautifulSoup(f"<html>{tagged}", "lxml")
    for note in soup.find_all(string=lambda s: isinstance(s, bs4.element.PreformattedString)):
        note.extract()  # comments, and declarations such as <?xml ...?>
    for element in soup.select(_NO_TEXT):
        element.decompose()
    title = soup.find("title")
    title_text = " ".join(title.get_text().split()) if title else ""
    mains = soup.select("main, [role=main]")
    body = mains[0] if len(mains) == 1 else soup  # some pages continue after </body>
    for element in [*body.select(_AROUND), *body.select("head")]:
        element.decompose()
    for block in [*mains, *body.select(_BLOCKS)]:
        block.name = "div"
    for image in body.find_all("img"):
        image.replace_with(str(image.get("alt") or ""))
    for link in body.select('a[href^="#"]'):
        if not re.search(r"\w", link.get_text()):
            link.decompose()  # the "¶" after a heading
    text = converter.convert_soup(body)
    text = re.sub(r"[ \t]+$", "", without_layout(text), flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text, title_text, body.find("h1") is not None


CONVERTERS: dict[str, RecordReader] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
}
