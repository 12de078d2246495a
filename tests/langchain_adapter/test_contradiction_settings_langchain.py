"""ContradictionFilter: its settings, as they are set, changed, written down and refused."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy

import pytest
from contradicting_documents import (
    COPPER,
    DOCUMENTS,
    OPEN,
    SHUT,
    contradictions,
)
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_corpus import ids
from naming import stable
from placed import SETTINGS, PlacedEncoder
from pydantic import ValidationError

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.contradiction.resolution_strategies import PreferSource

LAW = Document("inn | shut | c", id="law")


def test_settings_that_change_later_are_heard():
    """A core that is kept answers by the settings that it was made of."""
    made = contradictions()
    assert len(made.filter(DOCUMENTS).dropped) == 0
    other = made.model_copy(update={"resolution": "drop_both"})
    assert len(other.filter(DOCUMENTS).dropped) == 4
    made.resolution = "prefer_newest"
    assert len(made.filter(DOCUMENTS).dropped) == 3
    made.threshold = 0.9999
    assert len(made.filter(DOCUMENTS).dropped) == 0
    made.top_n = 2
    assert len(made.filter(DOCUMENTS).hits) == 2
    trusted = Document("inn | shut | c", id="law")
    judged = contradictions(trusted=[trusted])
    assert len(judged.filter(DOCUMENTS).dropped) == 2
    trusted.page_content = "inn | open | c"
    assert [hit.passage.id for hit in judged.filter(DOCUMENTS).dropped] == [SHUT]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"resolution": "unknown"}, "unknown resolution 'unknown'; one of annotate"),
        ({"resolution": "prefer_source"}, "source_order"),
        ({"top_n": 0}, "at least 1"),
        ({"top_n": "3"}, "whole number"),
        ({"threshold": 2}, "threshold must be"),
        ({"judge_above": 2}, "judge_above"),
        ({"trusted": ["law"]}, "trusted"),
        ({"trusted_filter": {}}, "trust every passage"),
        ({"trusted_filter": {"city": []}}, "empty list"),
        ({"trusted_candidates": -1}, "trusted_candidates"),
        ({"trusted_candidates": "3"}, "trusted_candidates"),
        ({"against_trusted": "keep"}, "'drop' or 'annotate'"),
        ({"edited_copies": "no"}, "edited_copies"),
        ({"date_key": ""}, "date_key"),
        ({"source_order": "law"}, "source_order"),
        ({"settings": {"alpha": -1.0}}, "alpha"),
        ({"judge": 0.5}, "callable"),
        ({"encoder": "all-minilm"}, "Encoder"),
        ({"encoder": PlacedEncoder(["topical"])}, "no 'contradiction'"),
        ({"index": "handbook"}, "PassageIndex"),
        ({"k": 3}, "k"),
    ],
    ids=stable,
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match=words):
        contradictions(**settings)


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold gives stale results."""
    made = contradictions(
        resolution=PreferSource(("law", "inn")), settings=SETTINGS, threshold=0.7, trusted=[LAW]
    )
    dumped = json.loads(made.model_dump_json())
    assert dumped["resolution"] == {
        "name": "prefer_source",
        "order": ["law", "inn"],
        "key": "source",
    }
    assert dumped["settings"]["alpha"] == 2.0
    assert dumped["trusted"][0]["page_content"] == "inn | shut | c"
    again = contradictions(**contradictions(threshold=0.7, trusted=[LAW], top_n=2).model_dump())
    assert again.trusted == (LAW,)
    assert (again.threshold, again.top_n) == (0.7, 2)
    functions = contradictions(resolution=max, trusted_filter=bool).model_dump(mode="json")
    assert functions["resolution"] == {"function": "builtins.max"}
    assert functions["trusted_filter"] == "builtins.bool"
    assert contradictions().model_dump() == {
        "resolution": "annotate",
        "top_n": None,
        "threshold": None,
        "settings": None,
        "trusted": (),
        "trusted_filter": None,
        "trusted_candidates": 10,
        "against_trusted": "drop",
        "date_key": "date",
        "source_key": "source",
        "source_order": (),
        "judge": None,
        "judge_above": None,
        "drop_above": None,
        "edited_copies": False,
    }


def test_neither_texts_nor_models_are_told():
    """A trace writes down the repr of every part of a chain."""

    class Model:
        key = "very-secret-key"

        def __repr__(self):
            return f"Model({self.key})"

        def opinion(self, pairs):
            return [None] * len(pairs)

    made = contradictions(trusted=[LAW], judge=Model().opinion)
    told = repr(made) + str(made) + dumps(made)
    assert "resolution='annotate'" in told
    for hidden in ("very-secret-key", LAW.page_content, "PlacedEncoder"):
        assert hidden not in told
    assert "very-secret-key" not in repr(made.model_dump())


def test_it_travels_to_another_process():
    """A worker gets its filter pickled; the kept core, with its vectors, stays here."""
    made = contradictions(resolution="drop_both", trusted=[LAW], settings=SETTINGS)
    expected = made.filter(DOCUMENTS)
    for again in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert again.filter(DOCUMENTS) == expected
    assert len(pickle.dumps(made)) < 10_000


def test_an_index_whose_collection_lacks_the_vector():
    """What is stored without it can be judged all the same."""
    with PassageIndex.open(encoder=PlacedEncoder()) as index:
        assert index.vectors == ("topical", "lexical")
        index.add([Passage(document.id, document.page_content) for document in DOCUMENTS])
        made = contradictions(encoder=None, index=index, resolution="drop_both")
        assert ids(made.compress_documents(DOCUMENTS, "inns")) == [OPEN, COPPER]
