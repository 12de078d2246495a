"""A framework's model as a judge ranks as it does without the framework."""

from __future__ import annotations

import haystack_logic_retrievers as haystack_adapter
import langchain_logic_retrievers as langchain_adapter
import llama_index_logic_retrievers as llama_index_adapter
import pytest
from framework_models import (
    CHATTING,
    ORDERING,
    SCORING,
    Compressor,
    best_first,
    relevance,
    verdict,
)
from langchain_core.documents import Document
from llama_index.core.llms import MockLLM
from suites.contradicting_passages import contradicting_passages, contradiction_encoder
from suites.hashed_encoder import HashedEncoder
from suites.sample_passages import EXCLUDING, PLAIN, hotel_passages

from logic_retrievers import (
    ChatJudge,
    ContradictionFilter,
    Engine,
    JudgeSettings,
    PassageIndex,
)
from logic_retrievers.adapters.framework_judges import scores_in_order
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning

QUERIES = (PLAIN, EXCLUDING)
K = 6


def named(models):
    """Parametrize over models, with readable names."""
    ids = [f"{adapter.__name__.partition('_logic')[0]} {kind}" for adapter, kind in models]
    cases = [(adapter, make) for (adapter, _), make in models.items()]
    return pytest.mark.parametrize(("adapter", "make"), cases, ids=ids)


@pytest.fixture
def index():
    with PassageIndex.open("hotels", HashedEncoder()) as index:
        index.add(hotel_passages())
        yield index


def retrieve(adapter, index, query, **settings):
    """Return (text, score) of what a framework's retriever finds."""
    if adapter is langchain_adapter:
        made = adapter.ConstraintRetriever(index=index, k=K, **settings)
        return [(d.page_content, d.metadata["relevance_score"]) for d in made.invoke(query)]
    if adapter is llama_index_adapter:
        made = adapter.ConstraintRetriever(index, similarity_top_k=K, **settings)
        return [(node.text, node.score) for node in made.retrieve(query)]
    store = adapter.LogicDocumentStore(index=index)
    made = adapter.ConstraintRetriever(store, top_k=K, **settings)
    return [(one.content, one.score) for one in made.run(query)["documents"]]


def search(index, query, **settings):
    return [(hit.passage.text, hit.score) for hit in Engine(index, **settings).search(query, K)]


def by_relevance(pairs):
    return [relevance(query, text) for text, query in pairs]


def by_rank(pairs):
    """Score texts of one query: 0 for the best, -1 for the next."""
    texts = best_first(pairs[0][1], list(dict.fromkeys(text for text, _ in pairs)))
    return [-texts.index(text) for text, _ in pairs]


@named(SCORING)
def test_a_reranker_orders_the_same_in_every_framework(index, adapter, make):
    """A lost score, or a limit of three documents, leaves an order that looks right."""
    calls = []
    judge = adapter.as_judge(make(calls))
    for query in QUERIES:
        core = JudgeSettings(by_relevance, ask="query", max_words=250)
        expected = search(index, query, reranker=core)
        assert expected != search(index, query)
        assert retrieve(adapter, index, query, reranker=judge) == expected
        ((asked, texts),) = calls  # one call of the framework
        assert asked == query
        assert len(set(texts)) == len(texts) == len({p.text for p in hotel_passages()})
        calls.clear()


@named(ORDERING)
def test_an_order_without_scores_counts(index, adapter, make):
    """Many rerankers of frameworks return documents in order, and no score."""
    judge = adapter.as_judge(make([]))
    for query in QUERIES:
        expected = search(index, query, reranker=JudgeSettings(by_rank, ask="query"))
        assert retrieve(adapter, index, query, reranker=judge) == expected
    first = [text for text, _ in retrieve(adapter, index, PLAIN, reranker=judge)]
    assert first == best_first(PLAIN, [text for text, _ in search(index, PLAIN, reranker=judge)])


@named(CHATTING)
def test_a_chat_model_judges_the_same_in_every_framework(index, adapter, make, tmp_path):
    """A role or a text that gets lost on the way changes the verdict."""
    turns = []

    def chat(conversation):
        turns.append(conversation)
        return verdict(conversation[-1][1])

    calls = []
    cached = {"cache": tmp_path / "answers.sqlite", "model": "small"}
    judge, core = adapter.as_judge(make(calls), **cached), ChatJudge(chat)
    expected = search(index, EXCLUDING, judge=core)
    assert expected != search(index, EXCLUDING, judge=None)
    assert retrieve(adapter, index, EXCLUDING, judge=judge) == expected
    assert len(calls) == len(turns) > 1
    assert retrieve(adapter, index, EXCLUDING, judge=judge) == expected
    assert len(calls) == len(turns)  # answers are kept under the model's name
    assert all(text in "".join(map(str, calls)) for text, _ in expected[:3])


@named(CHATTING)
def test_a_chat_model_compares_passages(adapter, make):
    """A filter must not fall back on its vectors."""
    passages, calls = contradicting_passages(), []
    settings = {"encoder": contradiction_encoder(), "resolution": "drop_both"}
    made = adapter.ContradictionFilter(judge=adapter.as_judge(make(calls)), **settings)
    core = ContradictionFilter(judge=ChatJudge(lambda turns: "Yes"), **settings)
    expected = [hit.passage.text for hit in core.filter(passages).hits]
    if adapter is langchain_adapter:
        documents = [Document(one.text, id=one.id, metadata=dict(one.metadata)) for one in passages]
        found = [one.page_content for one in made.compress_documents(documents, "")]
    elif adapter is llama_index_adapter:
        from llama_index.core.schema import NodeWithScore, TextNode

        nodes = [
            NodeWithScore(node=TextNode(id_=one.id, text=one.text, metadata=dict(one.metadata)))
            for one in passages
        ]
        found = [node.text for node in made.postprocess_nodes(nodes)]
    else:
        from haystack import Document as HaystackDocument

        given = [
            HaystackDocument(id=one.id, content=one.text, meta=dict(one.metadata))
            for one in passages
        ]
        found = [one.content for one in made.run(given)["documents"]]
    assert found == expected
    assert calls


@pytest.mark.parametrize(
    ("returned", "scores"),
    [
        ([(1, 0.5), (0, 0.25)], [0.25, 0.5]),
        ([(2, 9.0), (0, 5.0)], [5.0, 1.0, 9.0]),
        ([(1, 3.0)], [2.0, 3.0]),
        ([(1, 0.0), (0, 0.0)], [0.0, 0.0, -1.0]),
        ([(1, None), (2, None)], [-2.0, 0.0, -1.0]),
        ([(1, 7.0), (0, None)], [-1.0, 0.0]),
        ([], [None, None]),
        ([(0, None), (1, None)], [None, None]),  # as given: it may have failed
    ],
    ids=str,
)
def test_what_a_reranker_leaves_out_ranks_below_the_others(returned, scores):
    """Without an answer it would keep the policy's score, and may rank above them."""
    assert scores_in_order(returned, len(scores)) == scores


def test_a_threshold_of_a_reranker_ranks_below(index):
    """A document under FlashrankRerank's ``score_threshold`` is one that it found irrelevant."""
    judge = langchain_adapter.as_judge(Compressor(calls=[], least=0.3))
    found = [text for text, _ in retrieve(langchain_adapter, index, PLAIN, reranker=judge)]
    kept = [text for text in found if relevance(PLAIN, text) >= 0.3]
    assert found[: len(kept)] == best_first(PLAIN, kept)
    assert 1 < len(kept) < K


class Broken(Compressor):
    """Fails on one query; changes the text of another's documents."""

    def compress_documents(self, documents, query, callbacks=None):
        if query == PLAIN:
            raise RuntimeError("key-12345")
        if query == EXCLUDING:
            return [Document(documents[0].page_content.upper())]
        return super().compress_documents(documents, query)


@pytest.mark.parametrize(("query", "told"), [(PLAIN, "RuntimeError"), (EXCLUDING, "changed")])
def test_a_model_that_fails_changes_nothing(index, query, told):
    """An order that got lost in silence is worse than none."""
    judge = langchain_adapter.as_judge(Broken(calls=[]))
    with pytest.warns(PairJudgeWarning, match=told) as warnings:
        found = retrieve(langchain_adapter, index, query, reranker=judge)
    assert [text for text, _ in found] == [text for text, _ in search(index, query)]
    assert "key-12345" not in str(warnings[0].message)
    answers = judge([("a hotel", query), ("a hotel", "hotel")])
    assert list(answers) == [None, relevance("hotel", "a hotel")]


def test_what_cannot_judge_is_refused(index):
    """A model of the wrong kind must not wait for the first query."""
    for adapter in (langchain_adapter, llama_index_adapter, haystack_adapter):
        with pytest.raises(ConfigurationError, match="as_judge takes"):
            adapter.as_judge(3)
    with pytest.raises(ConfigurationError, match="as_judge takes"):
        langchain_adapter.as_judge(langchain_adapter.ConstraintRetriever(index=index))
    for (adapter, _), make in SCORING.items():
        with pytest.raises(ConfigurationError, match="budget"):
            adapter.as_judge(make([]), budget=3)
        judge = adapter.as_judge(make([]))
        with pytest.raises(ValueError, match="contradict each other"):
            adapter.ContradictionFilter(judge=judge)
        assert repr(judge).startswith("as_judge(")
    with pytest.raises(ConfigurationError, match="cache"):
        llama_index_adapter.as_judge(MockLLM(), cache="answers.sqlite")  # has no name
