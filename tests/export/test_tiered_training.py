"""A run of the query encoder's task: drawing, frozen documents, learning, resuming."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.bundles.add_head import add_head  # noqa: E402
from logic_export.bundles.export import BundleLabel, export_bundle  # noqa: E402
from logic_export.bundles.graphs import load_model  # noqa: E402
from logic_export.bundles.heads import find_head  # noqa: E402
from logic_export.data.tiers.examples import read_tiers  # noqa: E402
from logic_export.losses import TieredLoss  # noqa: E402
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.average_checkpoints import average_runs  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from logic_export.training.tier_batches import VECTORS  # noqa: E402
from logic_export.training.tier_development import DISTRACTORS, POSITIVES  # noqa: E402
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


@pytest.mark.slow
def test_a_smoke_run_ends(recipe_file: Path, tmp_path: Path):
    trained = train(read_recipe(recipe_file).smoke(), tmp_path / "run", quiet=True)
    assert [one.rows for one in trained.sets] == [4]
