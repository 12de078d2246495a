"""Recipes: settings that cannot be, and the recipes that come along."""

from __future__ import annotations

from pathlib import Path

import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.data.sets.films import load_films_table  # noqa: E402
from logic_export.data.sets.generation import (  # noqa: E402
    generate_queries,
    write_set_queries,
)
from logic_export.data.tiers.distractor_queries import (  # noqa: E402
    build_parts,
    read_parts,
    write_parts,
)
from logic_export.data.wordnet import load_wordnet  # noqa: E402
from logic_export.models import MODELS  # noqa: E402
from logic_export.recipe import Recipe, read_recipe  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from small_recipes import compatibility_recipe  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


FOLDER = Path(__file__).parents[2] / "export" / "recipes"
RECIPES = sorted(set(FOLDER.glob("*.toml")) - set(FOLDER.glob("judge-*.toml")))
"""Those of encoders; a judge's are of another form."""


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return compatibility_recipe(small_model_folder, tmp_path)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("epochs = 2", "epochs = 0"), r"training\.epochs"),
        (("batch_size = 4", "batchsize = 4"), r"training\.batchsize"),
        (('name = "small"', ""), "name"),
        (("dropout = 0.1", "dropout = 2"), r"model\.dropout"),
    ],
)
def test_a_setting_that_cannot_be_is_named(recipe_file: Path, change, fault: str):
    """A misspelt setting that is passed over trains something else for an hour."""
    recipe_file.write_text(recipe_file.read_text().replace(*change))
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(recipe_file)


def test_a_recipe_that_is_no_toml_is_a_read_error(tmp_path: Path):
    with pytest.raises(ReadError, match="cannot be read as a recipe"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(ReadError, match=r"bad\.toml"):
        read_recipe(tmp_path / "bad.toml")


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_come_along_are_valid(path: Path):
    assert isinstance(read_recipe(path), Recipe)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.timeout(900)  # the longest takes two minutes of one idle core
@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_come_along_run(path: Path, tmp_path: Path, monkeypatch):
    """A builder's option or a data set's field that changed breaks a run of hours, at its start."""
    recipe = read_recipe(path).smoke()
    monkeypatch.chdir(tmp_path)
    if recipe.model.base not in MODELS:
        pytest.skip(f"{recipe.model.base} is no packaged model: another recipe's result")
    try:
        MODELS[recipe.model.base].path()
        if any(data.options.get("wordnet") for data in recipe.data):
            load_wordnet()
    except ConfigurationError as error:
        pytest.skip(str(error))
    if recipe.data[0].builder == "set_queries":  # a command writes its data
        table = load_films_table()
        write_set_queries(
            Path("film_sets"), table.items, generate_queries(table, {"train": 21, "dev": 7})
        )
    if recipe.data[0].builder == "tiers":
        write_parts(Path("distractors"), build_parts(read_parts(["hotpotqa_train100"]), copies={}))
    trained = train(recipe, tmp_path / "run", quiet=True)
    assert len(trained.sets) == len(recipe.data)
    assert all(0 < one.rows <= 8 for one in trained.sets)
