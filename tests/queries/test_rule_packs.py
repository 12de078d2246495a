"""Exclusions in six languages besides English: every rule, and queries by independent authors."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import ConstraintParser, rules
from logic_retrievers.queries.pack_parser import PACKS, PackParser, fold, pack_parser

LANGUAGES = Path(__file__).parent / "languages"
PARSER, ENGLISH = ConstraintParser(), ConstraintParser(languages=())

# Ignored in comparisons: the sentences have "not in Rome", the rules read "Rome".
SMALL_WORDS = {
    "de": "der die das den dem ein eine einen einem in im am an auf aus von vom bei mit für ins",
    "es": "el los la las un una unos unas de del en a al con por para",
    "fr": "le la les un une des du de d l à au aux dans en sur chez avec",
    "it": "il lo la i gli le un uno una l di del della dei delle a al alla da dal in nel nella su"
    " sul con per",
    "nl": "de het een in op aan van voor met bij uit",
    "pt": "o a os as um uma uns umas de do da dos das em no na nos nas com por para",
}


@cache
def table(language: str) -> dict:
    path = Path(rules.__file__).with_name(f"{PACKS[language]}.toml")
    return tomllib.loads(path.read_text("utf-8"))


def rows(part: str, name: str) -> list[dict]:
    lines = (LANGUAGES / part / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def names(texts: Sequence[str], language: str) -> list[str]:
    """Excluded texts for comparison: in lower case, without leading small words."""
    small = SMALL_WORDS[language].split()
    found = []
    for text in texts:
        words = text.lower().replace("'", " ").split()
        while len(words) > 1 and words[0] in small:
            words = words[1:]
        found.append(" ".join(words))
    return sorted(found)


def totals(part: str, language: str) -> tuple[float, float]:
    """Share of queries with the right kind, and of exclusions with the right excluded texts."""
    found = [row for row in rows(part, "exclusions") if row["language"] == language]
    parsed = [(row, PARSER.parse(row["text"])) for row in found]
    kinds = [reading.kind == row["kind"] for row, reading in parsed]
    excluded = [
        names(reading.excluded, language) == names(row["excluded"], language)
        for row, reading in parsed
        if row["kind"] == "exclusion"
    ]
    return sum(kinds) / len(kinds), sum(excluded) / len(excluded)


@pytest.mark.parametrize("language", PACKS)
def test_examples_hold(language: str):
    """Readers learn a rule from its examples."""
    for example in (example for rule in table(language)["rules"] for example in rule["examples"]):
        parsed = pack_parser(language).parse(example["text"])
        read = (parsed.kind == "exclusion", list(parsed.excluded))
        assert read == ("excluded" in example, example.get("excluded", [])), example
        assert parsed.wanted == example.get("wanted", parsed.wanted)
        assert parsed.cue in example["text"]


@pytest.mark.parametrize("language", PACKS)
def test_every_rule_is_needed_by_one_of_its_examples(language: str):
    """If all examples pass without it, the rule or its examples are useless."""
    pack = table(language)
    assert len({rule["name"] for rule in pack["rules"]}) == len(pack["rules"])
    for rule in pack["rules"]:
        others = [other for other in pack["rules"] if other is not rule]
        without = PackParser({**pack, "rules": others})
        read = [example["text"] for example in rule["examples"] if "excluded" in example]
        assert any(without.parse(text).kind == "none" for text in read), rule["name"]


@pytest.mark.parametrize(
    ("text", "wanted", "excluded"),
    [
        ("um carro usado nao automatico", "um carro usado", "automatico"),
        ("tutti i giorni tranne il LUNEDÌ", "tutti i giorni", "LUNEDÌ"),
        ("een jas voor de winter, maar geen bont", "een jas voor de winter", "bont"),
    ],
)
def test_accents_and_capitals_count_for_nothing(text: str, wanted: str, excluded: str):
    parsed = PARSER.parse(text)
    assert (parsed.wanted, parsed.excluded) == (wanted, (excluded,))


@pytest.mark.parametrize("language", PACKS)
def test_what_authors_wrote_who_saw_no_rule(language: str):
    """The rules were tuned on dev; test shows only totals, to stay unseen.

    The model reads texts that seem English or of no language. Measured on test: kinds .79
    (Spanish) to 1.0 (Dutch).
    """
    kind, excluded = totals("dev", language)
    assert kind >= 0.93, kind
    assert excluded >= 0.85, excluded
    assert totals("test", language)[0] >= 0.77


@pytest.mark.parametrize("part", ["dev", "test"])
def test_languages_without_a_pack_are_hardly_read(part: str):
    others = [row["text"] for row in rows(part, "ordinary") if row["language"] not in PACKS]
    read = [text for text in others if PARSER.parse(text).kind != "none"]
    assert len(read) <= 1


def test_a_language_can_be_switched_off():
    text = "eine Suppe ohne Sellerie"
    assert PARSER.parse(text).excluded == ("Sellerie",)
    assert ConstraintParser(languages=["de"]).parse(text).excluded == ("Sellerie",)
    assert ConstraintParser(languages=["fr", "nl"]).parse(text).kind == "none"
    assert ENGLISH.parse(text).kind == "none"
    assert ENGLISH.parse("soup without celery").excluded == ("celery",)
    for unknown in (["en"], "de", None, [["de"]]):
        with pytest.raises(ConfigurationError, match="languages"):
            ConstraintParser(languages=unknown)


def test_english_is_read_by_no_pack():
    """No pack reads a text that seems English, even if it has the pack's cue."""
    for text in ("a salvo of rockets", "shoes sans laces for me", "ni no kuni for the switch"):
        assert PARSER.parse(text) == ENGLISH.parse(text)


@pytest.mark.parametrize("text", ["straße", "ça où", "I\u0307stanbul \ufb01n", "ﾊﾟ", ""])
def test_folding_keeps_offsets(text: str):
    assert len(fold(text)) == len(text)


@pytest.mark.parametrize("language", PACKS)
def test_hostile_texts_take_no_time(language: str):
    """Nested quantifiers in a rule would take minutes for one of these."""
    cues = "ohne nicht kein |sin no menos ni |sem não nem |non né ma |zonder niet geen "
    pieces = [*cues.split("|"), ", ", "die nicht a ", "a", " ", "-a ", "que no sea, ", "l'"]
    start = time.process_time()
    for piece in pieces:
        text = (piece * 2_000)[:2_000]
        pack_parser(language).parse(text)
        pack_parser(language).parse(f"ein Haus {text[:900]}ohne {text[:900]}")
    assert time.process_time() - start < 5
