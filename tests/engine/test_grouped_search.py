"""``group_by``, ``per_group`` and ``offset``: against a plain reference on the embedded engine."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import HashedEncoder

from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.encoders import VectorSpec
from logic_retrievers.errors import ConfigurationError, InputError, ShortListWarning
from logic_retrievers.index import candidate_search, group_search

SIZE = 8
PASSAGES = 260
POOLS = [f"with a pool, garden {place}" for place in ("", "terrace", "bar", "court")]


class DrawnEncoder:
    """Gives each passage the vector that the test drew for it; the text is its number."""

    def __init__(self, rows):
        self.rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self.specs = {"topical": VectorSpec("topical", SIZE, 512, "drawn")}

    def encode_queries(self, texts, names=None):
        return {"topical": self.rows[[int(text) for text in texts]].astype(np.float32)}

    encode_documents = encode_queries

    def token_spans(self, text):
        return [(0, len(text))]


def corpus(seed):
    """Unequal documents, each around a point of its own, so that a long one crowds out others."""
    random = np.random.default_rng(seed)
    document = np.minimum(random.zipf(1.3, PASSAGES) - 1, 40)
    centres = random.standard_normal((41, SIZE))
    rows = centres[document] + 0.3 * random.standard_normal((PASSAGES, SIZE))
    for first in range(0, PASSAGES, 10):  # copies tie, across documents
        rows[first : first + 5] = rows[first]
    passages = []
    for number in range(PASSAGES):
        name, metadata = f"doc {document[number]}", {"parity": number % 2}
        kind = random.integers(6)
        if kind == 1:
            metadata["source"] = name
        elif kind == 2:
            metadata["source"] = [name]
        elif kind == 3:
            metadata["source"] = [name, "doc 0"]
        elif kind > 3:
            metadata["source"] = "doc 0"  # the passage's own source counts
        tags = [1, 1.0, True, "1", 2.5, [2.5], None, [1, 2], {"a": 1}]
        metadata["a.tag"] = tags[random.integers(len(tags))]
        source = None if kind in (0, 1, 2, 3) else name
        passages.append(Passage(str(number), str(number), metadata, source))
    return DrawnEncoder(rows), passages


def group_of(passage, field):
    """The value of a passage's group; the passage itself if it stands alone."""
    value = passage.metadata.get(field)
    if field == "source" and passage.source is not None:
        value = passage.source
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None or isinstance(value, list | dict):
        return passage.id, "alone"
    return (str(value), "boolean") if isinstance(value, bool) else (value, "value")


def reference(hits, field, k, per_group):
    """Group all hits, take the best of each group and the best groups, and put them in order."""
    groups = defaultdict(list)
    for hit in hits:
        groups[group_of(hit.passage, field)].append(hit)
    best = sorted(groups.values(), key=lambda group: group[0].rank)[:k]
    kept = [hit for group in best for hit in group[:per_group]]
    return [hit.passage.id for hit in sorted(kept, key=lambda hit: hit.rank)]


@pytest.fixture(scope="module", params=range(3))
def engine(request):
    encoder, passages = corpus(request.param)
    with PassageIndex.open("groups", encoder, lexical=False) as index:
        index.add(passages)
        yield Engine(index, "topical")


@contextmanager
def short_rounds(rounds=group_search.ROUNDS):
    """Rounds of few results, so that a small corpus takes many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_search, "LEAST_RESULTS", 1)
        patch.setattr(group_search, "MOST_RESULTS", 1)
        patch.setattr(candidate_search, "ROUNDS", rounds)
        yield


@given(
    query=st.integers(0, PASSAGES - 1),
    k=st.integers(1, 12),
    per_group=st.integers(1, 3),
    offset=st.integers(0, 4),
    field=st.sampled_from(["source", "a.tag"]),
    condition=st.sampled_from([None, {"parity": 1}]),
)
@settings(max_examples=60, deadline=None)
def test_topical_groups_are_those_of_the_whole_ranking(
    engine, query, k, per_group, offset, field, condition
):
    """A long document that fills the candidates must not hide another document's best passage."""
    text = str(query)
    whole = engine.search(text, PASSAGES, filter=condition)
    options = {"filter": condition, "group_by": field, "per_group": per_group}
    with short_rounds():
        hits = engine.search(text, k, offset=offset, **options)
    first = reference(whole, field, offset, per_group)
    every = reference(whole, field, offset + k, per_group)
    assert [hit.passage.id for hit in hits] == [i for i in every if i not in first]
    assert [hit.rank for hit in hits] == list(range(len(first) + 1, len(every) + 1))


@given(query=st.integers(0, PASSAGES - 1), k=st.integers(1, 20), offset=st.integers(0, 300))
@settings(max_examples=25, deadline=None)
def test_offset_skips_the_first_hits(engine, query, k, offset):
    """The second page must go on where the first one ended."""
    page = engine.search(str(query), k, offset=offset)
    longer = engine.search(str(query), offset + k)[offset:]
    assert page == longer
    assert [hit.rank for hit in page] == [offset + n + 1 for n in range(len(page))]


def test_the_group_is_in_the_evidence(engine):
    for hit in engine.search("3", 5, group_by="a.tag"):
        value, kind = group_of(hit.passage, "a.tag")
        told = hit.evidence.details["group"]
        assert (told is None) == (kind == "alone")
        assert kind != "value" or told == value


@pytest.fixture(scope="module")
def hotels():
    """One guide with 300 passages on quiet hotels, and ten short ones."""
    long = [Passage(f"long {n}", f"quiet hotel {n}", source="long") for n in range(300)]
    short = [
        Passage(f"short {n} {part}", f"quiet hotel {text} {n}", {"lang": "en"}, f"short {n}")
        for n in range(10)
        for part, text in enumerate([*POOLS, "by the river, garden walk"])
    ]
    with PassageIndex.open("hotels", HashedEncoder()) as index:
        index.add([*long, *short])
        yield index


@pytest.mark.parametrize("policy", ["auto", "topical", "hybrid", "union", "sequential", "boolean"])
def test_every_policy_returns_k_documents(hotels, policy):
    """A policy with candidates from several searches needs groups from each."""
    engine = Engine(hotels, policy, judge=None)
    query = "quiet hotel and garden" if policy == "boolean" else "quiet hotel"
    hits = engine.search(query, 8, group_by="source")
    assert len({hit.passage.source for hit in hits}) == len(hits) == 8
    scores = [hit.score for hit in hits if hit.evidence.passed_filter]
    assert scores == sorted(scores, reverse=True)
    many = engine.search_many([query, "river walk"], 3, group_by="source", per_group=2)
    assert [len({hit.passage.source for hit in each}) for each in many] == [3, 3]


def test_what_hard_leaves_out_makes_room_in_its_own_group(hotels):
    """The best passage of a document may be left out; the next one must take its place."""
    engine = Engine(hotels, "topical", judge=None)
    options = {"exclude": ["pool"], "hard": True, "group_by": "source"}
    hits = engine.search("quiet hotel with a pool, garden", 11, **options)
    assert len({hit.passage.source for hit in hits}) == 11
    assert not any("pool" in hit.passage.text for hit in hits)
    with pytest.warns(ShortListWarning, match="left out"):
        assert engine.search("hotel", 3, **(options | {"exclude": ["hotel"]})) == []


def test_judge_and_reranker_choose_the_passage_of_a_document(hotels):
    """The model must read more of a document than the passage that the policy puts first."""

    def no_bar(pairs):
        return [(0.05, 0.05, 0.9) if "bar" in t else (0.9, 0.05, 0.05) for t, _ in pairs]

    for models in ({"judge": no_bar}, {"judge": None, "reranker": no_bar}):
        policy = "judge" if models["judge"] else "topical"
        hits = Engine(hotels, policy, **models).search(
            "quiet hotel with a pool, garden bar", 5, group_by="source"
        )
        assert len({hit.passage.source for hit in hits}) == 5
        assert not any("bar" in hit.passage.text for hit in hits)


def test_min_score_counts_before_groups(hotels):
    engine = Engine(hotels, "topical")
    least = engine.search("river walk", 3, group_by="source")[-1].score
    hits = engine.search("river walk", 20, group_by="source", min_score=least)
    assert 3 <= len(hits) < 11
    assert all(hit.score >= least for hit in hits)


def test_a_search_that_gives_up_says_so(hotels):
    """A caller who counts on k documents must learn that the search did not look at all."""
    with short_rounds(1), pytest.warns(ShortListWarning, match="rounds"):
        hits = Engine(hotels, "topical").search("quiet hotel", 5, group_by="source")
    assert 1 <= len(hits) < 5


async def test_asynchronous_searches_group_too(hotels):
    engine = Engine(hotels, "topical")
    hits = await engine.asearch("quiet hotel", 4, group_by="source", offset=1)
    assert hits == engine.search("quiet hotel", 4, group_by="source", offset=1)


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"group_by": ""}, ConfigurationError, "field"),
        ({"group_by": 3}, ConfigurationError, "field"),
        ({"group_by": 'a"b'}, InputError, "quotation"),
        ({"group_by": "source", "per_group": 0}, ConfigurationError, "per_group"),
        ({"per_group": 2}, ConfigurationError, "group_by"),
        ({"offset": -1}, ConfigurationError, "offset"),
    ],
)
def test_wrong_options_are_refused(hotels, options, error, word):
    with pytest.raises(error, match=word):
        Engine(hotels, "topical").search("quiet hotel", **options)
