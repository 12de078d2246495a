"""Coordination: what a query joins becomes an expression; what only looks joined stays whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.queries import Expression, RuleParser, parser
from logic_retrievers.queries.coordination import coordinate, may_coordinate
from logic_retrievers.queries.expressions import Atom, check_searchable
from logic_retrievers.queries.masking import mask

PARSER = RuleParser()
PLAIN = RuleParser(threshold=2)
LABELLED = Path(__file__).parent / "labelled" / "coordination.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
WORDS = str.split(
    "films hotels orchids of in Rome Paris starring directed by with a pool and or , either both "
    "neither nor that are also not but except without war 1930s French Italian Jr. among too which "
    "alternatively else none them The . ? ( ) café"
)


def unordered(expression):
    expression = expression.simplified()
    if isinstance(expression, Atom):
        return expression.text
    return expression.op, frozenset(unordered(part) for part in expression.args)


@pytest.mark.parametrize("row", ROWS, ids=[row["text"] for row in ROWS])
def test_labelled(row):
    """A wrong split searches for what nobody asked; half of these must not be split."""
    parsed = PARSER.parse(row["text"])
    if row["expression"] is None:
        assert parsed.kind != "expression", parsed.expression
        assert parsed == PLAIN.parse(row["text"])
    else:
        assert parsed.kind == "expression"
        assert unordered(parsed.expression) == unordered(Expression.parse(row["expression"]))
        assert 0.7 <= parsed.confidence < 1


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("French and Italian comedies", '"French comedies" OR "Italian comedies"'),
        ("1930s or 1940s westerns", '"1930s westerns" OR "1940s westerns"'),
        (
            "war films set in Libya and Tunisia",
            '"war films" AND "films set in Libya" AND "films set in Tunisia"',
        ),
        (
            "films starring Fred Astaire and directed by Mark Sandrich but not set in Paris",
            '"films starring Fred Astaire" AND "films directed by Mark Sandrich" AND NOT '
            '"films set in Paris"',
        ),
        (
            "Which films directed by Jane Campion are also dramas and not silent films?",
            '"films directed by Jane Campion" AND "dramas" AND NOT "silent films"',
        ),
        (
            "films released by Warner Bros., or else films starring Lon Chaney Jr.",
            '"films released by Warner Bros." OR "films starring Lon Chaney Jr."',
        ),
        (
            "novels set in Rome, set in Paris or written by Ada Negri",
            '"novels set in Rome" OR "novels set in Paris" OR "novels written by Ada Negri"',
        ),
        (
            "films starring Jane Wyman but not films starring Wayne Morris",
            '"films starring Jane Wyman" AND NOT "films starring Wayne Morris"',
        ),
        (
            "Which films starring Jane Wyman are not silent films?",
            '"films starring Jane Wyman" AND NOT "silent films"',
        ),
        (
            "birds of Kenya that are birds of Oman too",
            '"birds of Kenya" AND "birds of Oman"',
        ),
        (
            "films starring Will Patton or May Whitty",
            '"films starring Will Patton" OR "films starring May Whitty"',
        ),
    ],
)
def test_shapes(text, expression):
    parsed = PARSER.parse(text)
    assert parsed.expression is not None
    assert unordered(parsed.expression) == unordered(Expression.parse(expression))


@pytest.mark.parametrize(
    "text",
    [
        "hnRNP A1 associates with telomere ends and stimulates telomerase activity",
        "vesicles of stem cells stimulated by hypoxia promote growth both in vitro and in vivo",
        "cities in Italy produce wine or oil",
        "wines with oak or vanilla notes",
        "cancer mortality rates among Chinese citizens",
        "cytokines that are produced by tumour cells also kill",
        "determination of lift or drag programs to minimise heating",
        "Bullets or Ballots",
        "exercise reduces or increases mortality rates of citizens who walk",
        "What are some achievements or honours of Marie Curie?",
        "James Bond films other than Never Say Never Again starring Connery",
        "Beatles songs excluding covers written by Harrison but not Something",
        "poems of Rilke and Trakl or Heym",
        "best red or white wines from France or Italy",
        "What trees of Chile or Peru",
        "in which films of Ozu or Naruse",
    ],
)
def test_left_whole(text):
    """Titles, claims and questions that share words with a set query."""
    assert PARSER.parse(text) == PLAIN.parse(text)


def test_an_exclusion_that_was_cut_to_the_head_excludes_nothing():
    """Else all films were ruled out of a query for films."""
    text = "films of Ozu or Naruse without films starring Jane Wyman except silent ones"
    parsed = PARSER.parse(text)
    assert "films" in PLAIN.parse(text).excluded
    assert parsed == PLAIN.parse(text)


def test_what_is_ruled_out_stays_listed():
    """Whoever reads what is excluded must find it, whatever the wanted part joins."""
    parsed = PARSER.parse("symphonies by Mahler or Bruckner, except live recordings")
    assert (parsed.kind, parsed.excluded) == ("expression", ("live recordings",))
    assert parsed.wanted == "symphonies by Mahler or Bruckner"
    assert (parsed.cue, parsed.rule, parsed.span) == ("except", "except", (34, 40))
    cut = PARSER.parse("films of Ozu or Naruse but not set in Paris")
    assert cut.excluded == ("set in Paris",)
    assert cut.wanted == "films of Ozu or Naruse"


def test_an_exclusion_beside_one_thing_stays_an_exclusion():
    for text in ("films starring Jane Wyman but not silent films", "hotels in Rome except hostels"):
        assert PARSER.parse(text).kind == "exclusion"
        assert PARSER.parse(text) == PLAIN.parse(text)


def test_the_evidence_points_at_the_connective():
    """Behind white space that the parser squeezes, too."""
    text = "orchids   of Malaysia  or \t Thailand"
    parsed = PARSER.parse(text)
    assert (parsed.cue, parsed.rule) == ("or", "coordination")
    assert text[slice(*parsed.span)] == "or"
    assert parsed.wanted == parsed.text == text
    implied = PARSER.parse("war films directed by Jane Campion")
    assert (implied.kind, implied.cue, implied.span) == ("expression", "", None)


def test_threshold():
    """A caller who fears wrong splits, or none."""
    text = "hotels in Rome and Paris"
    assert PARSER.parse(text).kind == "none"
    eager = RuleParser(threshold=0.5).parse(text)
    assert str(eager.expression) == '"hotels in Rome" AND "hotels in Paris"'
    assert eager.confidence == 0.6
    assert RuleParser(threshold=0.85).parse("orchids of Laos or Burma").kind == "none"
    assert PLAIN.parse("either films of Ozu or films of Naruse").kind == "none"
    for wrong in (-1, True, float("nan")):
        with pytest.raises(ConfigurationError, match="threshold"):
            RuleParser(threshold=wrong)


def test_confidence_in_the_dictionary():
    assert PARSER.parse("quiet inns").to_dict()["confidence"] == 1.0
    told = PARSER.parse("orchids of Laos or Burma").to_dict()
    assert told["confidence"] == 0.8
    assert Expression.from_dict(told["expression"]) == Atom("orchids of Laos") | Atom(
        "orchids of Burma"
    )


def test_the_least_certain_decision_counts():
    """Alternatives before the head are .75, several things behind "from" .8."""
    assert coordinate("red or white wines from France or Italy").confidence == 0.75


@pytest.mark.parametrize(
    "text",
    [
        "quiet hotels in Rome",
        "which enzymes break down starch",
        "films with Jane Wyman, 1940s, comedy",
        "",
    ],
)
def test_without_a_connective_coordination_is_not_run(text, monkeypatch):
    """It would cost every plain query time, and find nothing."""
    monkeypatch.setattr(parser, "coordinate", lambda *_: pytest.fail("coordinate was called"))
    assert PARSER.parse(text).expression is None


def without_check(text, threshold=0.7):
    """The query as it is parsed where coordination is always run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "may_coordinate", lambda _: True)
        return RuleParser(threshold=threshold).parse(text)


def test_the_check_for_connectives_loses_no_labelled_query():
    """A connective that the check does not know would silently end in a plain search."""
    skipped = 0
    for name in ("dev.jsonl.gz", "test.jsonl.gz", "ruling_out.jsonl", "coordination.jsonl"):
        for text in (row.fields["text"] for row in json_rows(LABELLED.with_name(name))):
            skipped += not may_coordinate(mask(text))
            assert PARSER.parse(text) == without_check(text), text
    assert skipped > 1000


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_the_check_for_connectives_loses_no_phrase(text):
    assert RuleParser(threshold=0).parse(text) == without_check(text, threshold=0)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_any_phrase_is_read(text):
    """No words make the parser fail, and no expression comes out that cannot be searched for."""
    parsed = RuleParser(threshold=0).parse(text)
    if parsed.kind == "expression":
        check_searchable(parsed.expression)
        assert parsed.wanted.strip()
        assert 0 <= parsed.confidence <= 1
        told = json.loads(json.dumps(parsed.to_dict()))
        assert Expression.from_dict(told["expression"]) == parsed.expression
    assert parsed == RuleParser(threshold=0).parse(text)


@pytest.mark.parametrize(
    "unit",
    [
        *("films or ", "films of Rome and ", "that are ", "which who ", "a, ", "either both "),
        *("films starring A that are also ", "and not ", "no ", "J. ", "by ", "1930s or "),
    ],
)
def test_hostile_texts_take_no_time(unit):
    """A query of 2,000 characters is answered at once, whatever it repeats."""
    text = (unit * 2000)[:2000]
    begun = time.process_time()
    PARSER.parse(text)
    assert time.process_time() - begun < 0.5


def test_too_many_things_are_left_alone():
    names = [f"Rome {chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(40)]
    assert PARSER.parse(f"hotels in {', '.join(names)} or Oslo").kind == "none"
