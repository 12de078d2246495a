"""Which training rows share a batch, and the tensors and labels of a batch."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from random import Random
from typing import Any

import pytest
import torch
from datasets import Dataset as Rows
from logic_export.data.contradictions.groups import ContradictionGroup
from logic_export.data.set_examples import SetExample
from logic_export.data.triplets import Triplet
from logic_export.training.batches import EpochBatchSampler
from logic_export.training.coder import TripletCollator, triplet_plan, triplet_row
from logic_export.training.logicol import SetCollator, set_plan, set_query_row
from logic_export.training.lore import tier_plan
from logic_export.training.sparsecl import ContradictionCollator, contradiction_plan, group_row
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
from small_recipes import groups, roles
from small_recipes import triplets as made_triplets

from logic_retrievers.queries.expressions import Expression

QUERIES = [
    {"source": f"s{n % 2}", "group": f"g{n // 2}"} for n in range(40) for _ in range(1 + n % 5)
]
PLANS: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "triplets": (triplet_plan, [triplet_row(row) for row in made_triplets(30)]),
    "contradictions": (contradiction_plan, [group_row(group) for group in groups(24)]),
    "sets": (partial(set_plan, random_share=0.5), QUERIES),
    "tiers": (tier_plan, [{"source": ""}] * 30),
}


@pytest.mark.parametrize("name", PLANS)
def test_every_row_is_in_one_batch_and_epochs_differ(name: str):
    """A resumed run must draw the same batches as an uninterrupted run."""
    plan, rows = PLANS[name]
    found = {}
    for seed, epoch in ((0, 0), (0, 1), (1, 0)):
        table = Rows.from_list(rows)
        sampler = EpochBatchSampler(table, 8, drop_last=False, seed=seed, plan=plan)
        sampler.set_epoch(epoch)
        batches = list(sampler)
        assert batches == list(sampler)
        assert len(sampler) == len(batches)
        assert sorted(row for batch in batches for row in batch) == list(range(len(rows)))
        assert max(map(len, batches)) <= 8 + 4
        assert all(len({rows[row]["source"] for row in batch}) == 1 for batch in batches)
        found[seed, epoch] = batches
    assert found[0, 0] != found[0, 1]
    assert found[0, 0] != found[1, 0]


def test_mirrored_triplets_share_a_batch():
    rows = [triplet_row(row) for row in made_triplets(30)]
    batches = triplet_plan(rows, 6)(Random(0))
    # the mirror image of row 2n is row 2n + 1
    assert all({row ^ 1 for row in batch} == set(batch) for batch in batches)


def test_rows_that_share_a_text_do_not_meet():
    """In one batch, a positive of the shared text in one row would be its negative in the other."""
    triplets = [
        Triplet(f"query {n % 3}", f"right {n}", f"wrong {n}", "crops") for n in range(9)
    ] + [Triplet(f"asks for {n}", f"right {n}", f"other {n}", "crops") for n in range(9)]
    made = [
        ContradictionGroup((f"a {n % 4}", f"b {n}"), (f"c {n}", f"d {n % 3}"), "x")
        for n in range(24)
    ]
    for batches, texts_of in (
        (
            triplet_plan([triplet_row(row) for row in triplets], 4)(Random(0)),
            [(row.query, row.satisfying) for row in triplets],
        ),
        (
            contradiction_plan([group_row(group) for group in made], 4)(Random(0)),
            [group.texts for group in made],
        ),
    ):
        for batch in batches:
            said = [text for row in batch for text in texts_of[row]]
            assert len(said) == len(set(said))
    assert max(map(len, batches)) == 3  # three texts "d"


def test_the_share_says_how_many_set_queries_meet_strangers():
    """Splitting a group loses its relations, so the constraints would train nothing."""
    rows = [("s", f"g{n // 5}") for n in range(2000)]
    table = {"source": [source for source, _ in rows], "group": [group for _, group in rows]}
    sizes = Counter(rows)
    for share in (0, 0.25, 1):
        whole = 0
        for batch in set_plan(table, 16, random_share=share)(Random(2)):
            inside = Counter(rows[i] for i in batch)
            if all(count == sizes[group] for group, count in inside.items()):
                whole += len(batch)
        assert whole / len(rows) == pytest.approx(1 - share, abs=0.01)


def texts(model: SentenceTransformer, ids: torch.Tensor) -> list[str]:
    """Decode texts, with one space between words."""
    return [
        " ".join(re.findall(r"\w+|[^\w\s]", text))
        for text in model.tokenizer.batch_decode(ids, skip_special_tokens=True)
    ]


def test_a_batch_holds_every_document_once(small_model: SentenceTransformer):
    """A copy of the satisfying passage among the negatives would push it away from its query."""
    collate = TripletCollator(small_model, roles(8, 16, "q : "))
    triplets = [
        Triplet("find a room", "a room", "a hotel"),
        Triplet("find a hotel", "a hotel", "a room"),
        Triplet("find noise", "noise noise noise"),
    ]
    batch = collate([triplet_row(row) for row in triplets])
    assert batch["label"].tolist() == [0, 1, 2]
    documents = texts(small_model, batch["document_input_ids"])
    assert documents == ["a room", "a hotel", "noise noise noise"]
    assert texts(small_model, batch["query_input_ids"])[0] == "q : find a room"


@pytest.mark.parametrize("count", [1, 9])
def test_labels_stay_with_their_texts(small_model: SentenceTransformer, count: int):
    """Texts are sorted by length and split in two parts. A label that does not move with its text
    would mark unrelated texts as contradictions, and the loss would still fall.
    """
    made = groups(count, seed=3)
    collate = ContradictionCollator(small_model, roles(5, 24, "", "q : "))
    batch = collate([group_row(group) for group in made])
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    assert len(features) == 2
    read = [text for part in features for text in texts(small_model, part["input_ids"])]
    found = [(text, *label) for text, label in zip(read, labels.tolist(), strict=True)]
    expected = [
        (" ".join(re.findall(r"\w+|[^\w\s]", f"q : {text}")), group, side)
        for group, one in enumerate(made)
        for side, said in enumerate((one.left, one.right))
        for text in said
    ]
    assert sorted(found) == sorted(expected)
    short, long = (int(part["attention_mask"].sum(1).max()) for part in features)
    assert short <= long


def test_texts_are_cut_to_the_recipes_lengths(small_model: SentenceTransformer):
    read = roles(7, 9)
    group = ContradictionGroup(("a " * 50,), ("no " * 60 + "a",))
    batch = ContradictionCollator(small_model, read)([group_row(group)])
    assert batch["short_input_ids"].shape == batch["long_input_ids"].shape == (1, 9)
    long = SetExample("a " * 50, Expression.parse("a"), "g", ("x",), (), "s", {"x": "noise " * 50})
    batch = SetCollator(small_model, read, {"s": long.documents}, 0)([set_query_row(long)])
    assert batch["query_input_ids"].shape == (1, 7)
    assert batch["document_input_ids"].shape == (1, 9)


DOCUMENTS = {f"d{n}": f"{word} room" for n, word in enumerate(["quiet", "loud", "no", "noise"])}


def example(query: str, expression: str, satisfying: str, neutral: str = "") -> SetExample:
    parsed = Expression.parse(expression)
    ids = tuple(satisfying.split()), tuple(neutral.split())
    return SetExample(query, parsed, "g", *ids, "s", DOCUMENTS)


EXAMPLES = [
    example("a quiet", "quiet", "d0"),
    example("a quiet not loud", "quiet AND NOT loud", "d3", "d1"),
    example("a loud", "loud", "d1 d2"),
    example("a quiet q loud", "quiet OR loud", "d0 d1 d2 d3"),
]


def set_batch(model: SentenceTransformer, examples: list[SetExample], seed: int = 0):
    collate = SetCollator(model, roles(8, 16, "q : "), {"s": DOCUMENTS}, seed)
    return collate([set_query_row(e) for e in examples])


def test_labels_are_those_of_the_documents_drawn(small_model: SentenceTransformer):
    """An answer drawn for a different query must count as positive here too, not as negative."""
    batch = set_batch(small_model, EXAMPLES)
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    assert texts(small_model, features[0]["input_ids"]) == [f"q : {e.query}" for e in EXAMPLES]
    names = {text: name for name, text in DOCUMENTS.items()}
    drawn = [names[text] for text in texts(small_model, features[1]["input_ids"])]
    assert len(set(drawn)) == len(drawn)
    assert {"d0", "d3"} <= set(drawn)
    for row, one in enumerate(EXAMPLES):
        expected = [1 if n in one.satisfying else 2 if n in one.neutral else 0 for n in drawn]
        assert labels[row, : len(drawn)].tolist() == expected
    related = labels[:, len(drawn) :]
    assert related.tolist() == [[0, 0, 0, 1], [1, 0, 2, 1], [0, 0, 0, 1], [0, 0, 0, 0]]


def test_a_draw_follows_from_the_batch(small_model: SentenceTransformer):
    """A resumed run skips earlier batches, so the draw must depend on its own batch only."""
    many = [example(f"a {n}", "quiet", " ".join(DOCUMENTS)) for n in range(8)]

    def drawn(examples, seed=0):
        return set_batch(small_model, examples, seed)["document_input_ids"].tolist()

    assert drawn(many) == drawn(many)
    others = [drawn(many, seed) for seed in range(1, 6)] + [drawn(many[::-1]), drawn(many[1:])]
    assert len({str(one) for one in others}) > 3
