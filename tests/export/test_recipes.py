"""Recipes: invalid settings, and the recipes of this project."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries, write_set_queries
from logic_export.data.tiers.distractor_queries import build_parts, read_parts, write_parts
from logic_export.data.wordnet import load_wordnet
from logic_export.judge.run import train_judge
from logic_export.models import MODELS
from logic_export.recipe import DataSettings, RecipeTable, read_judge_recipe, read_recipe
from logic_export.training.run import train
from sentence_transformers import SentenceTransformer
from small_recipes import (
    FREE,
    changed,
    compatibility_recipe,
    contradiction_recipe,
    set_recipe,
    tier_recipe,
)

from logic_retrievers.errors import ConfigurationError, ReadError

FOLDER = Path(__file__).parents[2] / "export" / "recipes"
R = TypeVar("R", bound=RecipeTable)
# a judge's recipes have a different format
RECIPES = sorted(set(FOLDER.glob("*.toml")) - set(FOLDER.glob("judge-*.toml")))


@pytest.mark.parametrize(
    ("make", "change", "fault"),
    [
        (compatibility_recipe, ("batch_size = 4", "batchsize = 4"), r"training\.batchsize"),
        (compatibility_recipe, ('name = "small"', ""), "name"),
        (contradiction_recipe, ('"sparse_contrastive"', '"sparse"'), "loss"),
        (
            contradiction_recipe,
            ("temperature = 0.1", "beta = 20"),
            r"loss\.sparse_contrastive\.beta",
        ),
        (contradiction_recipe, ("temperature = 0.1", 'measure = "l1"'), "measure"),
        (set_recipe, ("random_share = 0.4", "random_share = 1.5"), "random_share"),
        (set_recipe, ("random_share = 0.4", "subset_margin = nan"), "subset_margin"),
        (tier_recipe, ('"tiered"', '"tiered"\nalpha = 0'), "alpha"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, make, change, fault: str):
    """Ignoring a misspelt setting would train the wrong model for an hour."""
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(changed(make(tmp_path / "model", tmp_path), change))


def test_documents_are_frozen_by_the_tiered_loss_alone(tmp_path: Path):
    """Other losses train both sides, so their runs must not claim frozen documents."""
    path = tier_recipe(tmp_path / "model", tmp_path)
    assert read_recipe(path).frozen_documents
    assert not read_recipe(changed(path, FREE)).frozen_documents
    with pytest.raises(ConfigurationError, match=r"frozen_documents is a setting of the tiered"):
        read_recipe(changed(path, ('"tiered"', '"compatibility"')))


def test_a_recipe_that_is_no_toml_is_a_read_error(tmp_path: Path):
    (tmp_path / "bad.toml").write_text("name = ")
    for name in ("none", "bad"):
        with pytest.raises(ReadError, match=rf"{name}\.toml cannot be read as a recipe"):
            read_recipe(tmp_path / f"{name}.toml")


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_come_along_are_valid(path: Path):
    assert read_recipe(path).ships in (True, False)


@pytest.fixture(scope="module")
def with_one_layer(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Make a function that cuts a packaged model to its first layer, for speed."""

    @cache
    def cut(name: str) -> str:
        folder = str(tmp_path_factory.mktemp("cut") / name)
        model = SentenceTransformer(str(MODELS[name].path()), device="cpu")
        inner = model[0].auto_model
        inner.encoder.layer, inner.config.num_hidden_layers = inner.encoder.layer[:1], 1
        model.save(folder, create_model_card=False)
        return folder

    return cut


def few(dataset: DataSettings) -> DataSettings:
    """Limit a set to four rows, and its builder to eight."""
    options = {name: 8 if name == "count" else value for name, value in dataset.options.items()}
    return dataset.model_copy(update={"most": 4, "options": options})


def based_on(recipe: R, base: str) -> R:
    return recipe.model_copy(update={"model": recipe.model.model_copy(update={"base": base})})


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_come_along_run(path: Path, tmp_path: Path, monkeypatch, with_one_layer):
    """A renamed builder option or data field must fail here, not in a user's run."""
    recipe = read_recipe(path)
    sets = {"sets": recipe.evaluation.sets[:1], "every": 1000, "documents": 25}
    update = {
        "data": tuple(map(few, recipe.data)),
        "training": recipe.training.model_copy(update={"epochs": 1.0, "batch_size": 4}),
        "evaluation": recipe.evaluation.model_copy(update=sets),
    }
    recipe = recipe.model_copy(update=update)
    monkeypatch.chdir(tmp_path)
    if recipe.model.base not in MODELS:
        pytest.skip(f"{recipe.model.base} is no packaged model: another recipe's result")
    try:
        base = with_one_layer(recipe.model.base)
        if any(data.options.get("wordnet") for data in recipe.data):
            load_wordnet()
    except ConfigurationError as error:
        pytest.skip(str(error))
    if recipe.data[0].builder == "set_queries":  # a command writes this builder's data
        table = load_films_table()
        parts = generate_queries(table, {"train": 21, "dev": 7})
        write_set_queries(Path("film_sets"), table.items, parts)
    if recipe.data[0].builder == "tiers":
        write_parts(Path("distractors"), build_parts(read_parts(["hotpotqa_train100"]), copies={}))
    trained = train(based_on(recipe, base), tmp_path / "run", quiet=True)
    assert len(trained.sets) == len(recipe.data)
    assert all(0 < one.rows <= 8 for one in trained.sets)


@pytest.mark.slow
@pytest.mark.data
def test_the_recipe_of_the_constraint_runs(tmp_path: Path, with_one_layer):
    """The recipe's base is an unpacked judge; an encoder replaces it here."""
    recipe = read_judge_recipe(FOLDER / "judge-constraint.toml")
    training = recipe.training.model_copy(update={"epochs": 1.0, "batch_size": 4})
    sets = recipe.evaluation.model_copy(update={"sets": tuple(map(few, recipe.evaluation.sets))})
    update = {"data": tuple(map(few, recipe.data)), "training": training, "evaluation": sets}
    recipe = based_on(recipe.model_copy(update=update), with_one_layer("all-minilm-l6-v2"))
    best = train_judge(recipe, tmp_path / "run", quiet=True)
    assert len(best) >= len(recipe.evaluation.sets)
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    assert [one["rows"] for one in card["sets"]] == [4] * len(recipe.data)
