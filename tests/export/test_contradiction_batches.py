"""The sparse contrastive task's batches: groups, tokens and labels."""

from __future__ import annotations

import re

import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from datasets import Dataset as Rows  # noqa: E402
from logic_export.data.contradictions.groups import ContradictionGroup  # noqa: E402
from logic_export.losses import SparseContrastiveLoss  # noqa: E402
from logic_export.training.contradiction_batches import (  # noqa: E402
    ContradictionBatchSampler,
    ContradictionCollator,
    group_row,
)
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer  # noqa: E402
from small_recipes import groups  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def sampled(
    made: list[ContradictionGroup], size: int, *, seed: int = 0, epoch: int = 0
) -> list[list[int]]:
    sampler = ContradictionBatchSampler(
        Rows.from_list([group_row(group) for group in made]), size, drop_last=False, seed=seed
    )
    sampler.set_epoch(epoch)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    return batches


def test_a_batch_holds_one_source_and_no_text_twice():
    """What contradicts a text in one group would be its negative in the other."""
    shared = [
        ContradictionGroup((f"a {n % 4}", f"b {n}"), (f"c {n}", f"d {n % 3}"), "x")
        for n in range(24)
    ]
    made = groups(24) + shared
    batches = sampled(made, 4)
    assert sorted(i for batch in batches for i in batch) == list(range(48))
    assert max(map(len, batches)) == 4
    for batch in batches:
        assert len({made[i].source for i in batch}) == 1
        if made[batch[0]].source == "x":
            said = [text for i in batch for text in made[i].texts]
            assert len(said) == len(set(said))
    assert batches == sampled(made, 4)
    assert batches != sampled(made, 4, epoch=1)
    assert batches != sampled(made, 4, seed=1)


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_labels_stay_with_their_texts(small_model: SentenceTransformer, count: int):
    """Texts are sorted by length and cut in two parts: a label that is left behind says that
    strangers contradict each other, and the loss still falls.
    """
    made = groups(count, seed=3)
    batch = ContradictionCollator(small_model, 24, "q : ")([group_row(group) for group in made])
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    assert len(features) == 2
    assert all(len(part["input_ids"]) for part in features)
    rows = [ids for part in features for ids in part["input_ids"]]
    assert len(rows) == len(labels) == sum(len(group.texts) for group in made)
    texts = [small_model.tokenizer.decode(ids, skip_special_tokens=True) for ids in rows]
    found = [(words(text), *label) for text, label in zip(texts, labels.tolist(), strict=True)]
    expected = [
        (words(f"q : {text}"), group, side)
        for group, one in enumerate(made)
        for side, said in enumerate((one.left, one.right))
        for text in said
    ]
    assert sorted(found) == sorted(expected)
    short, long = (int(part["attention_mask"].sum(1).max()) for part in features)
    assert short <= long


def test_a_batchs_loss_is_that_of_its_groups(small_model: SentenceTransformer):
    """From rows to the loss, as the trainer does it, against the texts encoded one by one."""
    from logic_export.losses import sparse_contrastive_loss

    made = groups(5, seed=4)
    batch = ContradictionCollator(small_model, 16, "")([group_row(group) for group in made])
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    small_model.eval()
    with torch.no_grad():
        found = SparseContrastiveLoss(small_model, 0.1)(features, labels)
    said = [
        (text, group, side)
        for group, one in enumerate(made)
        for side, texts in enumerate((one.left, one.right))
        for text in texts
    ]
    small_model.max_seq_length = 16
    alone = torch.stack(
        [small_model.encode(text, convert_to_tensor=True, batch_size=1) for text, _, _ in said]
    )
    expected = sparse_contrastive_loss(
        alone, torch.tensor([g for _, g, _ in said]), torch.tensor([s for _, _, s in said]),
        temperature=0.1,
    )  # fmt: skip
    assert found.item() == pytest.approx(expected.item(), rel=1e-3)


def test_texts_are_cut_to_the_recipes_length(small_model: SentenceTransformer):
    rows = [group_row(ContradictionGroup(("a " * 50,), ("no " * 60 + "a",)))]
    batch = ContradictionCollator(small_model, 9, "")(rows)
    assert batch["short_input_ids"].shape == batch["long_input_ids"].shape == (1, 9)
