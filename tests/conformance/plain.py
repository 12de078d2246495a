"""The smallest honest adapters: plain Python in place of a framework."""

from __future__ import annotations

import copy

from suites import (
    ContradictionFilterConformance,
    ContradictionRetrieverConformance,
    CorpusCleanerConformance,
    EmbeddingsConformance,
    ExpressionConformance,
    RerankerConformance,
    Retrieved,
    RetrieverConformance,
)

from logic_retrievers import (
    ContradictionFilter,
    ContradictionSearch,
    Engine,
    Passage,
    PassageIndex,
    Reranker,
)
from logic_retrievers.cleaning import CorpusCleaner, explain
from logic_retrievers.effects import encoder_threads
from logic_retrievers.policies import resolve_policy
from logic_retrievers.ranking.query_input import check_exclude, check_syntax, read_query
from logic_retrievers.types import Hit


def evidence_of_hit(hit: Hit) -> dict:
    logic = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
    return {**copy.deepcopy(dict(hit.passage.metadata)), "logic": logic}


class PlainRetriever:
    def __init__(
        self,
        index: PassageIndex,
        policy="auto",
        k=4,
        min_score=None,
        exclude=(),
        hard=False,
        **more,
    ):
        if not isinstance(k, int) or k < 1:
            raise ValueError("k must be a whole number")
        check_exclude(exclude, hard, policy)
        self.index = index
        self.settings = {
            "policy": resolve_policy(policy), "k": k, "min_score": min_score,
            "exclude": exclude, "hard": hard, **more,
        }  # fmt: skip

    def __call__(self, query, **overrides):
        hits = Engine(self.index).search(query, **{**self.settings, **overrides})
        return [(hit.passage, hit.score, evidence_of_hit(hit)) for hit in hits]

    async def acall(self, query, **overrides):
        hits = await Engine(self.index).asearch(query, **{**self.settings, **overrides})
        return [(hit.passage, hit.score, evidence_of_hit(hit)) for hit in hits]


class PlainRetrievers(RetrieverConformance):
    overrides = ("k", "filter", "min_score", "policy", "exclude", "hard")
    kind = PlainRetriever

    def make(self, index, **settings):
        return self.kind(index, **settings)

    def retrieve(self, retriever, query, **overrides):
        return self.plain(retriever(query, **overrides))

    async def aretrieve(self, retriever, query, **overrides):
        return self.plain(await retriever.acall(query, **overrides))

    def plain(self, results):
        return [Retrieved(p.id, p.text, score, metadata) for p, score, metadata in results]


class PlainReader:
    def __init__(self, index: PassageIndex, policy="auto", query_syntax="words"):
        check_syntax(query_syntax, policy)
        self.index, self.policy, self.syntax = index, policy, query_syntax

    def read(self, query):
        return read_query(query, self.syntax, self.policy)

    def __call__(self, query):
        return Engine(self.index, self.policy).search(self.read(query), 5)

    async def acall(self, query):
        return await Engine(self.index, self.policy).asearch(self.read(query), 5)


class PlainReaders(ExpressionConformance):
    kind = PlainReader

    def make(self, index, **settings):
        return self.kind(index, **settings)

    def ask(self, made, query):
        return self.plain(made(query))

    async def aask(self, made, query):
        return self.plain(await made.acall(query))

    def plain(self, hits):
        return [Retrieved(h.passage.id, h.passage.text, h.score, evidence_of_hit(h)) for h in hits]


class PlainReranker:
    def __init__(self, policy="auto", top_n=None, encoder=None, index=None, exclude=(), hard=False):
        if top_n is not None and top_n < 1:
            raise ValueError("top_n must be a whole number of at least 1")
        check_exclude(exclude, hard, policy)
        self.settings = {"k": top_n, "exclude": exclude, "hard": hard}
        self.core = Reranker(encoder, policy, index=index)

    def passages(self, items):
        return [
            Passage(item["id"] or f"no id {at}", item["text"], item["metadata"])
            for at, item in enumerate(items)
        ]

    def __call__(self, query, items):
        return self.core.rerank(query, self.passages(items), **self.settings)

    async def acall(self, query, items):
        return await self.core.arerank(query, self.passages(items), **self.settings)


class PlainRerankers(RerankerConformance):
    kind = PlainReranker

    def make(self, **settings):
        return self.kind(**settings)

    def items(self, passages):
        return [{"id": p.id, "text": p.text, "metadata": dict(p.metadata)} for p in passages]

    def rerank(self, reranker, query, items):
        return self.plain(reranker(query, items))

    async def arerank(self, reranker, query, items):
        return self.plain(await reranker.acall(query, items))

    def plain(self, hits):
        return [Retrieved(h.passage.id, h.passage.text, h.score, evidence_of_hit(h)) for h in hits]


class PlainFilter:
    def __init__(self, top_n=None, trusted=(), **settings):
        if top_n is not None and top_n < 1:
            raise ValueError("top_n must be a whole number of at least 1")
        self.top_n = top_n
        self.core = ContradictionFilter(trusted=self.passages(trusted), **settings)

    def passages(self, items):
        return [
            Passage(
                item["id"] or f"no id {at}",
                item["text"],
                {key: value for key, value in item["metadata"].items() if key != "logic"},
            )
            for at, item in enumerate(items)
        ]

    def __call__(self, items):
        return self.core.filter(self.passages(items), self.top_n).hits

    async def acall(self, items):
        return (await self.core.afilter(self.passages(items), self.top_n)).hits


class PlainFilters(ContradictionFilterConformance):
    kind = PlainFilter

    def make(self, **settings):
        return self.kind(**settings)

    def items(self, passages):
        return [{"id": p.id, "text": p.text, "metadata": dict(p.metadata)} for p in passages]

    def filter(self, made, items):
        return self.plain(made(items))

    async def afilter(self, made, items):
        return self.plain(await made.acall(items))

    def plain(self, hits):
        return [Retrieved(h.passage.id, h.passage.text, h.score, evidence_of_hit(h)) for h in hits]


class PlainCleaner:
    def __init__(self, trusted=(), dry_run=False, **settings):
        self.dry_run = dry_run
        self.core = CorpusCleaner(trusted=self.passages(trusted), **settings)

    def passages(self, items):
        return PlainFilter.passages(self, items)

    def __call__(self, items):
        screened = self.core.screen(self.passages(items), dry_run=self.dry_run)
        return self.with_findings(items, screened)

    async def acall(self, items):
        screened = await self.core.ascreen(self.passages(items), dry_run=self.dry_run)
        return self.with_findings(items, screened)

    def with_findings(self, items, screened):
        return [{**item, "metadata": self.judged(item, screened)} for item in items]

    def judged(self, item, screened):
        about = copy.deepcopy({k: v for k, v in item["metadata"].items() if k != "logic"})
        results = [
            self.finding(item["id"], decision, screened.cleaned)
            for decision in screened.cleaned.decisions
            if item["id"] in (decision.finding.one, decision.finding.other)
        ]
        hidden = {"quarantined": True} if item["id"] in screened.quarantined else {}
        return about | ({"logic": {"cleaning": {"findings": results}, **hidden}} if results else {})

    def finding(self, name, decision, cleaned):
        finding = decision.finding.to_dict()
        return {
            "explanation": explain(cleaned, decision),
            **{key: finding[key] for key in ("kind", "reason", "probability")},
            "opponent": finding["other"] if finding["one"] == name else finding["one"],
            "action": decision.action,
        }


class PlainCleaners(CorpusCleanerConformance):
    kind = PlainCleaner

    def make(self, **settings):
        return self.kind(**settings)

    def items(self, passages):
        return [{"id": p.id, "text": p.text, "metadata": dict(p.metadata)} for p in passages]

    def clean(self, made, items):
        return self.plain(made(items))

    async def aclean(self, made, items):
        return self.plain(await made.acall(items))

    def plain(self, results):
        return [
            Retrieved(result["id"], result["text"], None, result["metadata"]) for result in results
        ]


class PlainOpponents:
    def __init__(self, index, k=4, filter=None, **settings):  # noqa: A002
        if k < 1:
            raise ValueError("k must be a whole number of at least 1")
        self.called = {"k": k, "filter": filter}
        self.core = ContradictionSearch(index, **settings)

    def __call__(self, statement):
        return self.core.search(statement, **self.called)

    async def acall(self, statement):
        return await self.core.asearch(statement, **self.called)


class PlainContradictionRetrievers(ContradictionRetrieverConformance):
    kind = PlainOpponents

    def make(self, index, **settings):
        return self.kind(index, **settings)

    def retrieve(self, retriever, statement):
        return self.plain(retriever(statement))

    async def aretrieve(self, retriever, statement):
        return self.plain(await retriever.acall(statement))

    def plain(self, hits):
        return [Retrieved(h.passage.id, h.passage.text, h.score, evidence_of_hit(h)) for h in hits]


class PlainEmbeddings:
    def __init__(self, vector, encoder):
        if vector not in encoder.specs:
            raise ValueError(f"no vector {vector}")
        self.vector, self.encoder = vector, encoder

    def documents(self, texts):
        return self.encoder.encode_documents(texts, [self.vector])[self.vector].tolist()

    def query(self, text):
        return self.encoder.encode_queries([text], [self.vector])[self.vector][0].tolist()


class PlainEmbeddingModels(EmbeddingsConformance):
    kind = PlainEmbeddings

    def make(self, vector, encoder):
        return self.kind(vector, encoder)

    def embed_documents(self, embeddings, texts):
        return embeddings.documents(texts)

    def embed_query(self, embeddings, text):
        return embeddings.query(text)

    async def aembed_documents(self, embeddings, texts):
        return await encoder_threads.submit(lambda: embeddings.documents(texts))

    async def aembed_query(self, embeddings, text):
        return await encoder_threads.submit(lambda: embeddings.query(text))
