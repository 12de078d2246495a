"""A run of the query encoder's task: rows, frozen documents, learning, resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.bundles.export import BundleLabel, add_head, export_bundle  # noqa: E402
from logic_export.bundles.graphs import load_model  # noqa: E402
from logic_export.bundles.heads import find_head  # noqa: E402
from logic_export.data.tiers.examples import read_tiers, write_tiers  # noqa: E402
from logic_export.losses import TieredLoss  # noqa: E402
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.average_checkpoints import average_runs  # noqa: E402
from logic_export.training.batches import VECTORS, unique_passages  # noqa: E402
from logic_export.training.development import DISTRACTORS, POSITIVES  # noqa: E402
from logic_export.training.encoding import load_trainable  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402
from small_recipes import changed, weights  # noqa: E402
from small_sets import write_small_sets  # noqa: E402
from small_tiers import FREE, write_small_recipe, write_small_tiers  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_small_tiers(tmp_path / "rooms")


@pytest.fixture
def recipe_file(small_model_folder: Path, folder: Path, tmp_path: Path) -> Path:
    return write_small_recipe(tmp_path / "recipe.toml", small_model_folder, folder)


# --- settings


@pytest.mark.parametrize(
    ("setting", "fault"),
    [("alpha = 0", "alpha"), ("beta = -1", "beta"), ("temperature = 0", "temperature")],
)
def test_a_loss_setting_that_cannot_be_is_named(recipe_file: Path, setting: str, fault: str):
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(changed(recipe_file, ('name = "tiered"', f'name = "tiered"\n{setting}')))


def test_documents_are_frozen_by_the_tiered_loss_alone(recipe_file: Path):
    """Another loss trains both sides: its run would be no query encoder, whatever it says."""
    assert read_recipe(recipe_file).frozen_documents
    recipe = read_recipe(changed(recipe_file, FREE))
    assert not recipe.frozen_documents
    with pytest.raises(ConfigurationError, match=r"frozen_documents is a setting of the tiered"):
        read_recipe(changed(recipe_file, ('"tiered"', '"compatibility"')))


def test_development_sets_of_two_kinds_are_refused(recipe_file: Path, folder: Path):
    """Their scores mean different things; one mean of both means nothing."""
    both = read_recipe(changed(recipe_file, ('dev.jsonl.gz"]', 'dev.jsonl.gz", "rooms/dev"]')))
    with pytest.raises(ConfigurationError, match="files of tiers or folders, not both"):
        select_task(both)


def test_a_development_set_that_is_not_there_is_refused_at_once(recipe_file: Path, tmp_path: Path):
    """All documents would be encoded before, and the folder be that of another recipe after."""
    recipe = read_recipe(changed(recipe_file, ("dev.jsonl.gz", "def.jsonl.gz")))
    with pytest.raises(ReadError, match=r"def\.jsonl\.gz"):
        train(recipe, tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


# --- rows


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


def test_a_base_that_is_not_there_is_named(recipe_file: Path, small_model_folder: Path):
    """The hub's own error speaks of connections, and ends in a traceback."""
    changed(recipe_file, (str(small_model_folder), f"{small_model_folder}/none"))
    with pytest.raises(ConfigurationError, match=r"no model can be loaded from '.*/none'"):
        load_trainable(read_recipe(recipe_file).model)


# --- runs


@pytest.mark.slow
def test_a_query_encoder_learns_what_is_not_asked_for(
    recipe_file: Path, folder: Path, tmp_path: Path
):
    """The loss may fall for a reason of its own; what is found in other words may not."""
    changed(
        recipe_file, ("epochs = 2", "epochs = 10"), ("every = 3", "every = 25"), ("2e-3", "4e-3")
    )
    recipe = read_recipe(recipe_file)
    trained = train(recipe, tmp_path / "run", quiet=True)
    ((base, best),) = zip(trained.base.values(), trained.best.values(), strict=True)
    assert best[POSITIVES] >= base[POSITIVES] + 0.2
    assert best[DISTRACTORS] <= base[DISTRACTORS] - 0.1
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    assert card["recipe"]["loss"] == {"name": "tiered", "temperature": 0.05, "alpha": 1, "beta": 3}
    source = find_head("topical", str(tmp_path / "run"))
    label = BundleLabel("mine", "MIT", "here", {"NOTICE": ""})
    for refused in (
        lambda: export_bundle(tmp_path / "out", label, [source]),
        lambda: add_head(tmp_path / "none", source, tmp_path / "out"),
    ):
        with pytest.raises(ConfigurationError, match="export-query-encoder"):
            refused()
    assert "`topical` query encoder" in (tmp_path / "run" / "README.md").read_text()


@pytest.mark.slow
def test_what_is_measured_searches_the_bases_documents(
    recipe_file: Path, folder: Path, tmp_path: Path
):
    """Documents by the trained model would be measured in an index that nobody has."""
    recipe = read_recipe(changed(recipe_file, ("2e-3", "5e-2")))
    found = train(recipe, tmp_path / "run", quiet=True)
    ((name, best),) = found.best.items()
    development = select_task(recipe).development(None)
    assert development.measure(SentenceTransformer(str(found.model), device="cpu")) == {name: best}
    examples = read_tiers(Path(name))
    base, model = (load_model(path) for path in (recipe.model.base, str(found.model)))
    first = [
        (model.encode([one.query]) @ base.encode(list(one.passages), normalize_embeddings=True).T)[
            0
        ].argsort()[::-1][:3]
        for one in examples
    ]
    recalls = [np.mean([n in top for n in range(3)]) for top in first]
    assert best[POSITIVES] == pytest.approx(np.mean(recalls))


class Killed(BaseException):
    """What ends a run in its middle."""


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False])
def test_a_run_that_was_ended_goes_on_to_the_same_weights(
    recipe_file: Path, tmp_path: Path, monkeypatch, kept: bool
):
    """A run that goes on with other batches or other document vectors cannot be repeated."""
    recipe = read_recipe(recipe_file if kept else changed(recipe_file, FREE))
    whole = train(recipe, tmp_path / "whole", quiet=True)
    out, steps = tmp_path / "ended", []
    forward = TieredLoss.forward

    def ends(self, features, labels):
        if len(steps) == 5:
            raise Killed
        steps.append(1)
        return forward(self, features, labels)

    with monkeypatch.context() as patch:
        patch.setattr(TieredLoss, "forward", ends)
        with pytest.raises(Killed):
            train(recipe, out, quiet=True)
    assert [p.name for p in (out / "checkpoints").iterdir()] == ["checkpoint-3"]
    made = (out / VECTORS).stat().st_mtime_ns if kept else None
    settings = json.loads((out / "recipe.json").read_text())
    del settings["training"]["gradient_norm"]  # as of a version that had no such setting
    (out / "recipe.json").write_text(json.dumps(settings))

    resumed = train(recipe, out, quiet=True)

    left, right = weights(whole.model), weights(resumed.model)
    for name, values in left.items():
        np.testing.assert_array_equal(values, right[name])
    assert (resumed.best, resumed.base, resumed.sets) == (whole.best, whole.base, whole.sets)
    before = weights(Path(recipe.model.base))
    assert any(not np.array_equal(values, before[name]) for name, values in left.items())
    assert json.loads((out / "card.json").read_text())["queries_only"] == kept
    if kept:
        assert (out / VECTORS).stat().st_mtime_ns == made


@pytest.mark.slow
def test_a_folder_of_constraints_is_measured_as_a_head_is(
    recipe_file: Path, folder: Path, tmp_path: Path
):
    """Exclusion data are compared with the compatibility head's figures."""
    rooms = write_small_sets(tmp_path / "sets")
    changed(recipe_file, (f"{folder}/dev.jsonl.gz", f"{rooms}/dev"), ("epochs = 2", "epochs = 1"))
    runs = [tmp_path / "run0", tmp_path / "run1"]
    recipe = read_recipe(recipe_file)
    for seed, run in enumerate(runs):
        found = train(recipe.model_copy(update={"seed": seed}), run, quiet=True)
        assert set(found.best["sets/dev"]) == {"constraint", "R@5"}
    assert set(average_runs(runs, tmp_path / "mean")) == {"sets/dev"}
