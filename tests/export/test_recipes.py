"""Recipes: settings that cannot be, and the recipes that come along."""

from __future__ import annotations

from pathlib import Path

import pytest
from logic_export.data.sets.films import load_films_table
from logic_export.data.sets.generation import generate_queries, write_set_queries
from logic_export.data.tiers.distractor_queries import build_parts, read_parts, write_parts
from logic_export.data.wordnet import load_wordnet
from logic_export.models import MODELS
from logic_export.recipe import read_recipe
from logic_export.training.run import train
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
# a judge's recipes are of another form
RECIPES = sorted(set(FOLDER.glob("*.toml")) - set(FOLDER.glob("judge-*.toml")))


@pytest.mark.parametrize(
    ("make", "change", "fault"),
    [
        (compatibility_recipe, ("epochs = 2", "epochs = 0"), r"training\.epochs"),
        (compatibility_recipe, ("batch_size = 4", "batchsize = 4"), r"training\.batchsize"),
        (compatibility_recipe, ('name = "small"', ""), "name"),
        (compatibility_recipe, ("dropout = 0.1", "dropout = 2"), r"model\.dropout"),
        (contradiction_recipe, ('"sparse_contrastive"', '"sparse"'), "loss"),
        (
            contradiction_recipe,
            ("temperature = 0.1", "beta = 20"),
            r"loss\.sparse_contrastive\.beta",
        ),
        (contradiction_recipe, ("temperature = 0.1", "temperature = inf"), "temperature"),
        (contradiction_recipe, ("temperature = 0.1", 'measure = "l1"'), "measure"),
        (set_recipe, ("random_share = 0.4", "random_share = 1.5"), "random_share"),
        (set_recipe, ("random_share = 0.4", "exclusion_weight = -1"), "exclusion_weight"),
        (set_recipe, ("random_share = 0.4", "subset_margin = nan"), "subset_margin"),
        (set_recipe, ("random_share = 0.4", 'reduction = "max"'), "reduction"),
        (tier_recipe, ('"tiered"', '"tiered"\nalpha = 0'), "alpha"),
        (tier_recipe, ('"tiered"', '"tiered"\nbeta = nan'), "beta"),
        (tier_recipe, ('"tiered"', '"compatibility"\nbeta = 0'), "beta"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, make, change, fault: str):
    """A misspelt setting that is passed over trains something else for an hour."""
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(changed(make(tmp_path / "model", tmp_path), change))


def test_documents_are_frozen_by_the_tiered_loss_alone(tmp_path: Path):
    """Another loss trains both sides: its run would be no query encoder, whatever it says."""
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


def test_a_smoke_recipe_is_small(tmp_path: Path):
    """A check that takes an hour is not made before the run that takes a day."""
    path = contradiction_recipe(tmp_path / "model", tmp_path)
    options = f'path = "{tmp_path / "rows.jsonl"}"'
    path = changed(
        path,
        (options, 'path = "x", count = 700, wordnet = true'),
        ('dev.jsonl"]', 'dev.jsonl", "b"]'),
    )
    small = read_recipe(path).smoke()
    assert small.data[0].most == 4
    assert small.data[0].options == {"path": "x", "count": 8, "wordnet": True}
    assert small.evaluation.sets == (str(tmp_path / "dev.jsonl"),)
    assert small.evaluation.documents == 25
    assert (small.training.epochs, small.training.batch_size) == (1.0, 4)
    assert small.loss == read_recipe(path).loss


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_come_along_are_valid(path: Path):
    assert read_recipe(path).ships in (True, False)


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
        parts = generate_queries(table, {"train": 21, "dev": 7})
        write_set_queries(Path("film_sets"), table.items, parts)
    if recipe.data[0].builder == "tiers":
        write_parts(Path("distractors"), build_parts(read_parts(["hotpotqa_train100"]), copies={}))
    trained = train(recipe, tmp_path / "run", quiet=True)
    assert len(trained.sets) == len(recipe.data)
    assert all(0 < one.rows <= 8 for one in trained.sets)
