"""The language guard: a text that is not English is never read by English rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.queries import ParsedQuery, RuleParser
from logic_retrievers.queries.language import UNDETERMINED, detect_language

LANGUAGES = Path(__file__).parent / "languages"
PARSER = RuleParser()
WITH_PACKS = {"de", "fr", "es", "pt", "it", "nl"}


def rows(part: str, name: str) -> list[dict]:
    lines = (LANGUAGES / part / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("onde comer bem no centro", "pt"),
        ("warum druckt der Drucker nicht", "de"),
        ("pizza no cheese", "en"),
        ("hotels in Rio de Janeiro not Copacabana", "en"),
        ("curry zonder kokosmelk", "nl"),
        ("no frost 冷蔵庫", UNDETERMINED),
        ("iphone 15", None),
        ("", None),
        ("42 - 7", None),
    ],
)
def test_detected_languages(text: str, language: str | None):
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["hotele w Rzymie bez basenu", "没有泳池的酒店"])
def test_other_languages_pass_untouched(text: str):
    assert PARSER.parse(text) == ParsedQuery(text)


@pytest.mark.parametrize("text", ["restaurantes no Rio", "onde comer bem no centro", "not defteri"])
def test_texts_of_other_languages_have_no_constraint(text: str):
    """Portuguese "no" is "in the": an exclusion would rule out what is asked for."""
    assert PARSER._parse(text).kind != "none"  # without the guard
    assert PARSER.parse(text).kind == "none"


@pytest.mark.parametrize("part", ["dev", "test"])
def test_ordinary_sentences_of_twelve_languages(part: str):
    """Written by somebody who saw no rule; the test part was not looked at."""
    without_pack = [row for row in rows(part, "ordinary") if row["language"] not in WITH_PACKS]
    read = [row["text"] for row in without_pack if PARSER.parse(row["text"]).kind != "none"]
    assert len(read) <= 1, len(read)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_english_queries_full_of_foreign_names_are_still_read(part: str):
    """A guard that takes every dish and city for another language hears no exclusion of users."""
    heard = [row["text"] for row in rows(part, "english_control")]
    heard = [text for text in heard if PARSER._parse(text).kind != "none"]  # without the guard
    read = [text for text in heard if PARSER.parse(text).kind != "none"]
    assert len(read) >= 0.9 * len(heard), len(read) / len(heard)
