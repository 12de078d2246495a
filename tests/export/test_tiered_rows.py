"""The rows and batches of the query encoder's task: drawing, frozen documents, prefixes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.bundles.graphs import load_model  # noqa: E402
from logic_export.data.tiers.examples import read_tiers, write_tiers  # noqa: E402
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.encoding import load_trainable  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from logic_export.training.tier_batches import (  # noqa: E402
    VECTORS,
    TierBatchSampler,
    unique_passages,
)
from sentence_transformers import SentenceTransformer  # noqa: E402
from small_recipes import changed  # noqa: E402
from small_tiers import FREE, write_small_recipe, write_small_tiers  # noqa: E402

from logic_retrievers.errors import ConfigurationError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small_tiers(tmp_path / "rooms")


@pytest.fixture
def recipe_file(small_model_folder: Path, folder: Path, tmp_path: Path) -> Path:
    return write_small_recipe(tmp_path / "recipe.toml", small_model_folder, folder)


def test_rows_without_a_lesson_are_left_out_and_counted(
    recipe_file: Path, folder: Path, tmp_path: Path
):
    """A query without a right passage would only thin out its batch; silence hides bad labels."""
    made = read_tiers(folder / "train.jsonl.gz")
    empty = [
        replace(made[0], positives=()),
        replace(made[1], distractors=(), negatives=()),
    ]
    alone = [replace(made[2], negatives=()), replace(made[3], distractors=())]
    write_tiers(folder / "train.jsonl.gz", [*empty, *alone, *made[4:]])
    rows, (used,) = select_task(read_recipe(recipe_file)).rows(tmp_path / "run")
    assert (used.rows, used.left_out) == (len(rows), 2) == (58, 2)
    assert read_tiers(tmp_path / "run" / "data.jsonl.gz") == [*alone, *made[4:]]


def test_data_without_any_lesson_are_refused(recipe_file: Path, folder: Path, tmp_path: Path):
    """An empty table ends the trainer in its own words, far from the cause."""
    made = read_tiers(folder / "train.jsonl.gz")
    write_tiers(folder / "train.jsonl.gz", [replace(one, positives=()) for one in made])
    with pytest.raises(ConfigurationError, match="no row to learn from"):
        select_task(read_recipe(recipe_file)).rows(tmp_path / "run")


@pytest.mark.parametrize("kept", [True, False])
def test_each_side_has_its_own_prefix_and_length(
    recipe_file: Path, folder: Path, tmp_path: Path, kept: bool
):
    """Trained otherwise than it is asked later, an encoder is worse and nothing says why."""
    changed(
        recipe_file,
        ("query_tokens = 12", 'query_tokens = 12\nquery_prefix = "find : "'),
        *([] if kept else [FREE]),
        ("document_tokens = 10", 'document_tokens = 10\ndocument_prefix = "a room : "'),
    )
    recipe, out = read_recipe(recipe_file), tmp_path / "run"
    task = select_task(recipe)
    rows, _ = task.rows(out)
    model = load_trainable(recipe.model)
    batch = task.collator(model, out)(rows[:4])

    def told(column: str, texts: list[str], length: int) -> None:
        wanted = model.tokenizer(texts, truncation=True, max_length=length)["input_ids"]
        found = [
            line[kept == 1].tolist()
            for line, kept in zip(
                batch[f"{column}_input_ids"], batch[f"{column}_attention_mask"], strict=True
            )
        ]
        assert found == wanted

    told("query", [f"find : {row['query']}" for row in rows[:4]], 12)
    passages = unique_passages(read_tiers(folder / "train.jsonl.gz"))
    places = list(dict.fromkeys(place for row in rows[:4] for place in row["documents"]))
    asked = [f"a room : {passages[place]}" for place in places]
    if not kept:
        told("document", asked, 10)
        return
    model.max_seq_length = 10
    np.testing.assert_allclose(
        batch["document_sentence_embedding"],
        model.encode(asked, normalize_embeddings=True),
        atol=1e-6,
    )


def test_documents_are_encoded_once_by_the_base(
    recipe_file: Path, folder: Path, tmp_path: Path, monkeypatch
):
    """Vectors of another model are of another index; made anew, a run of hours waits again."""
    recipe = read_recipe(recipe_file)
    task, out = select_task(recipe), tmp_path / "run"
    rows, sets = task.rows(out)
    examples = read_tiers(folder / "train.jsonl.gz")
    passages = unique_passages(examples)
    assert len(passages) == len(set(passages)) == 15
    model = load_model(recipe.model.base)
    model.max_seq_length = 10
    expected = model.encode(passages, normalize_embeddings=True)
    vectors = np.load(out / VECTORS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    for path in folder.glob("train*"):
        path.unlink()
    monkeypatch.setattr(SentenceTransformer, "encode", None)
    assert task.rows(out) == (rows, sets)
    for row, one in zip(rows, examples, strict=True):
        assert row["query"] == one.query
        assert tuple(passages[place] for place in row["documents"]) == one.passages


@pytest.mark.parametrize("kept", [True, False])
def test_a_batch_pairs_every_candidate_with_its_tier(recipe_file: Path, tmp_path: Path, kept: bool):
    """Tiers one column off would train the distractors as answers."""
    recipe = read_recipe(recipe_file if kept else changed(recipe_file, FREE))
    task, out, model = select_task(recipe), tmp_path / "run", load_trainable(recipe.model)
    rows, _ = task.rows(out)
    assert (out / VECTORS).exists() == kept
    chosen = [rows[3], rows[10], rows[0]]
    batch = task.collator(model, out)(chosen)
    examples = read_tiers(out / "data.jsonl.gz")
    if kept:
        vectors = batch["document_sentence_embedding"]
    else:
        tokens = {
            name.removeprefix("document_"): value
            for name, value in batch.items()
            if name.startswith("document_")
        }
        assert tokens["input_ids"].shape[1] <= 10
        with torch.no_grad():
            vectors = model(tokens)["sentence_embedding"]
    model.max_seq_length = 10
    passages = sorted({text for n in (3, 10, 0) for text in examples[n].passages})
    encoded = torch.from_numpy(model.encode(passages, normalize_embeddings=True))
    nearest = (torch.nn.functional.normalize(vectors, dim=-1) @ encoded.T).argmax(1)
    found = [passages[place] for place in nearest]
    assert sorted(found) == passages
    for line, n in zip(batch["label"].tolist(), (3, 10, 0), strict=True):
        one = examples[n]
        tiers = dict.fromkeys(one.positives, 1)
        tiers |= dict.fromkeys(one.distractors, 2) | dict.fromkeys(one.negatives, 3)
        assert line == [tiers.get(text, 0) for text in found]
    asked = model.tokenizer.batch_decode(batch["query_input_ids"], skip_special_tokens=True)
    assert asked == [row["query"] for row in chosen]


def test_every_row_is_in_one_batch_and_epochs_differ():
    sampler = TierBatchSampler([{}] * 10, 4, drop_last=False, seed=3)
    sampler.set_epoch(0)
    first = list(sampler)
    assert first == list(sampler)
    assert [len(batch) for batch in first] == [4, 4, 2]
    assert len(sampler) == 3
    sampler.set_epoch(1)
    for batches in (first, list(sampler)):
        assert sorted(row for batch in batches for row in batch) == list(range(10))
    assert list(sampler) != first


def test_a_base_that_is_not_there_is_named(recipe_file: Path, small_model_folder: Path):
    """The hub's own error speaks of connections, and ends in a traceback."""
    changed(recipe_file, (str(small_model_folder), f"{small_model_folder}/none"))
    with pytest.raises(ConfigurationError, match=r"no model can be loaded from '.*/none'"):
        load_trainable(read_recipe(recipe_file).model)
