"""Read consistency and write ordering reach every call that has them, over both protocols."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from logic_retrievers import Passage
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex

READS = ("query_batch_points", "retrieve", "scroll")
CALLS = (*READS, "upsert", "delete", "update_vectors")


@pytest.mark.parametrize(
    ("consistency", "ordering"), [(2, "weak"), ("majority", "medium"), ("all", "strong")]
)
def test_each_call_says_what_is_guaranteed(
    wire_settings, encoder, monkeypatch, consistency, ordering
):
    """The client converts them for its protocol, and would refuse a word that it does not know."""
    said: dict[str, set[Any]] = defaultdict(set)

    def noting(name: str, really: Any) -> Any:
        def call(**arguments: Any) -> Any:
            said[name].add((arguments.get("consistency"), arguments.get("ordering")))
            return really(**arguments)

        return call

    with PassageIndex.open(
        "p", encoder, **wire_settings, consistency=consistency, ordering=ordering
    ) as index:
        for name in CALLS:
            monkeypatch.setattr(index.client, name, noting(name, getattr(index.client, name)))
        index.add([Passage("a", "quiet hotel", source="s"), Passage("b", "bar", source="s")])
        index.backfill()
        index.add([Passage("a", "quiet hotel", source="s")], replace_sources=True)
        assert index.get(["a", "b"]) == [Passage("a", "quiet hotel", source="s")]
        assert [passage.id for passage in index.scroll()] == ["a"]
    reads, writes = (consistency, None), (None, ordering)
    for name in said:
        assert said[name] == {reads if name in READS else writes}, name
    assert {"retrieve", "scroll", "upsert", "delete"} <= said.keys()


@pytest.mark.parametrize(
    "settings",
    [
        {"consistency": "most"},
        {"consistency": True},
        {"ordering": "strict"},
    ],
)
def test_another_value_is_refused_before_anything_is_sent(wire_double, encoder, settings):
    with pytest.raises(ConfigurationError, match=f"{next(iter(settings))}= is "):
        PassageIndex.open("p", encoder, location=wire_double.url, **settings)
    assert not wire_double.requests


@pytest.mark.parametrize("settings", [{"consistency": 1}, {"ordering": "weak"}])
def test_the_embedded_engine_has_no_copies(encoder, settings):
    with pytest.raises(ConfigurationError, match="for a server"):
        PassageIndex.open("p", encoder, **settings)
