"""Passages with hostile fields: stored, read back equal, found and removed; or refused."""

from __future__ import annotations

import json
import math
from typing import Any

from hostile import examples, hostile, json_values, keys, odd_objects, texts, words
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.errors import InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.text import is_blank
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

metadata = st.one_of(
    st.dictionaries(keys, json_values | odd_objects | hostile, max_size=4),
    st.sampled_from(({"logic": {"quarantined": True}}, {"logic": {"quarantined": "yes"}})),
    hostile,
)
fields = {
    "id": st.one_of(texts, st.sampled_from(("7", str(2**64), "-1")), hostile),
    "text": texts | hostile,
    "metadata": metadata,
    "extra": metadata,
    "source": texts | hostile,
    "span": st.sampled_from((None, (0, 5), [0, 5], (5, 0), (-1, 2), (0, 2**63), (0.0, 5), "05")),
    "embed_text": texts | hostile,
    "quarantined": st.sampled_from((True, False, None, 1, "yes")),
}


@st.composite
def passages(draw: Any) -> Any:
    """One to three passages with up to two hostile fields; sometimes a copy or a non-passage."""
    made = []
    for number in range(draw(st.integers(1, 3))):
        values: dict[str, Any] = {"id": f"p{number}", "text": draw(words)}
        for name in draw(st.lists(st.sampled_from(sorted(fields)), max_size=2, unique=True)):
            values[name] = draw(fields[name])
        made.append(Passage(**values))
    return made + draw(st.sampled_from(([], [], [], made[:1], ["x"], [None])))


@given(passages())
@examples
def test_passages_come_back_as_they_were_given(index: PassageIndex, given_ones: list[Any]):
    """A stored value that changed goes unnoticed."""
    good = {passage.id: passage for passage in given_ones if _is_storable(passage)}
    try:
        report = index.add(given_ones)
    except InputError:
        assert {passage.id for passage in index.scroll()} == good.keys()
    else:
        assert report.added == len(good) == index.count()
        for passage in good.values():
            (back,) = index.get([passage.id])
            assert _same(_plain(back), _plain(passage))
        active = {passage.id for passage in good.values() if not passage.quarantined}
        hits = Engine(index, "topical", judge=None).search("quiet inn", 10)
        assert {hit.passage.id for hit in hits} == active
        json.dumps([hit.to_dict() for hit in hits], allow_nan=False)
        assert index.add(given_ones).unchanged == len(good)
    assert index.delete(list(good)) == len(good)
    assert index.count() == 0


def _is_storable(passage: Any) -> bool:
    try:
        return not is_blank(storable(passage).text_to_embed)
    except InputError:
        return False


def _plain(passage: Passage) -> dict[str, Any]:
    passage = storable(passage)
    values = {name: getattr(passage, name) for name in fields}
    return json.loads(json.dumps(values))


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, float):  # the engine's JSON parser sometimes changes the last bit
        return math.isclose(one, other, rel_tol=4e-16)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    return bool(one == other)
