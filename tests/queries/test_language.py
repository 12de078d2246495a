"""The language guard: a text that is not English is never read by English rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.queries import ParsedQuery, RuleParser
from logic_retrievers.queries.language import UNDETERMINED, detect_language

LANGUAGES = Path(__file__).parent / "languages"
PARSER = RuleParser()


def rows(part: str, name: str) -> list[dict]:
    lines = (LANGUAGES / part / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("onde comer bem no centro", "pt"),
        ("pizza no cheese", "en"),
        ("hotels in Rio de Janeiro not Copacabana", "en"),
        ("curry zonder kokosmelk", "nl"),
        ("no frost 冷蔵庫", UNDETERMINED),
        ("", None),
    ],
)
def test_detected_languages(text: str, language: str | None):
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["hotele w Rzymie bez basenu", "没有泳池的酒店", "restaurantes no Rio", "not defteri"]
)
def test_other_languages_pass_untouched(text: str):
    assert PARSER.parse(text) == ParsedQuery(text)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_english_queries_full_of_foreign_names_are_still_read(part: str):
    """A guard that takes every dish and city for another language hears no exclusion of users."""
    heard = [row["text"] for row in rows(part, "english_control")]
    heard = [text for text in heard if PARSER._parse(text).kind != "none"]  # without the guard
    read = [text for text in heard if PARSER.parse(text).kind != "none"]
    assert len(read) >= 0.9 * len(heard), len(read) / len(heard)
