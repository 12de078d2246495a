"""The page and the texts: figures as they are, and texts of strangers as nothing but text."""

from __future__ import annotations

import base64
import csv
import io
import re
from html.parser import HTMLParser

import pytest
from artefact_samples import FIGURES, SECTION, TABLE

from benchmarks.reproduction.artefacts import Measurement, Row, Section, Table
from benchmarks.reproduction.render import write_report
from benchmarks.reproduction.render.csv_data import table_csv
from benchmarks.reproduction.render.html import page
from benchmarks.reproduction.render.markdown import (
    markdown_document,
    markdown_summary,
    markdown_table,
)
from benchmarks.reproduction.render.plots import draw_pictures
from benchmarks.reproduction.render.table_marks import Mark, mark
from benchmarks.reproduction.render.values import NOTHING, format_figure, format_number
from logic_retrievers.errors import ConfigurationError, StorageError

HOSTILE = "<script>alert(1)</script>|`x`\\ $a_1^2$ & 5 % #~{} \u202e[l](javascript:1)"
EVIL = Section(
    name="evil",
    title=HOSTILE,
    text=(HOSTILE,),
    artefacts=(
        Table(
            name="evil-table",
            title=HOSTILE,
            columns=(HOSTILE, "=1+1"),
            rows=(Row(cells=(HOSTILE, "=cmd()"), origin="published", note=HOSTILE),),
            notes=(HOSTILE,),
        ),
    ),
)


class Read(HTMLParser):
    """Elements and words of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += f" {data}"

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def drawn():
    return {figure.name: draw_pictures(figure) for figure in FIGURES.values()}


@pytest.fixture(scope="module")
def text(drawn):
    return page([SECTION], drawn)


def test_the_page_asks_nobody_for_anything(text):
    """A report is read on a train, and must not tell a stranger who reads it."""
    html = Read(text)
    loads = [
        value
        for _, attributes in html.elements
        for name, value in attributes.items()
        if name in ("src", "srcset", "href", "data", "poster", "action")
    ]
    assert loads
    assert all(value.startswith(("#", "data:")) for value in loads)
    assert not html.all("script")
    assert not html.all("link")
    assert "url(" not in text
    assert "@import" not in text
    (policy,) = (
        attributes["content"] for attributes in html.all("meta") if "http-equiv" in attributes
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_the_page_has_every_picture_with_words_and_data(text, drawn):
    html = Read(text)
    images = html.all("img")
    assert len(images) == len(FIGURES)
    assert all(
        image["alt"].startswith(f"The {name}. ")
        for image, name in zip(images, FIGURES, strict=True)
    )
    svg = base64.b64decode(images[0]["src"].partition("base64,")[2]).decode()
    assert svg == drawn["curves"].svg
    narrow = base64.b64decode(html.all("source")[0]["srcset"].partition("base64,")[2]).decode()
    assert narrow == drawn["curves"].narrow
    files = {
        attributes["download"]: attributes["href"]
        for attributes in html.all("a")
        if "download" in attributes
    }
    assert set(files) == {"table.csv", *(f"{name}.csv" for name in FIGURES)}
    csv = base64.b64decode(files["table.csv"].partition("base64,")[2]).decode()
    assert csv == table_csv(TABLE)


def test_every_link_of_the_page_leads_somewhere(text):
    html = Read(text)
    ids = [element["id"] for _, element in html.elements if "id" in element]
    assert len(ids) == len(set(ids))
    targets = {
        attributes["href"][1:] for attributes in html.all("a") if attributes["href"].startswith("#")
    }
    assert targets <= set(ids)
    assert {"table", "curves", "table-a", "table-b"} <= targets
    labels = [
        attributes["aria-labelledby"]
        for _, attributes in html.elements
        if "aria-labelledby" in attributes
    ]
    assert set(labels) <= set(ids)


def test_the_page_tells_rows_and_marks_apart(text):
    """A figure of others among ours, as if of one run, is what this report must never show."""
    rows = re.findall(r'<tr class="(.*?)">(.*?)</tr>', text, re.DOTALL)
    assert [kind for kind, _ in rows] == [
        *("measured baseline", "measured", "measured", "published", "published", "absent"),
    ]
    assert ".839" in rows[0][1]
    assert ".790 to .888" in rows[0][1]
    assert [re.findall(r'class="figure (\w+)"', row) for _, row in rows[:3]] == [
        [],
        ["better", "better", "worse", "higher"],
        ["worse", "alike", "lower"],
    ]
    assert all('href="#table-a"' in row for _, row in rows[3:5])
    assert "not run" in rows[5][1]


def test_hostile_texts_stay_texts():
    """Notes and errors hold what data sets say."""
    html = page([EVIL], {})
    parsed = Read(html)
    assert not parsed.all("script")
    assert "<script>" not in html
    assert "⟦U+202E⟧" in parsed.words
    assert "alert(1)" in parsed.words
    assert [
        attributes for attributes in parsed.all("a") if "javascript" in (attributes["href"] or "")
    ] == []


def test_markdown_takes_texts_for_texts():
    markdown = markdown_document([EVIL])
    body = markdown[markdown.index("## ") :]
    outside = re.sub(r"`[^`]*`", "", body.replace(r"\`", ""))
    assert not re.search(r"(?<!\\)[<>]", outside)
    assert not re.search(r"(?<!\\)\]\(", outside)
    grid = [line for line in markdown_table(EVIL.artefacts[0]).splitlines() if line[:1] == "|"]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in grid] == [3, 3, 3]


def test_a_spreadsheet_runs_nothing():
    head, row = csv.reader(io.StringIO(table_csv(EVIL.artefacts[0])))
    assert head[1] == "'=1+1"
    assert row[1] == "'=cmd()"


def test_markdown_of_a_table():
    assert (
        markdown_table(TABLE)
        == f"""\
**Violations \\& recall**

| system | V@5 | FVR | latency | kappa | queries |
| --- | ---: | ---: | ---: | ---: | ---: |
| topical (baseline) | .839 (.790 to .888) | 1.75 (1.50 to 2.00) | 3.25 ms | .100 | 205 |
| auto | .400 (.350 to .450) ▲ | 5.00 (4.50 to 5.50) ▲ | 4.50 ms ▼ | .300 ↑ | 205 |
| BM25 | .900 ▼ | 1.70 ≈ | {NOTHING} | .000 ↓ | 1,205 |
| CoDeR-Union (published, a) | .788 | 4.28 | {NOTHING} | {NOTHING} | {NOTHING} |
| CoDeR-Seq (published, a) | .794 | 4.26 | {NOTHING} | {NOTHING} | {NOTHING} |
| LORE (not run, b) | {NOTHING} | {NOTHING} | {NOTHING} | {NOTHING} | {NOTHING} |

- 205 queries.
- a: CoDeR, table 2: bge-large, lists that are cut
- b: `query-encoder-minilm.toml` makes it
"""
    )


def test_the_summary_holds_what_was_measured():
    """In a README there is no room for intervals, and no note that tells others' rows apart."""
    summary = markdown_summary([SECTION])
    assert "| auto | .400 ▲ | 5.00 ▲ | 4.50 ms ▼ | .300 ↑ | 205 |" in summary
    assert "CoDeR" not in summary
    assert "LORE" not in summary


def test_the_csv_of_a_table_has_all_of_a_figure():
    rows = list(csv.DictReader(io.StringIO(table_csv(TABLE))))
    assert rows[1]["V@5"] == "0.4"
    assert (rows[1]["V@5 low"], rows[1]["V@5 p"]) == ("0.35", "0.001")
    assert rows[0]["latency unit"] == "ms"
    assert "queries low" not in rows[0]
    assert (rows[3]["origin"], rows[3]["V@5"]) == ("published", "0.788")
    assert rows[5]["note"].endswith("makes it")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.8394, ".839"), (-0.25, "\N{MINUS SIGN}.250"), (0.0, ".000"), (1.0, "1.000"),
        (0.00012, ".00012"), (-0.0000001, "\N{MINUS SIGN}.00000010"), (1.756, "1.76"),
        (123.45, "123.5"), (98765.4, "98,765"), (float("nan"), "not a number"), (0.9999, "1.000"),
    ],
)  # fmt: skip
def test_numbers_are_short(value, shown):
    assert format_number(value) == shown


def test_ends_of_an_interval_have_the_places_of_their_mean():
    assert format_figure(Measurement(value=9.98, low=9.7, high=10.245)) == "9.98 (9.70 to 10.24)"
    assert format_figure(Measurement(value=0.25, low=-0.001, high=0.5, unit="s")) == (
        "0.250 s (\N{MINUS SIGN}0.001 to 0.500)"
    )


@pytest.mark.parametrize(
    ("column", "value", "p", "found"),
    [
        ("V@5", 0.2, 0.049, Mark.BETTER), ("V@5", 0.8, 0.01, Mark.WORSE),
        ("nDCG@10", 0.8, 0.01, Mark.BETTER), ("ExcluIR V@10", 0.8, 0.01, Mark.WORSE),
        ("FVR", 0.2, 0.01, Mark.WORSE), ("r", 0.8, 0.01, Mark.HIGHER),
        ("V@5", 0.2, 0.05, Mark.ALIKE),
        ("V@5", 0.2, None, None), ("V@5", 0.5, 0.01, None), ("V@5", 0.2, float("nan"), Mark.ALIKE),
    ],
)  # fmt: skip
def test_a_mark_says_which_way_is_better(column, value, p, found):
    """Fewer violations are better and less recall is worse; turned around, the report lies."""
    rows = (
        Row(cells=("base", Measurement(value=0.5))),
        Row(cells=("other", Measurement(value=value, p=p))),
    )
    table = Table(name="t", title="T", columns=("system", column), rows=rows, baseline="base")
    assert mark(table, rows[1], 1) == found


def test_all_files_are_written_and_written_alike(tmp_path):
    small = SECTION.model_copy(update={"artefacts": (TABLE, FIGURES["scatter"])})
    path = write_report([small], tmp_path / "one")
    assert path == tmp_path / "one" / "report.html"
    write_report([small], tmp_path / "two")
    names = sorted(str(p.relative_to(tmp_path / "one")) for p in path.parent.rglob("*.*"))
    assert names == [
        "REPORT.md",
        *(f"figures/scatter.{end}" for end in ("csv", "png", "svg")),
        "report.html",
        "summary.md",
        *(f"tables/table.{end}" for end in ("csv", "md")),
    ]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_report_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError):
        write_report([SECTION], tmp_path / "out")
    with pytest.raises(ConfigurationError, match="'table' is there 2 times"):
        write_report([SECTION, SECTION.model_copy(update={"name": "again"})], tmp_path / "out")
