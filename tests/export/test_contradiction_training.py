"""A run of the sparse contrastive task: batches, resuming, development, averaging."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from datasets import Dataset as Rows  # noqa: E402
from logic_export.contradictions import candidates_of, find_alpha, ndcg, pool_of  # noqa: E402
from logic_export.data.contradictions.sides import Sides, write_sides  # noqa: E402
from logic_export.losses import SparseContrastiveLoss  # noqa: E402
from logic_export.recipe import Data, read_recipe  # noqa: E402
from logic_export.training import tasks  # noqa: E402
from logic_export.training.average import average  # noqa: E402
from logic_export.training.drawing import draw_sides  # noqa: E402
from logic_export.training.opposition import (  # noqa: E402
    ALPHA,
    COSINE,
    NDCG,
    ContradictionDevelopment,
)
from logic_export.training.run import train  # noqa: E402
from logic_export.training.sides import SidesBatchSampler, SidesCollator, to_row  # noqa: E402
from logic_export.training.tasks import task_of  # noqa: E402
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer  # noqa: E402

from logic_retrievers.errors import ConfigurationError, ReadError  # noqa: E402

WORDS = ["a", "quiet", "room", "hotel", "noise", "find", "not", "loud", "without", "no"]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def groups(count: int, seed: int = 0) -> list[Sides]:
    """A statement and its paraphrase against the same with "not", some with a side of one."""
    random = Random(seed)
    made = []
    for number in range(count):
        words = random.choices(WORDS, k=5) + [random.choice(".,:!")] * (number % 5)
        said = [" ".join(words), " ".join(reversed(words))]
        right = [f"{text} not loud" for text in said][: 1 + number % 2]
        made.append(Sides(tuple(dict.fromkeys(said)), tuple(right), f"s{number % 2}"))
    return made


def question_row(number: int, random: Random) -> dict[str, str]:
    yes, no = (" ".join(random.choices(WORDS, k=6)) for _ in range(2))
    return {
        "question": f"q {number}",
        "memory_answer": f"yes {number}",
        "parametric_memory": f"{yes} : {number}",
        "parametric_memory_aligned_evidence": f"{yes} ! {number}",
        "counter_answer": f"no {number}",
        "counter_memory": f"{no} : {number} not",
        "counter_memory_aligned_evidence": f"{no} ! {number} not",
    }


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    """A recipe over a model of two layers; an epoch has 6 steps or so."""
    write_sides(tmp_path / "rows.jsonl", groups(24))
    random = Random(1)
    for name, count in (("dev", 6), ("empty", 0)):
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(json.dumps(question_row(n, random)) + "\n" for n in range(count))
        )
    path = tmp_path / "recipe.toml"
    path.write_text(
        f"""
        name = "small"
        head = "contradiction"
        [model]
        base = "{small_model_folder}"
        document_tokens = 16
        dropout = 0.1
        [[data]]
        builder = "file"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{tmp_path / "rows.jsonl"}" }}
        [loss]
        name = "sparse_contrastive"
        temperature = 0.1
        [training]
        epochs = 2
        batch_size = 4
        learning_rate = 1e-3
        [evaluation]
        sets = ["{tmp_path / "dev.jsonl"}"]
        every = 4
        """
    )
    return path


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return path


def weights(folder: Path) -> dict[str, np.ndarray]:
    from safetensors.numpy import load_file

    (file,) = folder.rglob("*.safetensors")
    return load_file(file)


class Killed(BaseException):
    """What ends a run in its middle."""


@pytest.mark.slow
def test_a_run_that_was_ended_goes_on_to_the_same_weights(
    recipe_file: Path, tmp_path: Path, monkeypatch
):
    """A run that silently starts again, or goes on with other batches, cannot be repeated."""
    recipe = read_recipe(recipe_file)
    whole = train(recipe, tmp_path / "whole", quiet=True)
    out, steps = tmp_path / "ended", []
    forward = SparseContrastiveLoss.forward

    def ends(self, features, labels):
        if len(steps) == 6:
            raise Killed
        steps.append(1)
        return forward(self, features, labels)

    with monkeypatch.context() as patch:
        patch.setattr(SparseContrastiveLoss, "forward", ends)
        with pytest.raises(Killed):
            train(recipe, out, quiet=True)
    assert not (out / "card.json").exists()
    assert [p.name for p in (out / "checkpoints").iterdir()] == ["checkpoint-4"]

    resumed = train(recipe, out, quiet=True)

    left, right = weights(whole.model), weights(resumed.model)
    assert left.keys() == right.keys()
    for name, values in left.items():
        np.testing.assert_array_equal(values, right[name])
    assert (resumed.best, resumed.base, resumed.sets) == (whole.best, whole.base, whole.sets)
    before = weights(Path(recipe.model.base))
    assert any(not np.array_equal(values, before[name]) for name, values in left.items())
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in logged] == sorted(row["step"] for row in logged)
    card = json.loads((out / "card.json").read_text())
    assert card["recipe"]["loss"] == {
        "name": "sparse_contrastive",
        "temperature": 0.1,
        "measure": "hoyer",
    }
    assert card["sets"][0]["rows"] == 24
    (figures,) = card["best"].values()
    assert set(figures) == {NDCG, COSINE, ALPHA}
    assert "The `contradiction` encoder" in (out / "README.md").read_text()
    with pytest.raises(ConfigurationError, match="finished run"):
        train(recipe, out, quiet=True)


@pytest.mark.slow
def test_runs_are_averaged(recipe_file: Path, tmp_path: Path):
    """Figures of a mean that were measured for another task would be those of nothing."""
    recipe = changed(recipe_file, ("epochs = 2", "epochs = 1"))
    runs = [tmp_path / f"run{seed}" for seed in (0, 1)]
    for seed, run in enumerate(runs):
        train(read_recipe(recipe).model_copy(update={"seed": seed}), run, quiet=True)
    found = average(runs, tmp_path / "mean")
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


# --- batches


def sampled(made: list[Sides], size: int, *, seed: int = 0, epoch: int = 0) -> list[list[int]]:
    sampler = SidesBatchSampler(
        Rows.from_list([to_row(group) for group in made]), size, drop_last=False, seed=seed
    )
    sampler.set_epoch(epoch)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    return batches


def test_a_batch_holds_one_source_and_no_text_twice():
    """What contradicts a text in one group would be its negative in the other."""
    shared = [Sides((f"a {n % 4}", f"b {n}"), (f"c {n}", f"d {n % 3}"), "x") for n in range(24)]
    made = groups(24) + shared
    batches = sampled(made, 4)
    assert sorted(i for batch in batches for i in batch) == list(range(48))
    assert max(map(len, batches)) == 4
    for batch in batches:
        assert len({made[i].source for i in batch}) == 1
        if made[batch[0]].source == "x":
            said = [text for i in batch for text in made[i].texts]
            assert len(said) == len(set(said))
    assert batches == sampled(made, 4)
    assert batches != sampled(made, 4, epoch=1)
    assert batches != sampled(made, 4, seed=1)


@pytest.fixture
def small_model(small_model_folder: Path) -> SentenceTransformer:
    return SentenceTransformer(str(small_model_folder), device="cpu")


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text)


@pytest.mark.parametrize("count", [1, 2, 9])
def test_labels_stay_with_their_texts(small_model: SentenceTransformer, count: int):
    """Texts are sorted by length and cut in two parts: a label that is left behind says that
    strangers contradict each other, and the loss still falls.
    """
    made = groups(count, seed=3)
    batch = SidesCollator(small_model, 24, "q : ")([to_row(group) for group in made])
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    assert len(features) == 2
    assert all(len(part["input_ids"]) for part in features)
    rows = [ids for part in features for ids in part["input_ids"]]
    assert len(rows) == len(labels) == sum(len(group.texts) for group in made)
    texts = [small_model.tokenizer.decode(ids, skip_special_tokens=True) for ids in rows]
    found = [(words(text), *label) for text, label in zip(texts, labels.tolist(), strict=True)]
    expected = [
        (words(f"q : {text}"), group, side)
        for group, one in enumerate(made)
        for side, said in enumerate((one.left, one.right))
        for text in said
    ]
    assert sorted(found) == sorted(expected)
    short, long = (int(part["attention_mask"].sum(1).max()) for part in features)
    assert short <= long


def test_a_batchs_loss_is_that_of_its_groups(small_model: SentenceTransformer):
    """From rows to the loss, as the trainer does it, against the texts encoded one by one."""
    from logic_export.losses import sparse_contrastive_loss

    made = groups(5, seed=4)
    batch = SidesCollator(small_model, 16, "")([to_row(group) for group in made])
    features, labels = SentenceTransformerTrainer.collect_features(None, batch)
    small_model.eval()
    with torch.no_grad():
        found = SparseContrastiveLoss(small_model, 0.1)(features, labels)
    said = [
        (text, group, side)
        for group, one in enumerate(made)
        for side, texts in enumerate((one.left, one.right))
        for text in texts
    ]
    small_model.max_seq_length = 16
    alone = torch.stack(
        [small_model.encode(text, convert_to_tensor=True, batch_size=1) for text, _, _ in said]
    )
    expected = sparse_contrastive_loss(
        alone, torch.tensor([g for _, g, _ in said]), torch.tensor([s for _, _, s in said]),
        temperature=0.1,
    )  # fmt: skip
    assert found.item() == pytest.approx(expected.item(), rel=1e-3)


def test_texts_are_cut_to_the_recipes_length(small_model: SentenceTransformer):
    rows = [to_row(Sides(("a " * 50,), ("no " * 60 + "a",)))]
    batch = SidesCollator(small_model, 9, "")(rows)
    assert batch["short_input_ids"].shape == batch["long_input_ids"].shape == (1, 9)


def test_a_draw_is_of_groups_and_by_seed():
    part = Data(builder="file", licence="MIT", ships=True, most=10)
    made = groups(24)
    kept = draw_sides(made, part, 0)
    assert len(kept) == len({id(group) for group in kept}) == 10
    assert kept == draw_sides(made, part, 0) != draw_sides(made, part, 1)
    assert draw_sides(made, part.model_copy(update={"most": None}), 0) == made
    assert draw_sides(made, part.model_copy(update={"most": 99}), 0) == made


# --- development


def test_development_measures_what_retrieval_is_measured_by(small_model: SentenceTransformer):
    """Cosines of the head that is trained, instead of the base's, would move with every step."""
    pool = pool_of(groups(8, seed=5))
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
    candidates = candidates_of(pool, topical, own, "hoyer", 100)
    alpha = find_alpha(candidates)
    assert found[ALPHA] == alpha
    assert found[NDCG] == pytest.approx(ndcg(candidates, alpha).mean())
    assert found[COSINE] == pytest.approx(ndcg(candidates, 0).mean())
    told = development(small_model)
    assert told["score"] == found[NDCG]
    assert told[f"own {ALPHA}"] == alpha


def test_the_baseline_is_ranked_by_its_own_cosine(small_model: SentenceTransformer):
    pool = pool_of(groups(8, seed=5))
    wrong = np.zeros((len(pool.texts), 32), np.float32)
    found = ContradictionDevelopment({"own": pool}, lambda _: wrong, 16, "", None).measure(
        small_model
    )
    own = small_model.encode(list(pool.texts), normalize_embeddings=True)
    expected = ndcg(candidates_of(pool, own, own, depth=100), 0).mean()
    assert found == {"own": {NDCG: pytest.approx(expected)}}


def test_a_head_trained_further_is_added_to_the_cosines_it_will_be_added_to(
    recipe_file: Path, monkeypatch
):
    """By its own cosines a head that found everything seemed to find nothing."""
    asked: list[str] = []

    def opened(model):
        asked.append(model.base)
        return SentenceTransformer(model.base)

    monkeypatch.setattr(tasks, "prepared", opened)
    recipe = read_recipe(recipe_file)
    task_of(recipe).development(None)
    other = recipe.evaluation.model_copy(update={"topical": recipe.model.base})
    model = recipe.model.model_copy(update={"base": "a run"})
    task_of(recipe.model_copy(update={"evaluation": other, "model": model})).development(None)
    assert asked == [recipe.model.base, recipe.model.base]


def test_the_score_is_the_mean_of_the_sets(small_model: SentenceTransformer):
    development = ContradictionDevelopment({}, lambda _: None, 16, "")  # type: ignore[arg-type]
    found = {"a": {NDCG: 0.4, ALPHA: 9}, "b": {NDCG: 0.8, ALPHA: 1}}
    assert development.score(found, {}) == pytest.approx(0.6)


def test_development_without_questions_is_refused(recipe_file: Path, tmp_path: Path):
    """The score would be no number, no checkpoint the best, and the run for nothing."""
    recipe = read_recipe(changed(recipe_file, ("dev.jsonl", "empty.jsonl")))
    with pytest.raises(ConfigurationError, match=r"empty\.jsonl holds no questions"):
        task_of(recipe).development(None)
    with pytest.raises(ReadError, match=r"no\.jsonl"):
        task_of(read_recipe(changed(recipe_file, ("empty.jsonl", "no.jsonl")))).development(None)


# --- the recipe


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
    recipe = read_recipe(changed(recipe_file, ('builder = "file"', 'builder = "flipped"')))
    with pytest.raises(ConfigurationError, match=r"no builder 'flipped'; there are claims"):
        task_of(recipe).rows(tmp_path)
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query": "a", "satisfying": "b", "violating": "c"}\n')
    recipe = read_recipe(changed(recipe_file, ('builder = "flipped"', 'builder = "file"')))
    with pytest.raises(ReadError, match="unknown fields query"):
        task_of(recipe).rows(tmp_path)
    other = changed(
        recipe_file,
        ('name = "sparse_contrastive"\n        temperature = 0.1', 'name = "compatibility"'),
    )
    path.write_text('{"left": ["a"], "right": ["b"]}\n')
    with pytest.raises(ReadError, match="unknown fields left, right"):
        task_of(read_recipe(other)).rows(tmp_path)


def test_rows_are_drawn_once(recipe_file: Path, tmp_path: Path):
    """A run that goes on after its data changed would end as no recipe's."""
    task, out = task_of(read_recipe(recipe_file)), tmp_path / "run"
    rows, sets = task.rows(out)
    assert rows == [to_row(group) for group in groups(24)]
    (tmp_path / "rows.jsonl").unlink()
    assert task.rows(out) == (rows, sets)
