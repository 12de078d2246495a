"""A run of the sparse contrastive task: its recipe, its rows, smoke runs, averaging."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.recipe import DataSettings, read_recipe  # noqa: E402
from logic_export.training.average_checkpoints import average_runs  # noqa: E402
from logic_export.training.contradiction_batches import group_row  # noqa: E402
from logic_export.training.contradiction_development import ALPHA, COSINE, NDCG  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from logic_export.training.training_data import sample_rows  # noqa: E402
from small_recipes import changed, contradiction_recipe, groups, weights  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return contradiction_recipe(small_model_folder, tmp_path)


@pytest.mark.slow
def test_runs_are_averaged(recipe_file: Path, tmp_path: Path):
    """Figures of a mean that were measured for another task would be those of nothing."""
    recipe = changed(recipe_file, ("epochs = 2", "epochs = 1"))
    runs = [tmp_path / f"run{seed}" for seed in (0, 1)]
    for seed, run in enumerate(runs):
        train(read_recipe(recipe).model_copy(update={"seed": seed}), run, quiet=True)
    found = average_runs(runs, tmp_path / "mean")
    *trained, mean = (weights(folder / "model") for folder in (*runs, tmp_path / "mean"))
    for name in mean:
        assert mean[name] == pytest.approx(np.mean([one[name] for one in trained], 0), abs=1e-6)
    (figures,) = found.values()
    assert set(figures) == {NDCG, COSINE, ALPHA}
    card = json.loads((tmp_path / "mean" / "card.json").read_text())
    assert (card["averaged"], card["best"]) == (2, found)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["cosine", "kappa4"])
def test_a_smoke_run_of_every_measure_ends(recipe_file: Path, tmp_path: Path, measure: str):
    """The contrastive baseline has no sparsity to weigh: a figure of one would be made up."""
    path = changed(recipe_file, ("temperature = 0.1", f'temperature = 0.1\nmeasure = "{measure}"'))
    trained = train(read_recipe(path).smoke(), tmp_path / "run", quiet=True)
    assert [one.rows for one in trained.sets] == [4]
    (figures,) = trained.best.values()
    assert set(figures) == ({NDCG} if measure == "cosine" else {NDCG, COSINE, ALPHA})


def test_a_smoke_recipe_is_small(recipe_file: Path):
    """A check that takes an hour is not made before the run that takes a day."""
    options = 'options = { path = "x", count = 700, wordnet = true }'
    path = changed(
        recipe_file,
        (f'options = {{ path = "{recipe_file.parent / "rows.jsonl"}" }}', options),
        ('dev.jsonl"]', 'dev.jsonl", "b"]'),
    )
    small = read_recipe(path).smoke()
    assert small.data[0].most == 4
    assert small.data[0].options == {"path": "x", "count": 8, "wordnet": True}
    assert small.evaluation.sets == (str(recipe_file.parent / "dev.jsonl"),)
    assert (small.training.epochs, small.training.batch_size) == (1.0, 4)
    assert small.loss == read_recipe(path).loss


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (('name = "sparse_contrastive"', 'name = "sparse"'), "loss"),
        (('name = "sparse_contrastive"', ""), "loss"),
        (("temperature = 0.1", "temperature = 0"), r"loss\.sparse_contrastive\.temperature"),
        (("temperature = 0.1", "beta = 20"), r"loss\.sparse_contrastive\.beta"),
        (("temperature = 0.1", 'measure = "l1"'), r"loss\.sparse_contrastive\.measure"),
        (
            ('name = "sparse_contrastive"', 'name = "compatibility"'),
            r"loss\.compatibility\.temperature",
        ),
    ],
)
def test_a_loss_that_cannot_be_is_named(recipe_file: Path, change, fault: str):
    """A recipe of one loss run with another trains for hours, and gives a head of no use."""
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(changed(recipe_file, change))


def test_builders_of_the_other_task_are_refused(recipe_file: Path, tmp_path: Path):
    """Triplets know no sides: read as groups, queries would contradict their answers."""
    recipe = read_recipe(changed(recipe_file, ('builder = "file"', 'builder = "negated"')))
    with pytest.raises(ConfigurationError, match=r"no builder 'negated'; there are claims"):
        select_task(recipe).rows(tmp_path)
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query": "a", "satisfying": "b", "violating": "c"}\n')
    recipe = read_recipe(changed(recipe_file, ('builder = "negated"', 'builder = "file"')))
    with pytest.raises(ReadError, match="query"):
        select_task(recipe).rows(tmp_path)
    other = changed(
        recipe_file,
        ('name = "sparse_contrastive"\n        temperature = 0.1', 'name = "compatibility"'),
    )
    path.write_text('{"left": ["a"], "right": ["b"]}\n')
    with pytest.raises(ReadError, match="left"):
        select_task(read_recipe(other)).rows(tmp_path)


def test_a_draw_is_of_groups_and_by_seed():
    part = DataSettings(builder="file", licence="MIT", ships=True, most=10)
    made = groups(24)
    kept = sample_rows(made, part, 0)
    assert len(kept) == len({id(group) for group in kept}) == 10
    assert kept == sample_rows(made, part, 0) != sample_rows(made, part, 1)
    assert sample_rows(made, part.model_copy(update={"most": None}), 0) == made
    assert sample_rows(made, part.model_copy(update={"most": 99}), 0) == made


def test_rows_are_drawn_once(recipe_file: Path, tmp_path: Path):
    """A run that goes on after its data changed would end as no recipe's."""
    task, out = select_task(read_recipe(recipe_file)), tmp_path / "run"
    rows, sets = task.rows(out)
    assert rows == [group_row(group) for group in groups(24)]
    (tmp_path / "rows.jsonl").unlink()
    assert task.rows(out) == (rows, sets)
