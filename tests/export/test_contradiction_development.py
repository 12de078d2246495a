"""Development figures of the sparse contrastive task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.contradiction_retrieval import build_pool, find_alpha, ndcg, nearest_candidates  # noqa: E402
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training import tasks  # noqa: E402
from logic_export.training.contradiction_development import (  # noqa: E402
    ALPHA,
    COSINE,
    NDCG,
    ContradictionDevelopment,
)
from logic_export.training.tasks import select_task  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402
from small_recipes import changed, contradiction_recipe, groups  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return contradiction_recipe(small_model_folder, tmp_path)


def test_development_measures_what_retrieval_is_measured_by(small_model: SentenceTransformer):
    """Cosines of the head that is trained, instead of the base's, would move with every step."""
    pool = build_pool(groups(8, seed=5))
    rng = np.random.default_rng(0)
    topical = rng.normal(size=(len(pool.texts), 32)).astype(np.float32)
    topical /= np.linalg.norm(topical, axis=1, keepdims=True)
    asked: list[tuple[str, ...]] = []

    def encode(texts):
        asked.append(tuple(texts))
        return topical

    development = ContradictionDevelopment({"own": pool}, encode, 16, "q : ")
    found = development.measure(small_model)["own"]
    assert asked == [pool.texts]
    small_model.max_seq_length = 16
    own = small_model.encode([f"q : {text}" for text in pool.texts], normalize_embeddings=True)
    candidates = nearest_candidates(pool, topical, own, "hoyer", 100)
    alpha = find_alpha(candidates)
    assert found[ALPHA] == alpha
    assert found[NDCG] == pytest.approx(ndcg(candidates, alpha).mean())
    assert found[COSINE] == pytest.approx(ndcg(candidates, 0).mean())
    told = development(small_model)
    assert told["score"] == found[NDCG]
    assert told[f"own {ALPHA}"] == alpha


def test_the_baseline_is_ranked_by_its_own_cosine(small_model: SentenceTransformer):
    pool = build_pool(groups(8, seed=5))
    wrong = np.zeros((len(pool.texts), 32), np.float32)
    found = ContradictionDevelopment({"own": pool}, lambda _: wrong, 16, "", None).measure(
        small_model
    )
    own = small_model.encode(list(pool.texts), normalize_embeddings=True)
    expected = ndcg(nearest_candidates(pool, own, own, depth=100), 0).mean()
    assert found == {"own": {NDCG: pytest.approx(expected)}}


def test_a_head_trained_further_is_added_to_the_cosines_it_will_be_added_to(
    recipe_file: Path, monkeypatch
):
    """By its own cosines a head that found everything seemed to find nothing."""
    asked: list[str] = []

    def opened(model):
        asked.append(model.base)
        return SentenceTransformer(model.base)

    monkeypatch.setattr(tasks, "load_trainable", opened)
    recipe = read_recipe(recipe_file)
    select_task(recipe).development(None)
    other = recipe.evaluation.model_copy(update={"topical": recipe.model.base})
    model = recipe.model.model_copy(update={"base": "a run"})
    select_task(recipe.model_copy(update={"evaluation": other, "model": model})).development(None)
    assert asked == [recipe.model.base, recipe.model.base]


def test_the_score_is_the_mean_of_the_sets(small_model: SentenceTransformer):
    development = ContradictionDevelopment({}, lambda _: None, 16, "")  # type: ignore[arg-type]
    found = {"a": {NDCG: 0.4, ALPHA: 9}, "b": {NDCG: 0.8, ALPHA: 1}}
    assert development.score(found, {}) == pytest.approx(0.6)


def test_development_without_questions_is_refused(recipe_file: Path, tmp_path: Path):
    """The score would be no number, no checkpoint the best, and the run for nothing."""
    recipe = read_recipe(changed(recipe_file, ("dev.jsonl", "empty.jsonl")))
    with pytest.raises(ConfigurationError, match=r"empty\.jsonl holds no questions"):
        select_task(recipe).development(None)
    with pytest.raises(ReadError, match=r"no\.jsonl"):
        select_task(read_recipe(changed(recipe_file, ("empty.jsonl", "no.jsonl")))).development(
            None
        )
