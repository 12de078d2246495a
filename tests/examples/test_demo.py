"""The demo: every scene matches its title, in 80 columns and as a page."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from rich.cells import cell_len

from logic_retrievers import OnnxEncoder
from logic_retrievers.text import HIDDEN

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def demo():
    """The script as a module: it imports its neighbouring file."""
    sys.path.insert(0, str(EXAMPLES))
    import demo

    yield demo
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def scenes(demo: ModuleType, tmp_path_factory):
    return demo.build_scenes(EXAMPLES, OnnxEncoder(), tmp_path_factory.mktemp("demo"))


def marks(listing) -> str:
    return "".join(row.mark for row in listing.rows)


def test_searches_win_and_the_loss_is_one(scenes):
    """Ours ranks more right passages first in three searches; plain search in the last."""
    exclusion, demand, expression, *_, loss = scenes
    for scene in (exclusion, demand):
        plain, ours = scene.listings
        assert ours.violating < plain.violating
        assert marks(ours).count("✓") > marks(plain).count("✓")
        assert marks(ours).startswith("✓")
    assert marks(expression.listings[1]).startswith("✓✓")
    assert not marks(expression.listings[0]).startswith("✓")
    plain, ours, advice = loss.listings
    assert marks(plain)[0] == marks(advice)[0] == "✓"
    assert marks(ours)[0] != "✓"


def test_reasons_are_those_of_the_evidence(scenes):
    assert "the judge reads that it violates the query" in scenes[0].reason
    assert re.search(r", rank 1 -> \d+: ", scenes[0].reason)
    assert "satisfied: stew, beans" in scenes[2].reason
    assert "contradicts" in scenes[3].reason
    assert "moved down" in scenes[-1].reason


def test_the_contradiction_goes_and_what_was_hidden_comes_back(scenes):
    before, after = scenes[3].listings
    kept = {row.text for row in after.rows}
    assert [row.text for row in before.rows if row.mark == "✗"] == [
        "Dogs are not allowed in the office building."
    ]
    assert kept == {row.text for row in before.rows if row.mark == "✓"}
    hidden, restored = scenes[4].listings
    assert {row.text for row in hidden.rows} == {
        "Dogs are not allowed in the office building.",
        "Overtime is not paid.",
        "Parental leave is paid for six weeks.",
    }
    assert restored.rows[0].text == hidden.rows[0].text


def test_a_terminal_of_80_columns_is_enough(demo, scenes, capsys):
    for number, scene in enumerate(scenes, 1):
        demo.print_scene(number, scene)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 40
    assert max(map(cell_len, lines)) <= 80


def test_the_page_has_every_passage_and_runs_nothing(demo, scenes):
    """Users may run the demo on a corpus of foreign texts."""
    hostile = demo.Row("✓", "<script>alert(1)</script> \x1b[2J")
    listing = type(scenes[0].listings[0])("<b>", (hostile,))
    page = demo.render_page([*scenes, demo.Scene("<i>", "<u>", (listing,), "<s>")])
    assert {"script", "i", "u", "s", "img", "link"}.isdisjoint(re.findall(r"<(\w+)", page))
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())
    assert "<script>alert(1)</script> ⟦U+001B⟧[2J" in text
    assert not HIDDEN.search(text)
    for one in scenes:
        shown = [one.title, one.reason, *(row.text for each in one.listings for row in each.rows)]
        assert all(" ".join(words.split()) in text for words in shown)


def test_the_whole_demo_leaves_its_page(demo, monkeypatch, tmp_path, capsys):
    """Hidden characters of a text are shown and control no terminal."""
    monkeypatch.setattr(demo, "OUTPUT", tmp_path / ".demo")
    monkeypatch.setattr(demo, "HERE", tmp_path / "examples")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "corpus").symlink_to(EXAMPLES / "corpus")
    (tmp_path / "examples" / "scenes").symlink_to(EXAMPLES / "scenes")
    demo.main()
    printed = capsys.readouterr().out
    assert "6. A loss" in printed
    assert "As a page: .demo/demo.html" in printed
    assert "6. A loss" in (tmp_path / ".demo" / "demo.html").read_text("utf-8")
