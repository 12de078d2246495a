"""Web pages: HTML to Markdown, without navigation, scripts and hidden parts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from logic_retrievers.documents.conversion import (
    LONGEST_MARKUP,
    check_markup_size,
    conversion,
    import_package,
)
from logic_retrievers.documents.files import SourceFile, undecodable
from logic_retrievers.documents.formats import Record
from logic_retrievers.text import without_layout

if TYPE_CHECKING:
    from bs4 import BeautifulSoup

_NO_TEXT = (
    "script, style, noscript, template, nav, [role=navigation], svg, iframe, object, dialog, "
    "button, select, input, textarea, [hidden], "
    '[style*="display:none" i], [style*="display: none" i]'
)
_AROUND = ", ".join(
    f"{tag}:not(main *, article *)"
    for tag in ("header", "footer", "aside", "[role=banner]", "[role=contentinfo]")
)
_BLOCKS = (
    "body, main, header, footer, aside, details, summary, address, fieldset, legend, form, hgroup, "
    "center"
)
"""Elements that begin a new line, and of which markdownify does not know it."""

_CODECS = {  # a browser reads these so, whatever the page declares
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    **dict.fromkeys(["utf-16", "utf-16-le", "utf-16-be", "utf-32"], "utf-8"),
}
_XML_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*>")
_NO_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
_ADVICE = "open it in a browser and save it anew"


@dataclass(frozen=True, slots=True)
class WebPage:
    """The text of a page as Markdown, its title, and whether the text has a first heading."""

    text: str
    title: str = ""
    has_heading: bool = False

    def values(self) -> dict[str, Any]:
        """The values of a record: the title goes before a text that has no heading of its own."""
        if not self.title:
            return {"text": self.text}
        if self.has_heading:
            return {"text": self.text, "metadata": {"title": self.title}}
        return {"text": self.text, "title": self.title}


def read_html(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a web page.

    Raises:
        ReadError: it is too large, no text, or in another charset than it declares.
        MissingExtraError: markdownify, Beautiful Soup or lxml is not installed.
    """
    raw = stream.read(LONGEST_MARKUP + 1)
    check_markup_size(file, len(raw), "the page")
    if not raw.strip():
        raise file.error("is empty")
    with conversion(file, _ADVICE):
        page = parse_html(decode_html(raw, file))
    if not page.text:
        raise file.error(
            "no text outside of scripts, navigation and hidden parts; if scripts build the page, "
            "save it from a browser"
        )
    yield Record(page.values())


def parse_html(html: str) -> WebPage:
    """A page as Markdown: headings, lists, tables and code stay; links and pictures become text.

    Scripts, navigation, forms' fields and hidden parts are left out. So is what stands around the
    ``main`` element; without one, headers, footers and asides outside of an ``article``.

    Raises:
        MissingExtraError: markdownify, Beautiful Soup or lxml is not installed.
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
    return WebPage(text, title_text, body.find("h1") is not None)


def decode_html(raw: bytes, file: SourceFile) -> str:
    """The markup as text, by its byte-order mark, the charset that it declares, or the file's.

    Raises:
        ReadError: the charset is unknown, or a byte is not of it.
        MissingExtraError: Beautiful Soup is not installed.
    """
    detector = import_package("bs4.dammit", "beautifulsoup4").EncodingDetector
    unmarked, charset = detector.strip_byte_order_mark(raw)
    if charset is None:
        declared = detector.find_declared_encoding(unmarked, is_html=True)
        charset = None if declared else file.format.encoding
    if charset is None:
        try:
            charset = codecs.lookup(declared).name
            charset = _CODECS.get(charset, charset)
            if charset in _NO_CHARSETS:
                raise LookupError
            "".encode(charset)  # refuses codecs that make no text, such as zlib
        except LookupError:
            raise file.error(
                f"declares the charset {declared[:40]!r}, which is unknown; {_ADVICE}, as UTF-8"
            ) from None
    try:
        return str(unmarked.decode(charset))
    except UnicodeDecodeError as error:
        offset = len(raw) - len(unmarked) + error.start
        problem = undecodable(file, unmarked[error.start], offset)
        if charset != file.format.encoding:
            problem = (
                f"byte 0x{unmarked[error.start]:02X} at offset {offset} is not {charset}, "
                f"the page's charset; {_ADVICE}, as UTF-8"
            )
        raise file.error(problem, unmarked.count(b"\n", 0, error.start) + 1) from None
