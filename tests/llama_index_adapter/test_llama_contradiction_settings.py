"""ContradictionFilter: its settings, to JSON and back, in another process, and when they change."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import pytest
from contradicting_nodes import (
    AGAIN,
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    kept,
    opposed_store,
    retrieved_nodes,
)
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import ContradictionFilter
from naming import stable
from placed import SETTINGS, PlacedEncoder
from qdrant_client import models

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.contradiction.resolution_strategies import (
    Annotate,
    DropBoth,
    PreferMajority,
    PreferNewest,
    PreferSource,
    ResolutionStrategy,
    Ruling,
)
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    LogicRetrieversError,
    UnknownResolutionError,
)

LAW = TextNode(text="inn | shut | c", id_="law", metadata={"date": datetime(2024, 1, 2)})
NATIVE = models.Filter(
    must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))]
)
THEIRS = MetadataFilters(
    filters=[
        MetadataFilter(key="source", value="inn"),
        MetadataFilters(filters=[MetadataFilter(key="date", operator=FilterOperator.GT, value=1)]),
    ]
)


@dataclass(frozen=True)
class Longest(ResolutionStrategy):
    """A rule of the user's own."""

    margin: int = 3
    name: ClassVar[str] = "longest"

    def decide(self, one, other, graph):
        return Ruling("?")


class Later(PreferNewest):
    """One of the user's own under a name of ours."""


class Model:
    """A second opinion that holds a secret."""

    key = "very-secret-key"

    def __call__(self, pairs):
        return [0.0] * len(pairs)

    def __repr__(self):
        return f"Model({self.key})"


def second(one, other):
    return other


def nothing(pairs):
    return [None] * len(pairs)


def vouched(passage):
    return passage.metadata["source"] == "inn"


KINDS = [
    {},
    {"top_n": 3},
    {"threshold": 0.7},
    {"settings": SETTINGS},
    {"settings": SETTINGS.model_copy(update={"threshold": 0.7})},
    {"resolution": "drop_both"},
    {"resolution": PreferNewest("on")},
    {"resolution": PreferSource(("inn", "law"))},
    {"resolution": PreferSource(("law", "inn"), "by")},
    {"resolution": PreferMajority()},
    {"resolution": DropBoth()},
    {"resolution": Annotate()},
    {"trusted": [LAW]},
    {"trusted": [Passage("law", "inn | shut | c")]},
    {"trusted": [Passage("law", "inn | shut | d", source="x", embed_text="y")]},
    {"trusted_filter": {"source": "inn"}},
    {"trusted_filter": {"source": ["inn", "law"]}},
    {"trusted_filter": {"qdrant": "inn"}},
    {"trusted_filter": NATIVE},
    {"trusted_filter": THEIRS},
    {"trusted_filter": MetadataFilter(key="source", value="inn")},
    {"trusted_candidates": 3},
    {"against_trusted": "annotate"},
    {"date_key": "on"},
    {"source_key": "by"},
    {"source_order": ["inn"]},
    {"judge_above": 0.9},
    {"drop_above": 0.9},
    {"edited_copies": True},
]
OF_PYTHON = [
    {"resolution": second},
    {"resolution": Longest()},
    {"resolution": Longest(4)},
    {"resolution": Later()},
    {"trusted_filter": vouched},
    {"judge": Model()},
    {"judge": nothing},
]


def test_settings_tell_what_the_filter_does():
    """LlamaIndex's caches know a part by its settings: what is left out gives stale results."""
    described = [contradictions(**kind).to_json() for kind in (*KINDS, *OF_PYTHON)]
    assert len(set(described)) == len(described)
    plain = json.loads(described[0])
    assert plain == {
        "class_name": ContradictionFilter.class_name(),
        "resolution": "annotate",
        "top_n": None,
        "threshold": None,
        "settings": None,
        "trusted": [],
        "trusted_filter": None,
        "trusted_candidates": 10,
        "against_trusted": "drop",
        "date_key": "date",
        "source_key": "source",
        "source_order": [],
        "judge": None,
        "judge_above": None,
        "drop_above": None,
        "edited_copies": False,
    }


@pytest.mark.parametrize("kind", [*KINDS, *OF_PYTHON], ids=stable)
def test_settings_make_the_same_filter_or_none(kind):
    """LlamaIndex's way from a file: an object that is lost there would keep other nodes."""
    made = contradictions(**kind)
    try:
        again = ContradictionFilter.from_json(made.to_json(), encoder=PlacedEncoder())
    except LogicRetrieversError:
        assert any(name in kind for name in ("resolution", "settings", "trusted", "judge")) or (
            not isinstance(kind["trusted_filter"], dict)
        )
    else:
        assert again.to_dict() == made.to_dict()
        assert again.filter(retrieved_nodes()) == made.filter(retrieved_nodes())


def test_neither_texts_nor_models_are_told():
    """A trace writes down the repr of every part of a pipeline."""
    made = contradictions(trusted=[LAW], judge=Model())
    for hidden in ("very-secret-key", LAW.text, "PlacedEncoder"):
        assert hidden not in repr(made) + str(made)
    assert "resolution='annotate'" in repr(made)
    assert "very-secret-key" not in made.to_json()
    assert not {"encoder", "index"} & made.to_dict().keys()


@pytest.mark.parametrize("kind", [*KINDS, *OF_PYTHON], ids=stable)
def test_it_travels_to_another_process(kind):
    """LlamaIndex leaves out what cannot be pickled, and says so in a log."""
    made = contradictions(**kind)
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert again.filter(retrieved_nodes()) == made.filter(retrieved_nodes())


def test_what_cannot_travel_is_told():
    """A filter without its policy would arrive, and drop nothing."""
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(contradictions(lambda one, other: other))


# --- when they change


def test_settings_that_change_later_are_heard():
    """A core that is kept answers by the settings that it was made of."""
    given = retrieved_nodes()
    made = contradictions()
    assert kept(made.filter(given).dropped) == []
    made.resolution = "drop_both"
    assert kept(made.filter(given).dropped) == [TAX, SHUT, DUTY, AGAIN]
    made.resolution = "prefer_newest"
    assert kept(made.filter(given).dropped) == [OPEN, DUTY, AGAIN]
    made.threshold = 0.99999
    assert kept(made.filter(given).dropped) == []
    made.threshold, made.resolution, made.trusted = None, "annotate", [LAW]
    assert kept(made.filter(given).dropped) == [OPEN, AGAIN]
    made.top_n = 2
    assert len(made.filter(given).hits) == 2
    with opposed_store() as store:
        made.trusted, made.index, made.trusted_filter = (), store.index, {"source": "inn"}
        assert kept(made.filter(given[:2]).dropped) == [OPEN]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("resolution", "best"),
        ("threshold", 2.0),
        ("trusted", ["x"]),
        ("top_n", 0),
        ("date_key", ""),
    ],
)
def test_a_bad_value_is_refused_at_the_next_call(name, value):
    """Kept nodes that were judged by other settings than the present ones."""
    made = contradictions("prefer_newest", trusted=[LAW])
    setattr(made, name, value)
    with pytest.raises(LogicRetrieversError):
        made.filter(retrieved_nodes())


def test_what_was_vouched_for_stays():
    """A node that is edited later would vouch for what nobody has read."""
    trusted = deepcopy(LAW)
    made = contradictions(trusted=[trusted])
    trusted.set_content("inn | open | c")
    assert kept(made.filter(retrieved_nodes()).dropped) == [OPEN, AGAIN]


# --- refused


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (
            {"resolution": "unknown"},
            UnknownResolutionError,
            "unknown resolution 'unknown'; one of annotate",
        ),
        ({"resolution": 3}, ConfigurationError, "a resolution is a name"),
        ({"resolution": "prefer_source"}, ConfigurationError, "source_order"),
        ({"top_n": 0}, ConfigurationError, "top_n"),
        ({"top_n": "3"}, ConfigurationError, "top_n"),
        ({"threshold": 2.0}, ConfigurationError, "threshold must be"),
        ({"judge_above": 2}, ConfigurationError, "judge_above"),
        ({"trusted": ["law"]}, InputError, "A node is needed, not str"),
        ({"trusted_filter": {}}, ConfigurationError, "trust every passage"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust every"),
        (
            {"trusted_filter": MetadataFilter(key="a", operator=FilterOperator.IN, value=3)},
            InputError,
            "takes a list",
        ),
        ({"trusted_filter": {"city": []}}, InputError, "empty list"),
        ({"trusted_candidates": -1}, ConfigurationError, "trusted_candidates"),
        ({"against_trusted": "keep"}, ConfigurationError, "drop, annotate"),
        ({"date_key": ""}, ConfigurationError, "date_key"),
        ({"source_order": "law"}, ConfigurationError, "source_order"),
        ({"settings": {"alpha": 1.0}}, ConfigurationError, "ContradictionSettings"),
        ({"judge": 0.5}, ConfigurationError, "callable"),
        ({"encoder": PlacedEncoder(["topical"])}, ConfigurationError, "no 'contradiction'"),
        ({"k": 3}, ConfigurationError, "no setting 'k'"),
        ({"similarity_top_k": 3}, ConfigurationError, "no setting 'similarity_top_k'"),
    ],
    ids=stable,
)
def test_bad_settings_are_refused_when_they_are_set(settings, error, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(error, match=words):
        contradictions(**settings)


def test_an_index_whose_collection_lacks_the_vector():
    """What is stored without it can be judged all the same."""
    with PassageIndex.open(encoder=PlacedEncoder()) as index:
        assert index.vectors == ("topical", "lexical")
        index.add([Passage(result.node.node_id, result.node.text) for result in retrieved_nodes()])
        made = contradictions("drop_both", encoder=None, index=index)
        assert kept(made.filter(retrieved_nodes()).hits) == [OPEN, COPPER]
