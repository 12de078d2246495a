"""``params``: what is sent in the search of candidates, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import qdrant_edge as edge
from qdrant_client import models

from logic_retrievers import Engine, Passage
from logic_retrievers.errors import ConfigurationError, StrictModeWarning
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import translation
from logic_retrievers.index.search_params import check_params

TEXTS = ["quiet hotel by the river", "quiet garden", "noisy hostel", "warm pool, quiet"]
EXACT = models.SearchParams(exact=True)
RESCORE = models.QuantizationSearchParams(rescore=True)


@pytest.fixture
def sent(wire_double, monkeypatch):
    """The parameters of every search that reaches the server."""
    params = []
    run = wire_double._store.run

    def noting(call):
        if call.endpoint == "points/query/batch":
            params.extend(search.params for search in call.body.searches)
        return run(call)

    monkeypatch.setattr(wire_double._store, "run", noting)
    return params


@pytest.fixture
def engine(wire_settings, encoder):
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        index.add([Passage(text, text) for text in TEXTS])
        yield Engine(index, "hybrid")


def plain(params):
    return params.model_dump(exclude_none=True, exclude_defaults=True)


@pytest.mark.parametrize(
    ("params", "first"),
    [
        (None, {"quantization": {"rescore": True}}),
        ({"hnsw_ef": 64}, {"hnsw_ef": 64, "quantization": {"rescore": True}}),
        (
            models.SearchParams(indexed_only=True, quantization={"oversampling": 3.0}),
            {"indexed_only": True, "quantization": {"rescore": True, "oversampling": 3.0}},
        ),
        (
            {"acorn": {"enable": True, "max_selectivity": 0.3}, "exact": False},
            {
                "acorn": {"enable": True, "max_selectivity": 0.3},
                "quantization": {"rescore": True},
            },
        ),
    ],
)
def test_set_fields_replace_those_of_the_candidate_search_alone(engine, sent, params, first):
    """A user's trade of recall for speed must not change the scores that are compared."""
    hits = engine.search("quiet hotel", 3, params=params, filter={"a": {"not": 1}})
    assert [plain(each) for each in sent[:2]] == [first, first]
    assert [plain(each) for each in sent[2:]] == [{"exact": True}]
    assert hits == engine.search("quiet hotel", 3, filter={"a": {"not": 1}})


def test_acorn_is_not_sent_unasked(engine, sent):
    """It takes several times as long, and a server before 1.16 does not know it."""
    engine.search("quiet hotel", 3, filter={"a": {"not": 1}})
    assert all(each.acorn is None for each in sent)


def test_scores_that_are_not_exact_are_asked_for_again(engine, sent):
    """Approximate scores of some candidates must not be compared with exact ones of others."""
    given = {"quantization": {"rescore": False}}
    hits = engine.search("quiet hotel", 3, params=given)
    approximate, exact = sent[:2], sent[2:]
    assert [plain(each) for each in approximate] == [{"quantization": {"rescore": False}}] * 2
    assert [plain(each) for each in exact] == [{"exact": True}] * 2
    assert hits == engine.search("quiet hotel", 3)


def test_strict_mode_reduces_the_parameters(wire_settings, encoder, sent):
    """A server refuses a search beyond its limits."""
    limits = models.StrictModeConfig(
        enabled=True, search_allow_exact=False, search_max_hnsw_ef=100, search_max_oversampling=2.0
    )
    options = {"strict_mode_config": limits}
    with PassageIndex.open("p", encoder, **wire_settings, collection_options=options) as index:
        index.add([Passage(text, text) for text in TEXTS])
        given = {"exact": True, "hnsw_ef": 500, "quantization": {"oversampling": 4.0}}
        with pytest.warns(StrictModeWarning, match="hnsw_ef"):
            hits = Engine(index, "topical").search("quiet hotel", 2, params=given)
    assert len(hits) == 2
    assert plain(sent[0]) == {
        "hnsw_ef": 100,
        "quantization": {"rescore": True, "oversampling": 2.0},
    }


def test_the_embedded_engine_gets_them():
    """An option that is dropped on the way looks as if it had no effect."""
    given = check_params(
        {
            "hnsw_ef": 7,
            "exact": True,
            "indexed_only": True,
            "quantization": {"oversampling": 4.0, "ignore": True},
            "acorn": {"enable": True, "max_selectivity": 0.25},
        }
    )
    query = models.NearestQuery(nearest=[1.0])
    asked = models.QueryRequest(query=query, using="a", limit=3, params=given)
    [translated] = translation.to_queries([asked])
    params = translated.params
    assert isinstance(params, edge.SearchParams)
    assert (params.hnsw_ef, params.exact, params.indexed_only) == (7, True, True)
    assert (params.quantization.oversampling, params.quantization.ignore) == (4.0, True)
    assert (params.acorn.enable, params.acorn.max_selectivity) == (True, 0.25)


def test_the_embedded_engine_searches_with_them(encoder, make_passages):
    """All parameters together must give the exact hits where there is no HNSW index."""
    with PassageIndex.open("p", encoder) as index:
        index.add(make_passages(40))
        engine = Engine(index, "union")
        given = {"hnsw_ef": 8, "exact": True, "acorn": {"enable": True}}
        hits = engine.search("quiet hotel", params=given)
        assert hits == engine.search("quiet hotel")
        assert np.isfinite([hit.score for hit in hits]).all()


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"ef": 64}, "'ef'"),
        ({"quantisation": {}}, "quantisation"),
        ({"quantization": {"rescor": True}}, "rescor"),
        ({"hnsw_ef": "64"}, "hnsw_ef"),
        ({"hnsw_ef": 0}, "hnsw_ef"),
        ({"hnsw_ef": True}, "hnsw_ef"),
        ({"exact": 1}, "exact"),
        ({"acorn": True}, "acorn"),
        ({"acorn": {"enable": True, "max_selectivity": 2.0}}, "max_selectivity"),
        ({"quantization": {"oversampling": 0.5}}, "oversampling"),
        ({"idf": "global"}, "idf"),
        (7, "SearchParams"),
    ],
)
def test_unknown_fields_and_wrong_values_are_refused(params, word):
    with pytest.raises(ConfigurationError, match=word):
        check_params(params)
