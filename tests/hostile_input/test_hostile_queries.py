"""Queries and expressions: parsed, searched for, and read back from their own text."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hostile import examples, hostile, json_values, nested, refused_or_right, texts, words
from hypothesis import given
from hypothesis import strategies as st

import logic_retrievers as lr
from logic_retrievers.errors import ExpressionError

PATTERNS = (
    *("{} without {}", "{} except {} and {}", "{} but not {}", "neither {} nor {}", "{} or {}"),
    *("{} that do not {}", "no {}, {}", "{} -{}", "{} and {} but no {}", "{} other than {}"),
    *("NOT {}", '"{}" AND NOT "{}"', "{} ohne {}", "{} sans {} ni {}", "{} (not {})", "{}"),
)
POLICIES = ("auto", "topical", "sequential", "boolean", "hybrid", "union", "compatibility")


@st.composite
def queries(draw: Any) -> str:
    pattern = draw(st.sampled_from(PATTERNS))
    return pattern.format(*(draw(words | texts) for _ in range(pattern.count("{}"))))


@given(
    queries(), st.sampled_from(POLICIES), st.sampled_from((1, 3, 50)),
    st.just(()) | st.lists(texts, max_size=2), st.booleans(),
)  # fmt: skip
@examples
def test_any_query_is_searched_for_or_refused(
    inn_index: lr.PassageIndex, query: str, policy: str, k: int, exclude: Any, hard: bool
):
    with refused_or_right():
        parsed = lr.RuleParser().parse(query)
        json.dumps(parsed.to_dict())
        assert parsed.text == query
        assert all(part.strip() for part in parsed.excluded)
        policy = "auto" if exclude else policy
        engine = lr.Engine(inn_index, policy, judge=None)
        hits = engine.search(query, k, exclude=exclude, hard=hard)
        json.dumps([hit.to_dict() for hit in hits], allow_nan=False)
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert len({hit.passage.id for hit in hits}) == len(hits)
        assert hard or len(hits) == min(k, 12)


def test_a_query_of_any_length(inn_index: lr.PassageIndex):
    for query in ("quiet inn without pool " * 3000, "x" * 100_001, "not " * 20_000):
        with refused_or_right():
            assert lr.Engine(inn_index, judge=None).search(query, 3)


atoms = st.fixed_dictionaries({"op": st.just("atom"), "text": words | texts})
trees = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"op": st.just("not"), "args": st.lists(inner, max_size=2)}),
        st.fixed_dictionaries(
            {"op": st.sampled_from(("and", "or")), "args": st.lists(inner, max_size=3)}
        ),
    ),
    max_leaves=40,
)
written = st.lists(
    st.one_of(
        words,
        words.map(lambda text: f'"{text}"'),
        texts,
        st.sampled_from(("AND", "OR", "AND NOT", "NOT", "(", ")", "and")),
    ),
    max_size=9,
).map(" ".join)


@given(st.one_of(written, trees, json_values, hostile))
@examples
def test_an_expression_can_be_read_from_what_it_writes(value: Any):
    with refused_or_right():
        if isinstance(value, str):
            made = lr.Expression.parse(value)
        else:
            made = lr.Expression.from_dict(value)
        assert lr.Expression.parse(str(made)) == made
        assert lr.Expression.from_dict(json.loads(json.dumps(made.to_dict()))) == made
        assert len(made.atoms) <= 32
        hash(made.simplified())
        with suppress(ExpressionError):  # it says only what is not wanted
            lr.ParsedQuery.stating(made)


def test_deep_dictionaries_are_refused():
    for levels in (20, 1000):
        with refused_or_right():
            lr.Expression.from_dict(nested(levels, dict))


@given(st.sampled_from((lr.Atom, lr.Not, lr.And, lr.Or)), st.lists(hostile, max_size=3) | hostile)
@examples
def test_an_operator_refuses_what_is_no_expression(kind: Any, operand: Any):
    with refused_or_right():
        assert isinstance(kind(operand), lr.Expression)
