"""Rows, batches and development figures of each kind of recipe, before any training step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from logic_export.bundles.graphs import load_model
from logic_export.contradiction_retrieval import find_alpha
from logic_export.data.set_examples import set_queries
from logic_export.data.tiers.examples import read_tiers, write_tiers
from logic_export.recipe import read_recipe
from logic_export.training import sparsecl
from logic_export.training.encoding import load_trainable
from logic_export.training.logicol import sample_set_examples, set_query_row
from logic_export.training.lore import POSITIVES, VECTORS, unique_passages
from logic_export.training.run import select_task, train
from logic_export.training.sparsecl import ALPHA, COSINE, NDCG
from sentence_transformers import SentenceTransformer
from small_recipes import (
    FREE,
    changed,
    compatibility_recipe,
    contradiction_recipe,
    set_recipe,
    tier_recipe,
    write_rooms,
)

from logic_retrievers.errors import ConfigurationError, ReadError


@pytest.fixture
def tiers(small_model_folder: Path, tmp_path: Path) -> Path:
    """Write a recipe's file with its rows in ``tiers``."""
    return tier_recipe(small_model_folder, tmp_path)


@pytest.fixture
def contradictions(small_model_folder: Path, tmp_path: Path) -> Path:
    return contradiction_recipe(small_model_folder, tmp_path)


# --- rows


def test_rows_are_drawn_once(small_model_folder: Path, tmp_path: Path):
    """A resumed run must keep its rows, even if the data files changed or are gone."""
    recipe = read_recipe(set_recipe(small_model_folder, tmp_path))
    task, out, folder = select_task(recipe), tmp_path / "run", tmp_path / "rooms"
    rows, sets = task.rows(out)
    assert rows == [set_query_row(one) for one in set_queries(str(folder), variants=True)]
    for path in (*folder.glob("*.jsonl"), *folder.glob("train*/*")):
        path.unlink()
    assert task.rows(out) == (rows, sets)


def test_a_draw_keeps_groups_whole(tmp_path: Path):
    """A query without the others of its group would have no relation to train."""
    found = set_queries(str(write_rooms(tmp_path / "rooms")), variants=True)
    kept = sample_set_examples(found, 22, 0)
    assert len(kept) == 20
    assert {one.group for one in found if one not in kept}.isdisjoint(one.group for one in kept)
    assert kept == sample_set_examples(found, 22, 0) != sample_set_examples(found, 22, 1)
    assert len(sample_set_examples(found, 2, 0)) == 5


def test_rows_without_a_lesson_are_left_out_and_counted(tiers: Path, tmp_path: Path):
    """A query without a right passage would waste its place; the count reveals bad labels."""
    file = tmp_path / "tiers" / "train.jsonl.gz"
    made = read_tiers(file)
    empty = [replace(made[0], positives=()), replace(made[1], distractors=(), negatives=())]
    alone = [replace(made[2], negatives=()), replace(made[3], distractors=())]
    write_tiers(file, [*empty, *alone, *made[4:]])
    rows, (used,) = select_task(read_recipe(tiers)).rows(tmp_path / "run")
    assert (used.rows, used.left_out) == (len(rows), 2) == (58, 2)
    assert read_tiers(tmp_path / "run" / "data.jsonl.gz") == [*alone, *made[4:]]
    write_tiers(file, empty)
    with pytest.raises(ConfigurationError, match="no row to learn from"):
        select_task(read_recipe(tiers)).rows(tmp_path / "other")


def test_frozen_documents_are_encoded_once_by_the_base(tiers: Path, tmp_path: Path, monkeypatch):
    """Document vectors must come from the base, and a resumed run must not encode them again."""
    recipe = read_recipe(tiers)
    task, out = select_task(recipe), tmp_path / "run"
    rows, sets = task.rows(out)
    examples = read_tiers(tmp_path / "tiers" / "train.jsonl.gz")
    passages = unique_passages(examples)
    assert len(passages) == len(set(passages)) == 15
    model = load_model(recipe.model.base)
    model.max_seq_length = 10
    vectors = np.load(out / VECTORS)
    assert vectors.dtype == np.float32
    expected = model.encode(passages, normalize_embeddings=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    for path in (tmp_path / "tiers").glob("train*"):
        path.unlink()
    monkeypatch.setattr(SentenceTransformer, "encode", None)
    assert task.rows(out) == (rows, sets)
    for row, one in zip(rows, examples, strict=True):
        assert row["query"] == one.query
        assert tuple(passages[place] for place in row["documents"]) == one.passages


# --- batches


@pytest.mark.parametrize("kept", [True, False])
def test_a_batch_of_tiers_reads_each_side_as_the_recipe_says(tiers: Path, tmp_path: Path, kept):
    """Training must use the recipe's lengths and prefixes, since use does. Tiers one column off
    would train distractors as answers.
    """
    changed(
        tiers,
        ("query_tokens = 12", 'query_tokens = 12\nquery_prefix = "find : "'),
        *([] if kept else [FREE]),
        ("document_tokens = 10", 'document_tokens = 10\ndocument_prefix = "a room : "'),
    )
    recipe, out = read_recipe(tiers), tmp_path / "run"
    task, model = select_task(recipe), load_trainable(recipe.model)
    rows, _ = task.rows(out)
    assert (out / VECTORS).exists() == kept
    numbers = (3, 10, 0)
    batch = task.collator(model, out)([rows[n] for n in numbers])
    examples = [read_tiers(out / "data.jsonl.gz")[n] for n in numbers]
    passages = unique_passages(examples)

    def read(column: str) -> list[list[int]]:
        ids, masks = batch[f"{column}_input_ids"], batch[f"{column}_attention_mask"]
        return [line[mask == 1].tolist() for line, mask in zip(ids, masks, strict=True)]

    def wanted(prefix: str, texts: list[str], length: int) -> list[list[int]]:
        prefixed = [prefix + text for text in texts]
        return model.tokenizer(prefixed, truncation=True, max_length=length)["input_ids"]

    assert read("query") == wanted("find : ", [one.query for one in examples], 12)
    if kept:
        model.max_seq_length = 10
        texts = [f"a room : {text}" for text in passages]
        expected = torch.from_numpy(model.encode(texts, normalize_embeddings=True))
        torch.testing.assert_close(batch["document_sentence_embedding"], expected)
    else:
        assert read("document") == wanted("a room : ", passages, 10)
    for line, one in zip(batch["label"].tolist(), examples, strict=True):
        tiers_of = dict.fromkeys(one.positives, 1)
        tiers_of |= dict.fromkeys(one.distractors, 2) | dict.fromkeys(one.negatives, 3)
        assert line == [tiers_of.get(text, 0) for text in passages]


# --- development


@pytest.mark.parametrize("measure", ["cosine", "kappa4"])
def test_every_measure_has_its_figures(contradictions: Path, measure: str, monkeypatch):
    """The contrastive baseline has no sparsity, so it must not report figures with sparsity."""
    highest = []
    monkeypatch.setattr(
        sparsecl, "find_alpha", lambda *a, **k: highest.append(k["highest"]) or find_alpha(*a, **k)
    )
    recipe = read_recipe(changed(contradictions, ("temperature = 0.1", f'measure = "{measure}"')))
    (figures,) = select_task(recipe).development().measure(load_model(recipe.model.base)).values()
    assert set(figures) == ({NDCG} if measure == "cosine" else {NDCG, COSINE, ALPHA})
    assert highest == ([] if measure == "cosine" else [200])


def test_a_head_trained_further_is_added_to_the_cosines_it_will_be_added_to(
    contradictions: Path, monkeypatch
):
    """Cosines must come from the topical model; with its own a good head seemed to find nothing."""
    asked: list[str] = []

    def opened(model):
        asked.append(model.base)
        return SentenceTransformer(model.base)

    monkeypatch.setattr(sparsecl, "load_trainable", opened)
    recipe = read_recipe(contradictions)
    select_task(recipe).development()
    other = recipe.evaluation.model_copy(update={"topical": recipe.model.base})
    model = recipe.model.model_copy(update={"base": "a run"})
    select_task(recipe.model_copy(update={"evaluation": other, "model": model})).development()
    assert asked == [recipe.model.base, recipe.model.base]


def test_development_without_questions_is_refused(contradictions: Path):
    """Without questions the score would be NaN, so no checkpoint could be selected."""
    recipe = read_recipe(changed(contradictions, ("dev.jsonl", "empty.jsonl")))
    with pytest.raises(ConfigurationError, match=r"empty\.jsonl"):
        select_task(recipe).development()
    missing = read_recipe(changed(contradictions, ("empty.jsonl", "no.jsonl")))
    with pytest.raises(ReadError, match=r"no\.jsonl"):
        select_task(missing).development()


def test_a_query_encoder_searches_the_bases_documents(tiers: Path, models: dict[str, str]):
    """Documents must be encoded by the base, as in the existing index, not the trained model."""
    recipe = read_recipe(tiers)
    base, model = load_model(models["base"]), load_model(models["queries"])
    ((name, found),) = select_task(recipe).development().measure(model).items()
    recalls = []
    for one in read_tiers(Path(name)):
        documents = base.encode(list(one.passages), normalize_embeddings=True)
        first = (documents @ model.encode(one.query)).argsort()[::-1][:3]
        recalls.append(np.mean([n in first for n in range(3)]))
    assert found[POSITIVES] == pytest.approx(np.mean(recalls))


def test_a_query_encoder_is_measured_on_folders_of_constraints_too(tiers: Path, tmp_path: Path):
    """On exclusion data a query encoder must get the compatibility head's figures."""
    rooms = write_rooms(tmp_path / "rooms")
    path = changed(tiers, (f"{tmp_path / 'tiers'}/dev.jsonl.gz", f"{rooms}/dev"))
    recipe = read_recipe(path)
    found = select_task(recipe).development().measure(load_model(recipe.model.base))
    assert set(found["rooms/dev"]) == {"constraint", "R@5"}
    both = changed(path, (f'"{rooms}/dev"', f'"{rooms}/dev", "a.jsonl.gz"'))
    with pytest.raises(ConfigurationError, match="files of tiers or folders, not both"):
        select_task(read_recipe(both))


def test_a_development_set_that_is_not_there_is_refused_at_once(tiers: Path, tmp_path: Path):
    """A missing set must be refused before documents are encoded and the folder is created."""
    recipe = read_recipe(changed(tiers, ("dev.jsonl.gz", "def.jsonl.gz")))
    with pytest.raises(ReadError, match=r"def\.jsonl\.gz"):
        train(recipe, tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


def test_models_that_cannot_be_trained_are_named(small_model_folder: Path, tmp_path: Path):
    """The error must name the model; the hub's own error is a traceback about connections."""
    model = read_recipe(compatibility_recipe(small_model_folder, tmp_path)).model
    for change, fault in (
        ({"base": f"{small_model_folder}/none"}, r"no model can be loaded from '.*/none'"),
        ({"shared_layers": 2}, "at least one must be trained"),
    ):
        with pytest.raises(ConfigurationError, match=fault):
            load_trainable(model.model_copy(update=change))
