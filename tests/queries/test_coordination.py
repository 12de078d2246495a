"""Coordination: parallel parts become an expression; everything else stays whole.

No model reads these queries: the rules alone decide.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import onnx
from logic_retrievers.queries import ConstraintParser, Expression, parser
from logic_retrievers.queries.coordination import coordinate
from logic_retrievers.queries.expressions import Atom, check_searchable

PARSER = ConstraintParser()
LABELLED = Path(__file__).parent / "labelled" / "coordination.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
PARALLEL = {"parallel", "also", "either", "else", "same time"}
WORDS = str.split(
    "films hotels orchids of in Rome Paris starring directed by with a pool and or , either both "
    "neither nor that are also not but except without war 1930s French Italian Jr. among too which "
    "alternatively else none them The . ? ( ) café"
)


@pytest.fixture(autouse=True, scope="module")
def no_model():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnx, "default_constraint", lambda: None)
        yield


def unordered(expression):
    expression = expression.simplified()
    if isinstance(expression, Atom):
        return expression.text
    return expression.op, frozenset(unordered(part) for part in expression.args)


def is_read_as(read, expression):
    return unordered(read.expression) == unordered(Expression.parse(expression))


def test_labelled():
    """A wrong split searches for something else; half of these must not be split."""
    traps = [row["text"] for row in ROWS if row["expression"] is None]
    assert len(traps) > 90
    assert [text for text in traps if PARSER.parse(text).kind != "none"] == []
    read = [(row, PARSER.parse(row["text"])) for row in ROWS]
    split = [(row, parsed) for row, parsed in read if parsed.kind == "expression"]
    assert [row["text"] for row, one in split if not is_read_as(one, row["expression"])] == []
    parallel = [row for row in ROWS if row["family"] in PARALLEL]
    assert sum(row["family"] in PARALLEL for row, _ in split) >= 19 > 0.85 * len(parallel)


@pytest.mark.parametrize(
    ("wanted", "excluded", "expression"),
    [
        (
            "films starring Fred Astaire and directed by Mark Sandrich",
            ["set in Paris"],
            '"films starring Fred Astaire" AND "films directed by Mark Sandrich" AND NOT '
            '"films set in Paris"',
        ),
        (
            "Which films directed by Jane Campion are also dramas?",
            ["silent films"],
            '"films directed by Jane Campion" AND "dramas" AND NOT "silent films"',
        ),
        (
            "novels set in Rome, set in Paris or written by Ada Negri",
            [],
            '"novels set in Rome" OR "novels set in Paris" OR "novels written by Ada Negri"',
        ),
        (
            "films of Ozu or films of Naruse",
            ["Paris", "films of Mizoguchi"],
            '("films of Ozu" OR "films of Naruse") AND NOT "Paris" AND NOT "films of Mizoguchi"',
        ),
        (
            "birds of Kenya that are birds of Oman too",
            [],
            '"birds of Kenya" AND "birds of Oman"',
        ),
        (
            "hotels that are both in Rome and near the river",
            [],
            '"hotels in Rome" AND "hotels near the river"',
        ),
    ],
)
def test_shapes(wanted, excluded, expression):
    """An excluded text that begins with a relation shares the wanted part's noun."""
    assert is_read_as(coordinate(wanted, excluded), expression)


@pytest.mark.parametrize(
    "text",
    [
        "orchids of Malaysia or Thailand",
        "hotels in either Rome or villages",
        "museums in Vienna and parks in Rome",
        "films of Ozu and films of Naruse or films of Mizoguchi",
        "hnRNP A1 associates with telomere ends and stimulates telomerase activity",
        "exercise reduces or increases mortality rates of citizens who walk",
        "salt and pepper tolerant plants",
    ],
)
def test_left_whole(text):
    """Names that share a relation, titles, claims and questions only look like a set query."""
    assert PARSER.parse(text).kind == "none"


def test_an_excluded_text_cut_short_joins_nothing():
    """The rest of "except films starring A" would exclude every film."""
    assert coordinate("films of Ozu or films of Naruse", ["films"]) is None
    assert coordinate("films of Ozu", ["films of Naruse"]) is None


def test_the_evidence_names_the_connective():
    text = "orchids   of Malaysia  or \t orchids of Thailand"
    parsed = PARSER.parse(text)
    assert (parsed.cue, parsed.rule) == ("or", "coordination")
    assert parsed.wanted == parsed.text == text


def test_threshold():
    """A caller can forbid uncertain splits, or all."""
    text = "orchids of Laos or ferns of Burma"
    assert PARSER.parse(text).confidence == PARSER.parse(text).to_dict()["confidence"] == 0.75
    assert ConstraintParser(threshold=0.85).parse(text).kind == "none"
    none = ConstraintParser(threshold=2).parse("either films of Ozu or films of Naruse")
    assert none.kind == "none"
    for wrong in (-1, True, float("nan"), "high", None):
        with pytest.raises(ConfigurationError, match="threshold"):
            ConstraintParser(threshold=wrong)


def test_without_a_connective_coordination_is_not_run(monkeypatch):
    """It would cost every plain query time and find nothing."""
    monkeypatch.setattr(parser, "coordinate", lambda *_: pytest.fail("coordinate was called"))
    for text in ("quiet hotels in Rome", "films with Jane Wyman, 1940s, comedy", ""):
        assert PARSER.parse(text).expression is None


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_phrase_is_read(text):
    """No words make the parser fail, and every expression can be searched for."""
    parsed = ConstraintParser(threshold=0).parse(text)
    if parsed.kind == "expression":
        check_searchable(parsed.expression)
        assert parsed.wanted.strip()
        assert 0 < parsed.confidence <= 1
        read = json.loads(json.dumps(parsed.to_dict()))
        assert Expression.from_dict(read["expression"]) == parsed.expression


@pytest.mark.parametrize("unit", ["films of Rome and ", "that are ", "a, ", "and not "])
def test_hostile_texts_take_no_time(unit):
    """A query of 2,000 characters gets its answer at once, whatever it repeats."""
    text = (unit * 2000)[:2000]
    begun = time.process_time()
    PARSER.parse(text)
    assert time.process_time() - begun < 0.5


def test_more_than_an_expression_may_hold_is_left_alone():
    many = " or ".join(f"films of Rome {chr(65 + n)}" for n in range(40))
    assert PARSER.parse(many).kind == "none"
    long = f"{'x' * 900}s of A" + "".join(f" or of {chr(66 + n)}" for n in range(20))
    assert PARSER.parse(long).kind == "none"
