"""Triplets on their way through a run: drawn, batched, measured."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.data.triplets import Triplet  # noqa: E402
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.development import constraint_score  # noqa: E402
from logic_export.training.training_data import sample_triplets  # noqa: E402
from logic_export.training.triplet_batches import TripletCollator, group_triplets, triplet_row  # noqa: E402
from small_recipes import compatibility_recipe  # noqa: E402
from small_recipes import triplets as made_triplets  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return compatibility_recipe(small_model_folder, tmp_path)


def test_mirrored_triplets_share_a_batch_and_sources_do_not():
    triplets = made_triplets(30)
    batches = group_triplets(triplets, 6, Random(0))
    assert sorted(i for batch in batches for i in batch) == list(range(60))
    for batch in batches:
        assert len({triplets[i].source for i in batch}) == 1
        assert {i ^ 1 for i in batch} == set(batch)  # the mirror image of 2n is 2n + 1
    assert batches == group_triplets(triplets, 6, Random(0))
    assert batches != group_triplets(triplets, 6, Random(1))


def test_triplets_that_share_a_query_or_a_passage_do_not_meet():
    """What satisfies a query in one of them would be its negative in the other."""
    triplets = [
        Triplet(f"query {n % 3}", f"right {n}", f"wrong {n}", "crops") for n in range(9)
    ] + [Triplet(f"asks for {n}", f"right {n}", f"other {n}", "crops") for n in range(9)]

    batches = group_triplets(triplets, 4, Random(0))

    assert sorted(i for batch in batches for i in batch) == list(range(18))
    assert max(map(len, batches)) == 4
    for batch in batches:
        said = [text for i in batch for text in (triplets[i].query, triplets[i].satisfying)]
        assert len(said) == len(set(said))


def test_a_batch_holds_every_document_once(small_model_folder: Path):
    """A copy of the satisfying passage among the negatives pushes it away from its query."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(small_model_folder), device="cpu")
    collate = TripletCollator(model, (8, 16), ("q : ", ""))
    triplets = [
        Triplet("find a room", "a room", "a hotel"),
        Triplet("find a hotel", "a hotel", "a room"),
        Triplet("find noise", "noise noise noise"),
    ]
    batch = collate([triplet_row(row) for row in triplets])
    assert batch["label"].tolist() == [0, 1, 2]
    assert batch["document_input_ids"].shape[0] == 3
    assert batch["query_input_ids"].shape[0] == 3
    first = model.tokenizer.decode(batch["query_input_ids"][0], skip_special_tokens=True)
    assert first.split() == ["q", ":", "find", "a", "room"]
    assert triplet_row(triplets[2])["violating"] == ""


def test_a_draw_keeps_mirrored_triplets_together(recipe_file: Path):
    part = read_recipe(recipe_file).data[0].model_copy(update={"most": 10})
    triplets = made_triplets(24)
    kept = sample_triplets(triplets, part, 0)
    assert len(kept) == 10
    assert {triplets.index(row) ^ 1 for row in kept} == {triplets.index(row) for row in kept}
    assert sample_triplets(triplets, part, 0) == kept


def test_the_score_takes_recall_that_is_lost_beyond_the_limit():
    """An encoder that finds nothing violates nothing."""
    base = [{"constraint": 0.1, "R@5": 0.9}, {"constraint": 0.0, "R@5": 1.0}]
    assert constraint_score(
        [{"constraint": 0.5, "R@5": 0.9}, {"constraint": 0.3, "R@5": 1.0}], base, 0.01
    ) == pytest.approx(0.4)
    assert constraint_score(
        [{"constraint": 0.5, "R@5": 0.89}, {"constraint": 0.3, "R@5": 0.99}], base, 0.01
    ) == pytest.approx(0.4)
    assert constraint_score(
        [{"constraint": 1.0, "R@5": 0.0}, {"constraint": 1.0, "R@5": 0.0}], base, 0.01
    ) == pytest.approx(0.06)
