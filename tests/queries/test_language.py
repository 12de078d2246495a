"""The language guard: a model of English must not see texts in other languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.language import UNDETERMINED, detect_language
from logic_retrievers.queries import ConstraintParser, ParsedQuery, parser

LANGUAGES = Path(__file__).parent / "languages"
PARSER = ConstraintParser()


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
    "text", ["hotele w Rzymie bez basenu", "没有泳池的酒店", "restaurantes no centro de Lisboa"]
)
def test_other_languages_pass_untouched(text: str):
    assert PARSER.parse(text) == ParsedQuery(text)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_english_queries_full_of_foreign_names_are_still_read(part: str, monkeypatch):
    """Taking dishes and cities for a foreign language would lose users' exclusions."""
    texts = [row["text"] for row in rows(part, "english_control")]
    with monkeypatch.context() as without_guard:
        without_guard.setattr(parser, "detect_language", lambda _: "en")
        heard = [text for text in texts if PARSER.parse(text).kind != "none"]
    read = [text for text in heard if PARSER.parse(text).kind != "none"]
    assert len(heard) > 0.4 * len(texts)
    assert len(read) >= 0.9 * len(heard), len(read) / len(heard)
