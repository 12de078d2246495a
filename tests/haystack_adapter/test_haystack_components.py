"""Retriever, ranker and filter: settings, files and closing; other suites test the results."""

from __future__ import annotations

from copy import deepcopy

import pytest
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import FilterPolicy
from haystack_logic_retrievers import (
    CompatibilityRanker,
    ConstraintRetriever,
    ContradictionFilter,
    LogicDocumentStore,
)

from logic_retrievers import (
    AutoPolicy,
    BooleanPolicy,
    ConstraintSettings,
    ContradictionSettings,
    FunctionEncoder,
    SequentialPolicy,
)
from logic_retrievers.conflicts.resolution_strategies import PreferNewest
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import (
    BundleNotFoundError,
    ConfigurationError,
    InputError,
)
from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies import BooleanSettings
from logic_retrievers.queries import ParsedQuery

STARS = {"field": "meta.stars", "operator": ">=", "value": 2}
NAMES = {"field": "meta.name", "operator": "in", "value": ["spa", "inn"]}


def ids(output):
    return [document.id for document in output["documents"]]


def saved_again(component):
    """Return ``to_dict`` of a component rebuilt from its own ``to_dict``."""
    before = component.to_dict()
    untouched = deepcopy(before)
    again = type(component).from_dict(before)
    assert before == untouched
    assert again.to_dict() == before
    return again


def test_filters_replace_or_merge(store, query):
    """A user's filter must not replace the one that limits what the user may see."""
    replaced = ConstraintRetriever(store, filters=STARS)
    assert set(ids(replaced.run(query))) == {"disco", "farm"}
    assert set(ids(replaced.run(query, filters=NAMES))) == {"spa", "inn"}
    merged = ConstraintRetriever(store, filters=STARS, filter_policy=FilterPolicy.MERGE)
    assert ids(merged.run(query, filters=NAMES)) == []


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (ConstraintRetriever, {"document_store": InMemoryDocumentStore()}, "LogicDocumentStore"),
        (ConstraintRetriever, {"filters": {"stars": 3}}, "'field': 'meta.year'"),
        (CompatibilityRanker, {"document_store": 3}, "LogicDocumentStore"),
        (CompatibilityRanker, {"encoder": 3}, "Encoder"),
        (ContradictionFilter, {"thresold": 0.5}, "thresold"),
        (ContradictionFilter, {"judge": 3}, "judge"),
        (ContradictionFilter, {"trusted": ["x"]}, "Document"),
        (ContradictionFilter, {"trusted_filters": {"a": 1}}, "'field'"),
    ],
)
def test_components_that_cannot_work_are_refused(store, kind, settings, words):
    """Otherwise the pipeline's first run fails."""
    with pytest.raises((ConfigurationError, InputError), match=words):
        kind(**{"document_store": store, **settings})


def test_what_is_no_document_is_refused():
    """An internal error names nothing that the user wrote."""
    for component in (CompatibilityRanker(), ContradictionFilter()):
        query = {"query": "x"} if isinstance(component, CompatibilityRanker) else {}
        for wrong in (["x"], "x", None):
            with pytest.raises(InputError, match="Document"):
                component.run(documents=wrong, **query)


POLICIES = [
    "auto",
    AutoPolicy(
        settings=ConstraintSettings(penalty=0.5), fields={"city": ["Oslo"], "stars": {1, 2}}
    ),
    BooleanPolicy(settings=BooleanSettings(penalty=0.5)),
    SequentialPolicy(backfill=False),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_retriever_is_the_same_after_it_was_saved(tmp_path, policy):
    """A setting lost in the file returns to its default unnoticed."""
    retriever = ConstraintRetriever(
        LogicDocumentStore("stays", tmp_path, lexical=False),
        filters=STARS,
        top_k=3,
        policy=policy,
        score_threshold=0.25,
        exclude=["bars"],
        hard=True,
        judge=JudgeSettings(candidates=5),
        reranker=JudgeSettings(ask="parts"),
        filter_policy=FilterPolicy.MERGE,
    )
    again = saved_again(retriever)
    for name in set(vars(ConstraintRetriever(LogicDocumentStore()))) - {"document_store"}:
        if not name.startswith("__haystack"):
            assert getattr(again, name) == getattr(retriever, name), name
    assert again.document_store.to_dict() == retriever.document_store.to_dict()
    worded = ConstraintRetriever(LogicDocumentStore(), query_syntax="expression", judge=None)
    assert saved_again(worded).query_syntax == "expression"
    assert saved_again(worded).judge is None


def test_a_ranker_and_a_filter_are_the_same_after_they_were_saved(tmp_path):
    """A setting lost in the file returns to its default unnoticed."""
    store = LogicDocumentStore("stays", tmp_path)
    ranker = CompatibilityRanker(policy=AutoPolicy(base="hybrid"), top_k=2, document_store=store)
    assert saved_again(ranker).policy == ranker.policy
    contradictions = ContradictionFilter(
        resolution=PreferNewest("on"),
        top_k=2,
        trusted=[Document(id="t", content="Trusted.", meta={"content": "x"})],
        trusted_filters=STARS,
        document_store=store,
        settings=ContradictionSettings(threshold=0.9),
        source_order=("a", "b"),
        judge="auto",
        against_trusted="annotate",
    )
    again = saved_again(contradictions)
    assert again.resolution == contradictions.resolution
    assert again.trusted == contradictions.trusted
    assert again.options["settings"] == contradictions.options["settings"]
    assert again.options["judge"] == "auto"


class Shouting:
    """A user's parser."""

    def parse(self, text):
        return ParsedQuery(text.upper())


def test_what_a_file_cannot_hold_is_refused_when_it_is_saved(store):
    """A loaded pipeline must follow the rules that it was saved with."""
    other = FunctionEncoder(lambda texts: [[1.0]] * len(texts), identity="x")
    saved = LogicDocumentStore()

    def judge(pairs):
        return []

    for component, word in (
        (ConstraintRetriever(store := LogicDocumentStore(encoder=other)), "encoder"),
        (ConstraintRetriever(saved, judge=judge), "judge"),
        (ConstraintRetriever(saved, judge=JudgeSettings(judge=judge)), "judge"),
        (
            ConstraintRetriever(saved, policy=AutoPolicy(parser=Shouting())),
            "policy",
        ),
        (CompatibilityRanker(encoder=other), "encoder"),
        (CompatibilityRanker(document_store=store), "encoder"),
        (ContradictionFilter(encoder=other), "encoder"),
        (ContradictionFilter(judge=judge), "judge"),
        (ContradictionFilter(resolution=max), "resolution"),
    ):
        with pytest.raises(ConfigurationError, match=f"{word}="):
            component.to_dict()


def test_loading_makes_nothing(tmp_path):
    """Showing a pipeline in an editor must load no model and create no folder."""
    place = tmp_path / "new"
    store = LogicDocumentStore(location=place)
    for component in (
        ConstraintRetriever(store),
        CompatibilityRanker(document_store=store),
        ContradictionFilter(document_store=store),
    ):
        saved_again(component)
        assert not place.exists()
    component.warm_up()
    assert place.exists()
    component.close()


async def test_components_open_and_close_their_store(tmp_path, query):
    """A pipeline must close what it opens, or the next process finds the folder locked."""
    for kind in (ConstraintRetriever, CompatibilityRanker, ContradictionFilter):
        store = LogicDocumentStore(location=tmp_path)
        component = kind(document_store=store)
        component.warm_up()
        component.close()
        await component.warm_up_async()
        await component.close_async()
        assert store._opened is None
        if kind is ConstraintRetriever:
            assert (await component.run_async(query))["documents"] == []
            component.close()
    for kind in (CompatibilityRanker, ContradictionFilter):
        kind().close()
        await kind().close_async()


def test_dropped_documents_come_out_with_the_reason():
    """Users must be able to find out why a document is missing."""
    old = Document(id="old", content="Parental leave is not paid.", meta={"date": "2021-03-01"})
    new = Document(
        id="new",
        content="Parental leave is paid in full for twelve weeks.",
        meta={"date": "2024-06-01"},
    )
    output = ContradictionFilter(resolution="prefer_newest").run([old, new])
    assert ids(output) == ["new"]
    (dropped,) = output["dropped"]
    assert dropped.id == "old"
    assert "'new' is newer" in dropped.meta["logic"]["contradiction"]["reason"]
    assert "logic" not in old.meta


def test_a_bundle_is_named_by_its_folder(tmp_path, documents, query):
    """The named bundle must be used, not a different one's vectors."""
    folder = str(default_encoder().bundle.path)
    store = LogicDocumentStore(location=tmp_path, bundle=folder)
    assert saved_again(store).bundle == folder
    encoder = store.index.encoder
    assert encoder is not default_encoder()
    assert encoder is LogicDocumentStore(bundle=folder).index.encoder  # one object per process
    store.close()
    ranker = CompatibilityRanker(bundle=folder, top_k=3)
    assert ids(saved_again(ranker).run(query, documents)) == ids(ranker.run(query, documents))
    for kind in (CompatibilityRanker, ContradictionFilter):
        missing = kind(bundle=str(tmp_path / "missing"))
        with pytest.raises(BundleNotFoundError):
            missing.warm_up()
