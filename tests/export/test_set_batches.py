"""Which set queries meet in a batch, and what its labels say."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from random import Random

import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from datasets import Dataset as Rows  # noqa: E402
from logic_export.data.set_examples import SetExample  # noqa: E402
from logic_export.training.set_batches import (  # noqa: E402  # noqa: E402
    SetBatchSampler,
    SetCollator,
    mix_batches,
    set_query_row,
)
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer  # noqa: E402

from logic_retrievers.queries.expressions import Expression  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def queries(groups: int = 40) -> list[tuple[str, str]]:
    """Two sources that call their groups by the same names, of one to five queries."""
    return [(f"s{n % 2}", f"g{n // 2}") for n in range(groups) for _ in range(1 + n % 5)]


def together(batches: list[list[int]], rows: list[tuple[str, str]]) -> float:
    """Share of the queries that share a batch with all of their group, and with whole groups."""
    sizes, whole = Counter(rows), 0
    for batch in batches:
        inside = Counter(rows[i] for i in batch)
        if all(count == sizes[group] for group, count in inside.items()):
            whole += len(batch)
    return whole / len(rows)


@pytest.mark.parametrize("share", [0, 0.3, 0.5, 1])
def test_every_query_comes_once_in_a_batch_of_one_source(share: float):
    rows = queries()
    batches = mix_batches(rows, 8, share, Random(0))
    assert sorted(i for batch in batches for i in batch) == list(range(len(rows)))
    assert all(len({rows[i][0] for i in batch}) == 1 for batch in batches)
    assert max(map(len, batches)) <= 8 + 4
    assert sum(len(batch) < 8 for batch in batches) <= 4  # two kinds of two sources
    assert batches == mix_batches(rows, 8, share, Random(0))
    assert batches != mix_batches(rows, 8, share, Random(1))


def test_the_share_says_how_many_meet_strangers():
    """Groups that are torn apart have no relations: the constraints would train nothing."""
    rows = [("s", f"g{n // 5}") for n in range(2000)]
    shares = {s: together(mix_batches(rows, 16, s, Random(2)), rows) for s in (0, 0.25, 0.5, 1)}
    assert shares[0] == 1
    assert shares[0.25] == pytest.approx(0.75, abs=0.01)
    assert shares[0.5] == pytest.approx(0.5, abs=0.01)
    assert shares[1] == 0


def sampler_of(rows: list[tuple[str, str]], *, seed: int = 0) -> SetBatchSampler:
    table = Rows.from_list([{"source": source, "group": group} for source, group in rows])
    make = partial(SetBatchSampler, random_share=0.5)
    return make(table, 8, drop_last=False, seed=seed)


def test_batches_are_new_every_epoch_and_the_same_by_seed():
    sampler, found = sampler_of(queries()), []
    for epoch in (0, 1, 0):
        sampler.set_epoch(epoch)
        found.append(list(sampler))
        assert len(sampler) == len(found[-1])
    assert found[0] == found[2] != found[1]
    assert found[0] == list(sampler_of(queries())) != list(sampler_of(queries(), seed=1))


# --- tensors

DOCUMENTS = {f"d{n}": f"{word} room" for n, word in enumerate(["quiet", "loud", "no", "noise"])}


def example(query: str, expression: str, satisfying: str, neutral: str = "") -> SetExample:
    return SetExample(
        query,
        Expression.parse(expression),
        "g",
        tuple(satisfying.split()),
        tuple(neutral.split()),
        "s",
        DOCUMENTS,
    )


EXAMPLES = [
    example("a quiet", "quiet", "d0"),
    example("a quiet not loud", "quiet AND NOT loud", "d3", "d1"),
    example("a loud", "loud", "d1 d2"),
    example("a quiet q loud", "quiet OR loud", "d0 d1 d2 d3"),
]


def batch_of(model: SentenceTransformer, examples: list[SetExample], seed: int = 0):
    collate = SetCollator(model, {"s": DOCUMENTS}, (8, 16), ("q : ", ""), seed)
    return collate([set_query_row(one) for one in examples])


def texts(model: SentenceTransformer, ids: torch.Tensor) -> list[str]:
    return [
        " ".join(re.findall(r"\w+|[^\w\s]", text))
        for text in model.tokenizer.batch_decode(ids, skip_special_tokens=True)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_labels_are_those_of_the_documents_drawn(small_model: SentenceTransformer, seed: int):
    """An answer that another query drew would be pushed away, and the loss would still fall."""
    batch = batch_of(small_model, EXAMPLES, seed)
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    assert texts(small_model, features[0]["input_ids"]) == [f"q : {e.query}" for e in EXAMPLES]
    names = {text: name for name, text in DOCUMENTS.items()}
    drawn = [names[text] for text in texts(small_model, features[1]["input_ids"])]
    assert len(set(drawn)) == len(drawn)
    assert {"d0", "d3"} <= set(drawn)
    assert set(drawn) & {"d1", "d2"}
    for row, one in enumerate(EXAMPLES):
        expected = [1 if n in one.satisfying else 2 if n in one.neutral else 0 for n in drawn]
        assert labels[row, : len(drawn)].tolist() == expected
    related = labels[:, len(drawn) :]
    assert related.tolist() == [[0, 0, 0, 1], [1, 0, 2, 1], [0, 0, 0, 1], [0, 0, 0, 0]]


def test_a_draw_follows_from_the_batch(small_model: SentenceTransformer):
    """A run that goes on meets its next batch without those before: a state would differ."""
    many = [
        SetExample(f"a {n}", EXAMPLES[0].expression, "g", tuple(DOCUMENTS), (), "s", DOCUMENTS)
        for n in range(8)
    ]

    def drawn(examples, seed=0):
        return batch_of(small_model, examples, seed)["document_input_ids"].tolist()

    assert drawn(many) == drawn(many)
    others = [drawn(many, seed) for seed in range(1, 6)] + [drawn(many[::-1]), drawn(many[1:])]
    assert any(one != drawn(many) for one in others)
    assert len({str(one) for one in others}) > 3


def test_texts_are_cut(small_model: SentenceTransformer):
    long = SetExample("a " * 50, EXAMPLES[0].expression, "g", ("x",), (), "s", {"x": "noise " * 50})
    batch = SetCollator(small_model, {"s": long.documents}, (7, 9), ("", ""), 0)(
        [set_query_row(long)]
    )
    assert batch["query_input_ids"].shape == (1, 7)
    assert batch["document_input_ids"].shape == (1, 9)
