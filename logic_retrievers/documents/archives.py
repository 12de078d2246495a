"""Word documents and e-books, which are ZIP archives of markup."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import IO
from urllib.parse import unquote
from xml.etree import ElementTree
from zipfile import ZipFile

from logic_retrievers.documents.conversion import check_markup_size, conversion, import_package
from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.formats import Record
from logic_retrievers.documents.web_pages import WebPage, decode_html, parse_html
from logic_retrievers.errors import ReadError

_WORD_ADVICE = "open it in Word or LibreOffice and save it anew as .docx"
_BOOK_ADVICE = "try another copy, or open it in Calibre and convert it to EPUB"
_OLD_WORD = bytes.fromhex("D0CF11E0A1B11AE1")
_STYLES = "p[style-name='Title'] => h1:fresh"


def read_docx(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a Word document; its headings, lists, tables and footnotes as Markdown.

    Headers, footers, comments and deleted text are left out. Nothing that the document links to is
    opened. The document's XML is held as a tree.

    Raises:
        ReadError: it is damaged, encrypted, too large, or without text.
        MissingExtraError: a package of the extra is not installed.
    """
    mammoth = import_package("mammoth", "mammoth")
    if stream.read(len(_OLD_WORD)) == _OLD_WORD:
        raise file.error(
            "protected by a password, or an old .doc; open it in Word or LibreOffice and save it "
            "as .docx without a password"
        )
    with conversion(file, _WORD_ADVICE), ZipFile(stream) as archive:
        sizes = (i.file_size for i in archive.infolist() if i.filename.endswith((".xml", ".rels")))
        check_markup_size(file, sum(sizes), "the document's XML")
        names = archive.namelist()
        core = _read_xml(archive, "docProps/core.xml") if "docProps/core.xml" in names else None
        stream.seek(0)
        html = mammoth.convert_to_html(
            stream,
            style_map=_STYLES,
            include_embedded_style_map=False,
            external_file_access=False,
            convert_image=mammoth.images.img_element(lambda _: {}),
        ).value
        page = parse_html(html)
    if not page.text:
        raise file.error("no text in this document; if it holds scans, run OCR first")
    yield Record(WebPage(page.text, _find_title(core), has_heading=True).values())


def read_epub(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record for every chapter of an e-book, in reading order; one chapter in memory at a time.

    Ids are ``book.epub#path/of/chapter.xhtml``. A chapter without text, such as a cover, is passed
    over.

    Raises:
        ReadError: it is damaged or without text.
        MissingExtraError: a package of the extra is not installed.
    """
    with conversion(file, _BOOK_ADVICE), ZipFile(stream) as archive:
        package_path, package = _read_package(archive)
        encrypted = _encrypted_paths(archive)
        title = _find_title(package)
        found = False
        for path in _reading_order(package, posixpath.dirname(package_path)):
            try:
                page = _read_chapter(archive, path, encrypted, file)
            except ReadError as error:
                found = True
                yield error
                continue
            if page.text:
                found = True
                values = WebPage(page.text, title, has_heading=True).values()
                yield Record({**values, "_id": f"{file.name}#{path}"})
    if not found:
        raise file.error("no chapter of this book has text; if it holds scans, run OCR first")


def _read_chapter(archive: ZipFile, path: str, encrypted: set[str], file: SourceFile) -> WebPage:
    if path in encrypted:
        raise file.error(f"{path} is encrypted (DRM); use a copy without protection")
    if path not in archive.namelist():
        raise file.error(f"{path} is missing in the book; {_BOOK_ADVICE}")
    check_markup_size(file, archive.getinfo(path).file_size, path)
    with conversion(file, f"{path} cannot be read; {_BOOK_ADVICE}"):
        return parse_html(decode_html(archive.read(path), file))


def _read_package(archive: ZipFile) -> tuple[str, ElementTree.Element]:
    """The path and the content of the file that lists the book's parts."""
    container = _read_xml(archive, "META-INF/container.xml")
    root = container.find(".//{*}rootfile")
    path = "" if root is None else root.get("full-path", "")
    return path, _read_xml(archive, path)


def _reading_order(package: ElementTree.Element, folder: str) -> Iterator[str]:
    paths = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}item")}
    passed: set[str] = set()
    for reference in package.iterfind(".//{*}itemref"):
        href = unquote(paths.get(reference.get("idref"), "").partition("#")[0])
        path = posixpath.normpath(posixpath.join(folder, href))
        if href and path not in passed:
            passed.add(path)
            yield path


def _encrypted_paths(archive: ZipFile) -> set[str]:
    if "META-INF/encryption.xml" not in archive.namelist():
        return set()
    references = _read_xml(archive, "META-INF/encryption.xml").iterfind(".//{*}CipherReference")
    return {posixpath.normpath(unquote(reference.get("URI", ""))) for reference in references}


def _read_xml(archive: ZipFile, path: str) -> ElementTree.Element:
    if archive.getinfo(path).file_size > 2**22:
        raise ValueError(f"{path} is larger than 4 MiB")
    return ElementTree.fromstring(archive.read(path))


def _find_title(root: ElementTree.Element | None) -> str:
    title = None if root is None else root.find(".//{http://purl.org/dc/elements/1.1/}title")
    return " ".join("".join(title.itertext()).split()) if title is not None else ""
