"""HTML to Markdown: all of a page's own text, without navigation."""

from __future__ import annotations

from pathlib import Path

import pytest
from written_files import read

from logic_retrievers.documents import formats
from logic_retrievers.documents.formats import parse_html
from logic_retrievers.types import Passage

PAGE = """<!DOCTYPE html><html><head><meta charset="{charset}"><title>Reisen | Firma</title>
<script>var x = "SCRIPT";</script><style>p {{}}</style></head><body>
<!-- COMMENT --><header>LOGO</header><nav><a href="/">HOME</a></nav>
<main><article><header><h1>Reisen<a href="#r">¶</a></h1></header>
<p>Für 50&nbsp;km &amp; mehr gibt es <b>snake_case</b>, ein <a href="http://x.y">Über&shy;nacht&#8203;ungs</a>*ge&#8288;ld.</p>
<table><tr><td>City</td><td>Day</td></tr><tr><td>Köln</td><td>40</td></tr></table>
<ul><li>rail</li><li>hotel</li></ul><ol><li>one</li></ol>
<pre><code>a  b
  c_d</code></pre><aside>A note.</aside><img src="http://127.0.0.1:9/x.png" alt="a map">
<p style="display: none">HIDDEN</p><p hidden>HIDDEN</p><button>BUTTON</button></article></main>
<aside>RELATED</aside><footer>IMPRINT</footer><noscript>NOSCRIPT</noscript></body></html>"""
MARKDOWN = """# Reisen

Für 50\u00a0km & mehr gibt es snake_case, ein Übernachtungs*geld.

| City | Day |
| --- | --- |
| Köln | 40 |

- rail
- hotel

1. one

```
a  b
  c_d
```

A note.

a map"""


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1252"])
def test_a_page_without_what_stands_around_it(tmp_path: Path, charset: str) -> None:
    """Repeated navigation makes all pages alike; a lost paragraph is never found."""
    passages, reading = read(tmp_path / "a.html", PAGE.format(charset=charset).encode(charset))
    assert passages == [Passage("a.html", MARKDOWN, {"title": "Reisen | Firma"}, "a.html")]
    assert not reading.errors


def test_a_page_without_main(tmp_path: Path) -> None:
    """Old pages have only a body; an article's header holds its headline."""
    text = parse_html(
        "<body><header>LOGO</header><article><header>Headline</header><p>Text</p></article>"
        "<form><p>In a form</p><select><option>OPTION</select></form><footer>IMPRINT</footer>"
    )[0]
    assert text == "Headline\n\nText\n\nIn a form"


def test_the_title_stands_before_a_text_without_heading(tmp_path: Path) -> None:
    """Only the title names the topic of a page of one paragraph."""
    (passage,), _ = read(tmp_path / "a.htm", "<title>Parking\n rules</title><p>It is free.")
    assert (passage.text, passage.metadata) == (
        "Parking rules\nIt is free.",
        {"title": "Parking rules"},
    )


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a.txt", "a.txt"),  # Beautiful Soup warns of texts that look like file names
        ("http://x.y/z", "http://x.y/z"),
        ('<?xml version="1.0" encoding="utf-8"?><html><title/><p>x<br/>y</p></html>', "x\ny"),
        ("a\0b", "a\ufffdb"),
        ("<p>a</body></html><html><body><p>b", "a\n\nb"),
        ("<main>a</main><main>b</main>", "a\n\nb"),
        ("<details><summary>a</summary>b</details><form>c</form>d", "a\n\nb\n\nc\n\nd"),
        ("<p>a &lt;tag&gt; &#8364; & &unknown</p>", "a <tag> € & &unknown"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"),
        ("<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>", "- a\n- b\n\nc\n:   d"),
        ("<p>never <b>closed", "never closed"),
    ],
)
def test_odd_markup(html: str, text: str) -> None:
    """Joined text makes words that no one searches for."""
    assert parse_html(html)[0] == text


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", None, "is empty"),
        (" \n", None, "is empty"),
        ("<script>x</script><nav>y</nav>", None, "no text outside of scripts"),
        (b"<p>\n\ncaf\xe9", 3, "0xE9 is not utf-8"),
        (b'<meta charset="euc-jp">\n<p>\xff', 2, "0xFF is not euc_jp"),
        ('<meta charset="klingon"><p>x', None, "'klingon', which is unknown"),
        ('<meta charset="hex"><p>78', None, "'hex', which is unknown"),
        ('<meta charset="utf-7"><p>+ADw-b+AD4-', None, "'utf-7', which is unknown"),
        ('<meta charset="unicode_escape"><p>\\x41', None, "'unicode_escape', which is unknown"),
        ('<meta charset="undefined"><p>x', None, "'undefined', which is unknown"),
        ("<div>" * 5000 + "x", None, "nested too deeply"),
    ],
)
def test_bad_pages(tmp_path: Path, content: str | bytes, line: int | None, says: str) -> None:
    """Wrongly decoded text would be stored for ever; the error says what to do."""
    passages, reading = read(tmp_path / "a.html", content)
    (error,) = reading.errors
    assert not passages
    assert error.line == line
    assert says in str(error)
    assert reading.incomplete == {"a.html"}


def test_a_page_that_declares_utf_16_is_utf_8(tmp_path: Path) -> None:
    """Old versions of Word write it; in UTF-16 the declaration would be unreadable."""
    (passage,), _ = read(tmp_path / "a.html", '<meta charset="unicode"><p>Köln')
    assert passage.text == "Köln"


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_counts_more_than_what_is_declared(tmp_path: Path, mark: str) -> None:
    content = '<meta charset="iso-8859-1"><p>Köln'.encode(mark)
    (passage,), _ = read(tmp_path / "a.html", content)
    assert passage.text == "Köln"


def test_a_page_too_large_for_a_tree(tmp_path: Path) -> None:
    """A parse tree takes up to eighty times the file's size."""
    passages, reading = read(tmp_path / "a.html", "<p>" + "x" * formats.LONGEST_MARKUP)
    assert not passages
    assert "larger than 16,777,216 bytes" in str(reading.errors[0])
