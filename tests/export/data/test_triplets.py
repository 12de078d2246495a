"""Rows of training data, files of them, and the builders that make them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.exclusion_queries import (
    EXCLUSION_FORMS,
    Topic,
    describe_topic,
    exclusion_triplets,
    neighbouring_topics,
    word_exclusion,
)
from logic_export.data.labelled_triplets import conflict_triplets, labelled_triplets
from logic_export.data.negated_passages import negated_passage_triplets
from logic_export.data.triplet_builders import BUILDERS, build_triplets
from logic_export.data.triplets import Triplet, read_triplets, unique_triplets, write_triplets

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.queries import RuleParser

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()) and text.isprintable())


@given(st.lists(st.tuples(texts, texts, st.none() | texts), max_size=8), st.booleans())
def test_a_file_gives_back_the_rows_that_went_in(tmp_path_factory, rows, packed):
    """Lines that end at U+2028, or None that comes back as text."""
    triplets = [Triplet(q, s, v) for q, s, v in rows if s != v]
    path = tmp_path_factory.mktemp("rows") / ("rows.jsonl.gz" if packed else "rows.jsonl")
    write_triplets(path, triplets)
    first = path.read_bytes()
    assert read_triplets(path) == triplets
    write_triplets(path, triplets)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"query": "a"}', "satisfying"),
        ('{"query": "a", "satisfying": "b", "violating": "b"}', "both"),
        ('{"query": " ", "satisfying": "b"}', "query"),
        ('{"query": "a", "satisfying": "b", "violating": " "}', "violating"),
        ('{"query": "a", "satisfying": "b", "negative": "c"}', "negative"),
        ("[]", "object"),
    ],
)
def test_a_malformed_row_is_named_with_its_line(tmp_path: Path, line: str, fault: str):
    path = tmp_path / "own.jsonl"
    path.write_text('{"query": "a", "satisfying": "b"}\n' + line + "\n")
    with pytest.raises(ReadError, match=fault) as caught:
        read_triplets(path)
    assert "line 2" in str(caught.value) or ":2" in str(caught.value)


def test_a_pair_of_queries_gives_two_mirrored_triplets(tmp_path: Path):
    """Only one direction would teach to prefer one passage whatever is asked."""
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": i, "text": f"text {i}"}) + "\n" for i in "ab")
    )
    rows = [
        {"_id": "1", "text": "q a", "satisfying": ["a"], "violating": ["b"], "neutral": []},
        {"_id": "2", "text": "q b", "satisfying": ["b"], "violating": ["a"], "neutral": []},
        {"_id": "3", "text": "plain", "satisfying": ["a"], "violating": [], "neutral": []},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [
        (t.query, t.satisfying, t.violating) for t in labelled_triplets(load_dataset(tmp_path))
    ]
    assert found == [
        ("q a", "text a", "text b"),
        ("q b", "text b", "text a"),
        ("plain", "text a", None),
    ]


def test_each_side_of_a_conflict_is_asked_for_once_with_the_other_against_it():
    row = {
        "memory_answer": "yes",
        "parametric_memory": "it is so",
        "parametric_memory_aligned_evidence": "",
        "counter_answer": "no",
        "counter_memory": "it is not so",
        "counter_memory_aligned_evidence": "never was it so",
    }
    found = {(t.query, t.satisfying) for t in conflict_triplets([row])}
    assert found == {("yes", "it is so"), ("no", "it is not so"), ("no", "never was it so")}
    assert all(t.violating != t.satisfying for t in conflict_triplets([row]))


def test_an_exclusion_asks_for_one_topic_and_rules_the_other_out():
    left, right = Topic("harbours", "about harbours"), Topic("nightclubs", "about nightclubs")
    found = exclusion_triplets([(left, right)], seed=3)
    assert [(t.satisfying, t.violating) for t in found] == [
        ("about harbours", "about nightclubs"),
        ("about nightclubs", "about harbours"),
    ]
    assert all("harbours" in t.query and "nightclubs" in t.query for t in found)


def test_the_parser_sees_most_of_the_wordings():
    """A wording that no one would say teaches nothing about the ones that people use."""
    parser, random = RuleParser(), Random(0)
    queries = {word_exclusion("films about Rome", "gladiators", random) for _ in range(2000)}
    assert len(queries) == len(EXCLUSION_FORMS)
    assert not any("?" in word_exclusion("Who?", "the Forum", random)[:-1] for _ in range(200))
    seen = [query for query in queries if "gladiators" in parser.parse(query).excluded]
    assert len(seen) / len(queries) > 0.9


def test_near_topics_are_near_and_never_the_topic_itself():
    topics = [Topic(str(i), f"text {i}") for i in range(12)]

    def encode(names):
        angles = np.array([float(name) for name in names]) / 10
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    pairs = neighbouring_topics(topics, encode, count=12, among=2)
    assert len(pairs) == 12
    assert all(0 < abs(int(a.name) - int(b.name)) <= 2 for a, b in pairs)


def test_a_topic_is_described_by_its_first_sentence():
    topic = Topic("Spendthrift", "Spendthrift is a 1936 romance film, made by Paramount.")
    assert describe_topic(topic, Random(0), share=1).name == "the 1936 romance film Spendthrift"
    assert describe_topic(topic, Random(0), share=0) == topic


def test_a_negated_passage_differs_in_one_sentence_and_each_query_asks_for_its_own():
    """Queries mixed up would teach the reverse of every negation."""
    passage = "The bridge is old. The town was founded in 1207. Ships can pass the lock at night."
    found = negated_passage_triplets([passage], seed=5)
    assert len(found) == 2
    assert (found[0].satisfying, found[0].violating) == (found[1].violating, found[1].satisfying)
    assert passage in (found[0].satisfying, found[1].satisfying)
    for row in found:
        denies = sum(t.count(" not ") for t in (row.query,))
        assert denies == row.satisfying.count(" not ")


def test_unknown_builders_and_options_are_named():
    with pytest.raises(ConfigurationError, match=r"nothing.*labelled"):
        build_triplets("nothing", {}, 0)
    with pytest.raises(ConfigurationError, match="count"):
        build_triplets("negated", {"path": "x", "cuont": 3}, 0)
    with pytest.raises(ReadError, match="such"):
        build_triplets("negated", {"path": "no/such.jsonl", "count": 3}, 0)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("labelled", {"folder": "nevir"}),
        ("labelled", {"folder": "nevir", "crops": 2}),
        ("labelled", {"folder": "nevir", "violating": False}),
        ("conflicts", {"path": "conflictqa_strategyqa/train.jsonl.gz"}),
        ("linked", {"path": "hotpotqa_train1000_pairs/questions.jsonl.gz"}),
        ("sharing", {"path": "wikipedia_movies/corpus.jsonl.gz", "field": "cast", "count": 20}),
        ("negated", {"path": "scifact/corpus.jsonl.gz", "count": 20}),
    ],
)
def test_builders_are_the_same_by_seed_and_without_repeats(name: str, options: dict):
    """A set order or a hash in between makes a run that no one can repeat."""
    assert name in BUILDERS
    found = build_triplets(name, options, 7)
    assert found == build_triplets(name, options, 7)
    assert len(unique_triplets(found)) == len(found) > 10


@pytest.mark.data
def test_labelled_passages_are_cropped_or_lose_what_violates_on_request():
    plain, cropped = (
        build_triplets("labelled", {"folder": "nevir", "crops": n}, 0) for n in (0, 2)
    )
    assert cropped[: len(plain)] == plain
    assert len(plain) * 1.5 < len(cropped) <= len(plain) * 3
    alone = build_triplets("labelled", {"folder": "nevir", "violating": False}, 0)
    assert not any(row.violating for row in alone)
    assert {row.query for row in alone} == {row.query for row in plain}
