"""HTML and Word documents as Markdown, and failures of converters as a ReadError."""

from __future__ import annotations

import codecs
import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any
from xml.etree import ElementTree
from zipfile import ZipFile

from logic_retrievers.documents.files import Record, SourceFile
from logic_retrievers.errors import MAX_SHOWN, MissingExtraError, ReadError
from logic_retrievers.text import without_layout

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

LONGEST_MARKUP = 2**24  # bytes of a web page or of a Word document's XML, held as a tree

_NO_TEXT = (
    "script, style, noscript, template, nav, [role=navigation], svg, iframe, object, dialog, "
    "button, select, input, textarea, [hidden], "
    '[style*="display:none" i], [style*="display: none" i]'
)
_AROUND = ", ".join(
    f"{tag}:not(main *, article *)"
    for tag in ("header", "footer", "aside", "[role=banner]", "[role=contentinfo]")
)
# Elements that begin a new line, which markdownify does not know.
_BLOCKS = (
    "body, main, header, footer, aside, details, summary, address, fieldset, legend, form, hgroup, "
    "center"
)
_CODECS = {  # a browser reads these so, whatever the page declares
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    **dict.fromkeys(["utf-16", "utf-16-le", "utf-16-be", "utf-32"], "utf-8"),
}
# Codecs of Python that no browser has: markup can hide in them, or they take for ever.
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")
_HTML_ADVICE = "open it in a browser and save it again"
_WORD_ADVICE = "open it in Word or LibreOffice and save it again as .docx"
_OLD_WORD = bytes.fromhex("D0CF11E0A1B11AE1")


def import_package(name: str, package: str) -> Any:
    """A module of a package of the extra.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(package, "files") from error


@contextmanager
def conversion(file: SourceFile, advice: str) -> Iterator[None]:
    """Turns whatever a converter raises on a damaged file into an error with advice."""
    try:
        yield
    except (ReadError, MissingExtraError, MemoryError):
        raise
    except RecursionError:
        raise file.error(f"its elements are nested too deeply; {advice}") from None
    except Exception as error:  # converters promise no kinds of errors
        if not file.path.stat().st_size:
            raise file.error("is empty") from None
        cause = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_SHOWN]
        raise file.error(f"damaged, or of another format ({cause}); {advice}") from None


def _check_size(file: SourceFile, size: int) -> None:
    if size > LONGEST_MARKUP:
        raise file.error(f"its markup is larger than {LONGEST_MARKUP:,} bytes; divide the file")


def read_docx(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a Word document; its headings, lists, tables and footnotes as Markdown.

    Headers, footers, comments and deleted text are left out. Nothing that the document links to is
    opened.
    """
    mammoth = import_package("mammoth", "mammoth")
    if stream.read(len(_OLD_WORD)) == _OLD_WORD:
        raise file.error(
            "protected by a password, or an old .doc; open it in Word or LibreOffice and save it "
            "as .docx without a password"
        )
    with conversion(file, _WORD_ADVICE), ZipFile(stream) as archive:
        sizes = (i.file_size for i in archive.infolist() if i.filename.endswith((".xml", ".rels")))
        _check_size(file, sum(sizes))
        core = None
        if "docProps/core.xml" in archive.namelist():
            core = ElementTree.fromstring(archive.read("docProps/core.xml"))
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
        raise file.error("no text in this document; if it holds scans, run OCR first")
    element = None if core is None else core.find(".//{http://purl.org/dc/elements/1.1/}title")
    title = "" if element is None else " ".join("".join(element.itertext()).split())
    yield Record({"text": text, **({"metadata": {"title": title}} if title else {})})


def read_html(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a web page; its title goes before a text without a heading."""
    raw = stream.read(LONGEST_MARKUP + 1)
    _check_size(file, len(raw))
    if not raw.strip():
        raise file.error("is empty")
    with conversion(file, _HTML_ADVICE):
        text, title, has_heading = parse_html(_decode(raw, file))
    if not text:
        raise file.error(
            "no text outside of scripts, navigation and hidden parts; if scripts build the page, "
            "save it from a browser"
        )
    named: dict[str, Any] = {"metadata": {"title": title}} if has_heading else {"title": title}
    yield Record({"text": text, **(named if title else {})})


def parse_html(html: str) -> tuple[str, str, bool]:
    """A page as Markdown, its title, and whether the text has a first heading.

    Headings, lists, tables and code stay; links and pictures become text. Scripts, navigation,
    form fields and hidden parts are left out. So is everything outside of a single ``main``
    element; without one, headers, footers and asides outside of an ``article``.
    """
    converter = import_package("markdownify", "markdownify").MarkdownConverter(
        heading_style="ATX",
        bullets="-",
        strip=["a", "b", "strong", "i", "em"],
        escape_asterisks=False,
        escape_underscores=False,
        table_infer_header=True,
    )
    bs4 = import_package("bs4", "beautifulsoup4")
    import_package("lxml", "lxml")  # closes what old pages leave open: <td>, <li>, <dd>
    # Without a tag Beautiful Soup warns that the text looks like a file's name or an address, with
    # an XML declaration that this may be no HTML. A zero character ends the text for lxml.
    tagged = _XML_DECLARATION.sub("", html).replace("\0", "\ufffd")
    soup: BeautifulSoup = bs4.BeautifulSoup(f"<html>{tagged}", "lxml")
    for note in soup.find_all(string=lambda s: isinstance(s, bs4.element.PreformattedString)):
        note.extract()  # comments, and declarations such as <?xml ...?>
    for element in soup.select(_NO_TEXT):
        element.decompose()
    title = soup.find("title")
    title_text = " ".join(title.get_text().split()) if title else ""
    mains = soup.select("main, [role=main]")
    body = mains[0] if len(mains) == 1 else soup  # some pages go on behind </body>
    for element in [*body.select(_AROUND), *body.select("head")]:
        element.decompose()
    for block in [*mains, *body.select(_BLOCKS)]:
        block.name = "div"
    for image in body.find_all("img"):
        image.replace_with(str(image.get("alt") or ""))
    for link in body.select('a[href^="#"]'):
        if not re.search(r"\w", link.get_text()):
            link.decompose()  # the "¶" behind a heading
    text = converter.convert_soup(body)
    text = re.sub(r"[ \t]+$", "", without_layout(text), flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text, title_text, body.find("h1") is not None


def _decode(raw: bytes, file: SourceFile) -> str:
    """The markup as text, by its byte-order mark, the charset that it declares, or the file's."""
    detector = import_package("bs4.dammit", "beautifulsoup4").EncodingDetector
    unmarked, charset = detector.strip_byte_order_mark(raw)
    declared = None if charset else detector.find_declared_encoding(unmarked, is_html=True)
    charset = charset or declared or file.format.encoding
    try:
        if declared:
            name = codecs.lookup(declared).name
            charset = _CODECS.get(name, name)
            if charset in _NO_CHARSETS:
                raise LookupError
            "".encode(charset)  # refuses codecs that make no text, such as zlib
        return str(unmarked.decode(charset))
    except LookupError:
        named = (declared or charset)[:40]
        raise file.error(
            f"declares the charset {named!r}, which is unknown; {_HTML_ADVICE}, as UTF-8"
        ) from None
    except UnicodeDecodeError as error:
        raise file.error(
            f"byte 0x{unmarked[error.start]:02X} is not {charset}, the page's charset; "
            f"{_HTML_ADVICE}, as UTF-8",
            unmarked.count(b"\n", 0, error.start) + 1,
        ) from None
