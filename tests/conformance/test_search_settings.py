"""Declared fields, and each option of a search, reach the engine through every framework."""

from __future__ import annotations

import json
from datetime import date

import haystack_logic_retrievers as haystack
import langchain_logic_retrievers as langchain
import llama_index_logic_retrievers as llama_index
import pytest
from haystack import Document as HaystackDocument
from haystack import Pipeline
from langchain_core.documents import Document
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery
from pydantic import ValidationError
from suites import HashedEncoder

from logic_retrievers import Engine, Number, Passage, PassageIndex, SearchOptions, Year
from logic_retrievers.adapters.settings import (
    SearchSettings,
    SearchSettingsOptions,
    describe_settings,
)
from logic_retrievers.errors import ConfigurationError

FIELDS = {"price": Number(unit=["EUR", "euros"]), "built": Year(), "town": ("Oslo", "Bergen")}
VALIDITY = ("since", "until")
QUERY = "a hotel under 200 euros"
ROWS = [
    Passage(
        f"h{number}",
        f"Hotel number {number} by the sea",
        metadata={
            "price": 40 * number,
            "built": 2018 + number,
            "since": f"{2018 + number}-01-01",
            "until": None if number % 3 else f"{2021 + number}-01-01",
            "chain": f"c{number % 3}",
        },
    )
    for number in range(9)
]


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("settings", HashedEncoder()) as index:
        index.add(ROWS)
        yield index


def of_langchain(index, **settings):
    retriever = langchain.ConstraintRetriever(index=index, k=5, judge=None, **settings)
    return lambda query, **call: [found.id for found in retriever.invoke(query, **call)]


def of_llama_index(index, **settings):
    retriever = llama_index.ConstraintRetriever(index, similarity_top_k=5, judge=None, **settings)
    return lambda query, **call: [each.node.node_id for each in retriever.retrieve(query, **call)]


def of_haystack(index, **settings):
    store = haystack.LogicDocumentStore(index=index)
    retriever = haystack.ConstraintRetriever(store, top_k=5, judge=None, **settings)
    pipeline = Pipeline()  # which passes on only what has an input socket
    pipeline.add_component("retriever", retriever)

    def search(query, **call):
        told = pipeline.run({"retriever": {"query": query, **call}})
        return [found.id for found in told["retriever"]["documents"]]

    return search


frameworks = pytest.mark.parametrize("make", [of_langchain, of_llama_index, of_haystack])
REFUSED = (ConfigurationError, ValidationError)

CASES = [
    (QUERY, {"fields": FIELDS}, {}),
    ("a hotel built last year", {"fields": FIELDS}, {"now": date(2021, 5, 1)}),
    ("a hotel built last year", {"fields": FIELDS}, {"now": "2023-05-01"}),
    ("a hotel under 0 euros", {"fields": FIELDS}, {"strict_fields": True}),
    ("a hotel", {"validity": VALIDITY}, {}),
    ("a hotel", {"validity": VALIDITY}, {"as_of": "2022-06"}),
    ("a hotel", {"validity": VALIDITY}, {"as_of": date(2019, 6, 1)}),
    ("a hotel", {}, {"group_by": "chain"}),
    ("a hotel", {}, {"group_by": "chain", "per_group": 2}),
    ("a hotel", {}, {"offset": 3}),
    ("a hotel", {}, {"params": {"exact": True}}),
]


@frameworks
@pytest.mark.parametrize(("query", "engine", "options"), CASES)
@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.EmptyFilterWarning")
def test_an_option_reaches_the_engine(index, make, query, engine, options):
    """An option that a framework drops would silently answer another question."""
    core = Engine(index, judge=None, **engine).search(query, 5, **options)
    wanted = [hit.passage.id for hit in core]
    plain = [hit.passage.id for hit in Engine(index, judge=None).search(query, 5)]
    assert wanted != plain or "params" in options
    assert make(index, **engine, **options)(query) == wanted
    assert make(index, **engine)(query, **options) == wanted
    assert make(index)(query, **engine, **options) == wanted


@frameworks
def test_search_parameters_reach_the_index(index, make, monkeypatch):
    """Hits do not tell whether HNSW was left out, so the search itself is watched."""
    seen, search = [], Engine._search
    monkeypatch.setattr(
        Engine, "_search", lambda *a: seen.append(a[-1].get("params")) or search(*a)
    )
    make(index, params={"exact": True})("a hotel")
    make(index)("a hotel", params={"hnsw_ef": 7})
    assert seen == [{"exact": True}, {"hnsw_ef": 7}]


@frameworks
def test_another_policy_of_a_call_reads_no_fields(index, make):
    """A call may name any policy, though the retriever declares fields for ``auto``."""
    wanted = [hit.passage.id for hit in Engine(index, "topical").search(QUERY, 5)]
    assert make(index, fields=FIELDS)(QUERY, policy="topical") == wanted


@frameworks
@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"fields": FIELDS, "policy": "topical"}, "auto"),
        ({"fields": {"price": "cheap"}}, "declares"),
        ({"validity": "since"}, "two"),
        ({"as_of": "2024"}, "validity"),
        ({"validity": VALIDITY, "as_of": "soon"}, "as_of"),
        ({"now": "tomorrow"}, "now"),
        ({"strict_fields": "yes"}, "strict_fields"),
        ({"per_group": 2}, "group_by"),
        ({"offset": -1}, "offset"),
        ({"params": {"ef": 3}}, "params"),
    ],
)
def test_a_wrong_setting_fails_where_the_retriever_is_made(index, make, settings, word):
    """A retriever that fails at its first query fails in production."""
    with pytest.raises(REFUSED, match=word):
        make(index, **settings)


def test_saved_settings_give_the_same_retriever(index, tmp_path):
    """A loaded pipeline without its fields would silently filter nothing."""
    given = {
        "fields": FIELDS,
        "validity": VALIDITY,
        "now": date(2024, 5, 1),
        "as_of": date(2022, 6, 1),
        "group_by": "chain",
        "params": {"exact": True},
    }
    retriever = langchain.ConstraintRetriever(index=index, **given)
    dumped = json.loads(retriever.model_dump_json())
    names = SearchSettings.model_fields
    saved = {name: dumped[name] for name in names}
    again = langchain.ConstraintRetriever(index=index, **saved)
    assert again.fields == retriever.fields == FIELDS
    assert json.loads(again.model_dump_json()) == dumped
    of_llama = llama_index.ConstraintRetriever(index, **saved)
    assert describe_settings(SearchSettings, of_llama) == saved
    reranker = llama_index.CompatibilityReranker(encoder=HashedEncoder(), fields=FIELDS)
    values = json.loads(json.dumps(reranker.to_dict()))
    assert llama_index.CompatibilityReranker(fields=values["fields"]).fields == FIELDS

    store = haystack.LogicDocumentStore("saved", tmp_path)
    pipeline = Pipeline()
    pipeline.add_component("retriever", haystack.ConstraintRetriever(store, **given))
    pipeline.add_component("ranker", haystack.CompatibilityRanker(fields=FIELDS, now="2024-05-01"))
    loaded = Pipeline.loads(pipeline.dumps())
    assert loaded.to_dict()["components"] == pipeline.to_dict()["components"]
    assert loaded.get_component("retriever").fields == FIELDS
    assert loaded.get_component("ranker").fields == FIELDS
    assert describe_settings(SearchSettings, loaded.get_component("retriever")) == saved


def test_rerankers_filter_by_declared_fields(index):
    """A reranker that reads "under 200 euros" only as words keeps what costs more."""
    cheap = {row.id for row in ROWS if row.metadata["price"] < 200}
    of_2022 = {row.id for row in ROWS if row.metadata["built"] == 2022}
    settings = {"fields": FIELDS, "now": "2023-02-01", "judge": None}
    ranker = langchain.CompatibilityReranker(index=index, **settings)
    items = [Document(id=r.id, page_content=r.text, metadata=dict(r.metadata)) for r in ROWS]
    for query, wanted in ((QUERY, cheap), ("a hotel built last year", of_2022)):
        assert {one.id for one in ranker.compress_documents(items, query)} == wanted
        processor = llama_index.CompatibilityReranker(index=index, **settings)
        nodes = [
            NodeWithScore(node=TextNode(id_=r.id, text=r.text, metadata=dict(r.metadata)))
            for r in ROWS
        ]
        found = processor.postprocess_nodes(nodes, query_str=query)
        assert {one.node.node_id for one in found} == wanted
        store = haystack.LogicDocumentStore(index=index)
        component = haystack.CompatibilityRanker(document_store=store, **settings)
        documents = [HaystackDocument(id=r.id, content=r.text, meta=r.metadata) for r in ROWS]
        told = component.run(query, documents)["documents"]
        assert {one.id for one in told} == wanted


def test_stores_search_with_declared_fields_and_validity(index):
    """A store of one's own must read fields as its retriever does."""
    settings = {"fields": FIELDS, "validity": VALIDITY}
    hits = Engine(index, **settings).search(QUERY, 5, as_of="2022-06", offset=1)
    wanted = [hit.passage.id for hit in hits]
    options = {"as_of": "2022-06", "offset": 1}
    of_langchain = langchain.LogicVectorStore(index, **settings)
    found = of_langchain.similarity_search(QUERY, k=5, **options)
    assert [one.id for one in found] == wanted
    of_llama = llama_index.LogicVectorStore(index, **settings)
    asked = VectorStoreQuery(query_str=QUERY, similarity_top_k=5)
    assert of_llama.query(asked, **options).ids == wanted
    for store in (langchain.LogicVectorStore, llama_index.LogicVectorStore):
        with pytest.raises(ConfigurationError, match="auto"):
            store.open(policy="topical", fields=FIELDS)


def test_the_settings_are_those_of_the_core():
    """A new option of the engine must reach every framework."""
    own = {"fields", "validity"}
    named = {"policy", "filter", "min_score", "exclude", "hard"}
    assert SearchSettings.model_fields.keys() == SearchSettingsOptions.__annotations__.keys()
    assert SearchSettings.model_fields.keys() == own | (
        SearchOptions.__annotations__.keys() - named
    )
