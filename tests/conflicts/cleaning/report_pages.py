"""Cleaning results for tests of the report, and a parser of its page."""

from __future__ import annotations

from datetime import UTC, datetime
from html.parser import HTMLParser

from hypothesis import strategies as st

from logic_retrievers.conflicts.cleaning.result import CleaningResult, Decision, Finding, Kind
from logic_retrievers.types import Passage

# random draws from all characters rarely give these
ODD = st.sampled_from("\ud800\u202e\x00\x9b\u2028\r\n\t=<&")
ANY_TEXT = st.text(ODD | st.characters(), max_size=60)
BEGUN = datetime(2026, 3, 14, 9, 26, tzinfo=UTC)


def decision(
    one="a",
    other="b",
    kind=Kind.CONTRADICTION,
    action="kept",
    *,
    probability=0.5,
    reason="they differ",
    differences=(),
    newer=None,
    why="as the policy has it",
    quarantined=(),
    trusted=(),
):
    finding = Finding(
        one, other, kind, reason, 0.9, 1.5, probability, 0.25, tuple(differences), newer
    )
    return Decision(finding, action, why, tuple(quarantined), tuple(trusted))


def cleaning_result(*decisions, passages=None, **more):
    """A result; passages that are not given use their id as text."""
    names = {name for d in decisions for name in (d.finding.one, d.finding.other)}
    known = {name: Passage(name, f"text of {name}") for name in names}
    settings = {
        **{"examined": 12, "compared": 34, "resolution": "annotate", "threshold": 0.82},
        **{"dry_run": False, "begun": BEGUN, "seconds": 1.5},
    }
    return CleaningResult(tuple(decisions), known | (passages or {}), **(settings | more))


class Page(HTMLParser):
    """The content of a report page.

    Attributes:
        elements: tag and attributes of every element, in order.
        cards: the attributes of each finding.
        texts: the text of each passage.
        rows: the cells of each row of the summary.
        marks: classes, types and text of each marked stretch.
        by_id: id -> the text inside.
        scripts, styles: contents of the elements.
    """

    VOID = frozenset({"meta", "input", "br", "img", "link", "rect", "line", "base"})

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.cards, self.texts, self.marks, self.rows = [], [], [], [], []
        self.by_id, self.scripts, self.styles, self._open = {}, [], [], []
        self.words = ""
        self.feed(html)
        self.close()
        assert not self._open, "an element was not closed"

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.elements.append((tag, named))
        if tag == "article":
            self.cards.append(named)
        if tag == "section" and named.get("class") == "passage":
            self.texts.append("")
        if tag == "tr" and ("tbody", {}) in self._open:
            self.rows.append([])
        if tag == "mark":
            self.marks.append([named["class"], named["data-type"], ""])
        if tag not in self.VOID:
            self._open.append((tag, named))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self._open.pop()[0] == tag, f"{tag} closes another element"

    def handle_data(self, data):
        tags = [tag for tag, _ in self._open]
        if "script" in tags or "style" in tags:
            (self.scripts if "script" in tags else self.styles).append(data)
            return
        self.words += data
        if any(named.get("class") == "text" for _, named in self._open):
            self.texts[-1] += data
        if "tbody" in tags and tags[-1] in ("th", "td"):
            self.rows[-1].append(data)
        if "mark" in tags:
            self.marks[-1][2] += data
        for _, named in self._open:
            if "id" in named:
                self.by_id[named["id"]] = self.by_id.get(named["id"], "") + data

    def values(self, tag, name):
        """An attribute's values over all elements with that tag."""
        return [named[name] for one, named in self.elements if one == tag and name in named]
