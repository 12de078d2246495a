"""The public constructors: their arguments, and how the object that they make is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import logic_retrievers as lr
from logic_retrievers.cleaning import CorpusCleaner, Ledger
from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies.plain import HybridPolicy

from .harness import expect
from .workplace import inns, small_encoder, write_tiny_bundle

QUERY = "quiet inns by the river without a pool"
OPEN = "PassageIndex.open"


@dataclass(frozen=True, slots=True)
class Entry:
    """A constructor, the kinds of its arguments, those that it always gets, and how it is used."""

    make: Callable[..., Any]
    kinds: Mapping[str, str]
    use: Callable[[Any], Any] = repr
    always: Mapping[str, Any] = field(default_factory=dict)


def _kinds(**names: str) -> dict[str, str]:
    """``{"limit": "count"}`` of ``count="limit"``; several names are separated by spaces."""
    return {name: kind for kind, joined in names.items() for name in joined.split()}


def constructors(index: lr.PassageIndex) -> dict[str, Entry]:
    """All constructors; those of searches are used over the index."""
    encoder = index.encoder

    def search(policy: Any) -> None:
        lr.Engine(index, policy, judge=None).search(QUERY, 3)

    def route(settings: lr.ExclusionSettings) -> None:
        search(lr.AutoPolicy(settings=settings))

    def pool(**settings: Any) -> dict[str, str]:
        return _kinds(count="limit", flag="backfill", **settings)

    excluding = {"query": lr.ParsedQuery.excluding("inns", ["pool"])}
    stating = {"query": lr.ParsedQuery.stating(lr.Atom("inns") & ~lr.Atom("pool"))}
    contradicting = _kinds(
        number="threshold judge_above drop_above",
        settings="settings",
        passages="trusted",
        filter="trusted_filter",
        count="trusted_candidates",
        mode="against_trusted",
        text="date_key source_key",
        texts="source_order",
        judge="judge",
        resolution="resolution",
    )
    shares = "penalty standout_share mention_share whole_query_weight standout_threshold"
    weights = "compatibility_weight lexical_weight"
    constants = "alpha null_mean null_deviation intercept cosine_weight sparsity_weight threshold"
    judging = "thing_weight property_weight negated_fact_weight thing_penalty_share"
    return {
        "AutoPolicy": Entry(
            lr.AutoPolicy,
            _kinds(count="limit", mode="base", any="fields parser settings"),
            search,
        ),
        "BooleanPolicy": Entry(
            lr.BooleanPolicy, _kinds(count="limit", any="settings parser"), search
        ),
        "ExclusionPolicy": Entry(
            lr.ExclusionPolicy,
            _kinds(count="limit", any="settings field_filters bundle_constants"),
            search,
            excluding,
        ),
        "ExpressionPolicy": Entry(
            lr.ExpressionPolicy,
            _kinds(count="limit", any="settings field_filters"),
            search,
            stating,
        ),
        "SequentialPolicy": Entry(lr.SequentialPolicy, pool(number="alpha tau"), search),
        "UnionPolicy": Entry(lr.UnionPolicy, pool(number="alpha keep", mode="fusion"), search),
        "CoderUnionPolicy": Entry(lr.CoderUnionPolicy, pool(number="alpha keep"), search),
        "HybridPolicy": Entry(HybridPolicy, _kinds(count="limit"), search),
        "ExclusionSettings": Entry(
            lr.ExclusionSettings, _kinds(number=f"{shares} {weights}"), route
        ),
        "BooleanSettings": Entry(
            lr.BooleanSettings,
            _kinds(number=f"joint_weight penalty mention_threshold mention_share {weights}"),
            lambda settings: search(lr.BooleanPolicy(settings=settings)),
        ),
        "JudgeSettings": Entry(
            JudgeSettings,
            _kinds(number=f"{judging} property_penalty_share", count="candidates", judge="judge"),
        ),
        "ContradictionSettings": Entry(
            lr.ContradictionSettings,
            _kinds(number=constants),
            lambda settings: lr.ContradictionScorer(encoder, settings=settings).score(
                [("a", "b c")]
            ),
        ),
        "ContradictionScorer": Entry(
            lr.ContradictionScorer,
            _kinds(settings="settings"),
            lambda scorer: scorer.score([("a", "b c")]),
            {"encoder": encoder},
        ),
        "ContradictionSearch": Entry(
            lr.ContradictionSearch,
            _kinds(number="alpha min_probability", count="candidates", settings="settings"),
            lambda search: search.search("the inn is quiet", 3),
            {"index": index},
        ),
        "ContradictionFilter": Entry(
            lr.ContradictionFilter,
            {**contradicting, **_kinds(flag="edited_copies")},
            lambda conflicts: conflicts.filter(inns(6), 3),
            {"encoder": encoder},
        ),
        "CorpusCleaner": Entry(
            CorpusCleaner,
            {
                **contradicting,
                **_kinds(count="neighbours", texts="scope_keys", any="ledger"),
            },
            lambda cleaner: cleaner.clean(inns(6)),
            {"encoder": encoder},
        ),
        "Ledger": Entry(Ledger, _kinds(place="path"), lambda ledger: ledger.entries("c")),
        "Reranker": Entry(
            lr.Reranker,
            _kinds(judge="judge", any="policy"),
            lambda reranker: reranker.rerank(QUERY, inns(4), 2),
            {"encoder": encoder},
        ),
        "Engine": Entry(
            lr.Engine,
            _kinds(judge="judge", any="policy"),
            lambda engine: engine.search(QUERY, 2),
            {"index": index},
        ),
        "Splitter": Entry(
            lr.Splitter,
            _kinds(count="max_tokens overlap", any="token_spans"),
            lambda splitter: list(splitter.split(inns(2))),
            {"token_spans": encoder.token_spans, "max_tokens": 5},
        ),
        "Decomposer": Entry(
            lr.Decomposer,
            _kinds(any="fallback ask"),
            lambda parser: parser.parse(QUERY),
            {"ask": lambda prompt: '"inns" AND NOT "pool"'},
        ),
        "FunctionEncoder": Entry(
            lr.FunctionEncoder,
            _kinds(count="dimension max_tokens", text="identity name", any="documents queries"),
            lambda made: made.encode_queries(["a"]),
            {"documents": lambda texts: [[1.0, 2.0]] * len(texts), "identity": "x"},
        ),
        "RecentEncoder": Entry(
            lr.RecentEncoder,
            _kinds(count="size", any="encoder"),
            lambda made: made.encode_queries(["a"]),
            {"encoder": encoder},
        ),
        "CachedEncoder": Entry(
            lr.CachedEncoder,
            _kinds(place="path", any="encoder"),
            lambda made: made.encode_queries(["a"]),
            {"encoder": encoder, "path": "cache.sqlite"},
        ),
        "CombinedEncoder": Entry(
            lr.CombinedEncoder, _kinds(any="parts"), lambda made: made.encode_queries(["a"])
        ),
        "OnnxEncoder": Entry(
            lr.OnnxEncoder,
            _kinds(
                place="bundle", any="providers", count="batch_size batch_tokens", threads="threads"
            ),
            lambda made: made.encode_queries(["a b"]),
            {"bundle": write_tiny_bundle(Path("tiny"))},
        ),
        "ParsedQuery": Entry(
            lr.ParsedQuery,
            _kinds(
                text="text wanted cue rule",
                mode="kind reading",
                texts="excluded",
                any="span expression",
                number="confidence",
            ),
            lambda query: lr.Engine(index, judge=None).search(query, 3),
            {"text": QUERY},
        ),
        OPEN: Entry(
            _open,
            _kinds(
                text="collection tenant text_key metadata_key",
                place="location",
                keys="api_key",
                flag="prefer_grpc quantized create show_quarantined",
                count="grpc_port retries",
                number="timeout",
                vectors="vectors",
                lexical="lexical",
                names="vector_names",
                any="encoder client async_client",
            ),
            _use,
        ),
    }


def _open(encoder: Any = None, **settings: Any) -> lr.PassageIndex:
    settings = (
        {"retries": 0, **settings} if "http" in str(settings.get("location", "")) else settings
    )
    encoder = small_encoder() if encoder is None else encoder
    return lr.PassageIndex.open(settings.pop("collection", "fuzz"), encoder, **settings)


def _use(index: lr.PassageIndex) -> None:
    with closing(index):
        index.add(inns(3))
        expect({p.id for p in index.get(["inn-0", "inn-2"])} == {"inn-0", "inn-2"}, "get")
        expect(len(lr.Engine(index, "topical", judge=None).search("inn", 5)) == 3, "search")
        repr(index)
        if not index.embedded:
            raise AssertionError("a server that is not there answers")
