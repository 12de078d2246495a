"""Findings that fail a build, and the summary of a cleaning."""

from __future__ import annotations

import json

import pytest
from report_pages import cleaning_result, decision

from logic_retrievers.conflicts.cleaning.report import failing_decisions
from logic_retrievers.conflicts.cleaning.result import Kind
from logic_retrievers.errors import ConfigurationError

HIGH = decision("a", "b", probability=0.95, quarantined=["b", "a"])
MEDIUM = decision("a", "c", probability=0.85, quarantined=["a", "c"])
OLD = decision("d", "e", Kind.SUPERSEDED)
COPY = decision("f", "g", Kind.DUPLICATE)
RESULT = cleaning_result(HIGH, MEDIUM, OLD, COPY)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([], ()),
        (["low", "superseded"], (OLD, COPY)),
        (["duplicate", "contradiction", "high"], (HIGH, MEDIUM, COPY)),
        (["any"], (HIGH, MEDIUM, OLD, COPY)),
    ],
    ids=str,
)
def test_what_is_wanted_fails(wanted, expected):
    """A build must stop for the contradictions that it was set up to catch."""
    assert failing_decisions(RESULT, wanted) == expected


@pytest.mark.parametrize("word", ["contradictions", "High"])
def test_a_word_that_is_none_of_them(word):
    """Otherwise a misspelt word never fails a build."""
    with pytest.raises(ConfigurationError, match=r"use one of: contradiction, .*, low, any"):
        failing_decisions(RESULT, ["any", word])


def test_who_is_hidden_is_named_once():
    """A passage hidden for two findings is still one passage."""
    assert RESULT.quarantined == ("b", "a", "c")
    assert RESULT.of_kind(Kind.CONTRADICTION) == (HIGH, MEDIUM)
    assert RESULT.of_kind(Kind.SCOPE) == ()


def test_a_cleaning_as_json_has_no_texts():
    """Logs must not hold the corpus's texts."""
    text = json.dumps(RESULT.to_dict())
    assert "text of" not in text
    first = json.loads(text)["decisions"][0]
    assert (first["finding"]["severity"], first["quarantined"]) == ("high", ["b", "a"])
    assert json.loads(text)["begun"] == "2026-03-14T09:26:00+00:00"
