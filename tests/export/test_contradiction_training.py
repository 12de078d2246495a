"""A run of the sparse contrastive task: its recipe, its rows, smoke runs, averaging."""

from __future__ import annotations

from pathlib import Path

import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.development import ALPHA, COSINE, NDCG  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from small_recipes import changed, contradiction_recipe  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return contradiction_recipe(small_model_folder, tmp_path)


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
        (("temperature = 0.1", "beta = 20"), r"loss\.sparse_contrastive\.beta"),
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
    with pytest.raises(ConfigurationError, match="no builder"):
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
