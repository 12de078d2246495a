"""A run of the set-query task: reading, drawing, learning, resuming."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.data.set_examples import (  # noqa: E402
    DOCUMENTS,
    SetExample,
    read_examples,
    set_queries,
    write_examples,
)
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.average_checkpoints import average_runs  # noqa: E402
from logic_export.training.batches import set_query_row  # noqa: E402
from logic_export.training.development import ANSWER_RECALL  # noqa: E402
from logic_export.training.query_relations import find_relations  # noqa: E402
from logic_export.training.run import train  # noqa: E402
from logic_export.training.tasks import select_task  # noqa: E402
from logic_export.training.training_data import sample_set_examples  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402
from small_recipes import changed, set_recipe  # noqa: E402

from logic_retrievers.errors import ConfigurationError, InputError, ReadError  # noqa: E402
from logic_retrievers.queries.expressions import Atom  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def folder(recipe_file: Path) -> Path:
    return recipe_file.parent / "rooms"


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return set_recipe(small_model_folder, tmp_path)


# --- rows


def test_a_folder_is_read_with_its_variants(folder: Path):
    """Variants of another source would never meet their query in a batch."""
    found = set_queries(str(folder), variants=True)
    assert len(found) == len({one.query + one.group for one in found}) == 75
    assert len(set_queries(str(folder))) == 45
    assert {one.source for one in found} == {"rooms/train"}
    assert len({one.group for one in found}) == 15
    [denied] = [one for one in found if one.query == "find quiet not noise"]
    assert denied.expression == Atom("quiet") & ~Atom("noise")
    assert all("noise" not in denied.documents[name] for name in denied.satisfying)
    assert len(denied.satisfying) == 8 * 9


def test_a_query_without_expression_is_named(folder: Path):
    path = folder / "train" / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    del rows[3]["expression"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ReadError, match=f"{rows[3]['_id']}.* has no expression"):
        set_queries(str(folder))


def test_queries_without_answers_teach_nothing_and_no_group_is_one(folder: Path):
    path = folder / "train" / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0] |= {"satisfying": [], "violating": rows[0]["satisfying"]}
    rows[1]["neutral"] = [
        name for name in ("quiet0", "noise0") if name not in rows[1]["satisfying"]
    ]
    del rows[1]["group"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = set_queries(str(folder))
    assert len(found) == 44
    assert found[0].group == rows[1]["_id"]
    assert found[0].neutral == tuple(sorted(rows[1]["neutral"]))


def test_rows_come_back_as_they_were_written(folder: Path, tmp_path: Path):
    found = set_queries(str(folder), variants=True)[:9]
    found[2] = replace(found[2], neutral=("x", "y"), source="other")
    for name in ("one", "two"):
        write_examples(tmp_path / name / "rows.jsonl.gz", found)
    back = read_examples(tmp_path / "one" / "rows.jsonl.gz")
    assert back == found
    for one, other in zip(back, found, strict=True):
        assert all(one.documents[name] == other.documents[name] for name in one.satisfying)
    needed = {(one.source, name) for one in found for name in one.satisfying}
    with gzip.open(tmp_path / "one" / DOCUMENTS) as file:
        assert len(file.readlines()) == len(needed)
    for name in ("rows.jsonl.gz", DOCUMENTS):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_row_that_cannot_be_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="needs a text and an answer"):
        SetExample("find a room", Atom("room"), "g", (), (), "s", {})
    with pytest.raises(InputError, match="'a' of 'find' has no text"):
        SetExample("find", Atom("room"), "g", ("a",), (), "s", {})
    (tmp_path / DOCUMENTS).write_bytes(gzip.compress(b""))
    row = {"query": "q", "group": "g", "satisfying": ["a"], "source": "s"}
    for expression, fault in (({"op": "atom", "text": "a"}, "no text"), ({"op": "x"}, "the op")):
        (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "expression": expression}) + "\n")
        with pytest.raises(ReadError, match=rf"rows.jsonl:1: .*{fault}"):
            read_examples(tmp_path / "rows.jsonl")


def test_a_draw_keeps_groups_whole(folder: Path):
    """A query without those of the same atoms has no relation to train."""
    found = set_queries(str(folder), variants=True)
    kept = sample_set_examples(found, 22, 0)
    assert len(kept) == 20
    assert {one.group for one in found if one not in kept}.isdisjoint(one.group for one in kept)
    assert kept == sample_set_examples(found, 22, 0) != sample_set_examples(found, 22, 1)
    assert len(sample_set_examples(found, 2, 0)) == 5


def test_rows_are_drawn_once(recipe_file: Path, folder: Path, tmp_path: Path):
    """A run that goes on after its data changed would end as no recipe's."""
    task, out = select_task(read_recipe(recipe_file)), tmp_path / "run"
    rows, sets = task.rows(out)
    assert rows == [set_query_row(one) for one in set_queries(str(folder), variants=True)]
    for path in folder.rglob("*.jsonl"):
        if "dev" not in str(path):
            path.unlink()
    assert task.rows(out) == (rows, sets)


def test_builders_of_other_tasks_are_refused(recipe_file: Path, tmp_path: Path):
    recipe = read_recipe(changed(recipe_file, ('"set_queries"', '"negated"')))
    with pytest.raises(ConfigurationError, match="no builder"):
        select_task(recipe).rows(tmp_path)


@pytest.mark.parametrize(
    ("setting", "fault"),
    [
        ("random_share = 1.5", r"random_share"),
        ("alpha = 0.5", r"alpha"),
    ],
)
def test_a_setting_that_cannot_be_is_named(recipe_file: Path, setting: str, fault: str):
    with pytest.raises(ConfigurationError, match=fault):
        read_recipe(changed(recipe_file, ("random_share = 0.4", setting)))


# --- runs


def divergences(model: Path | str, folder: Path) -> float:
    """Mean symmetric divergence of exclusive queries' softmax over all documents."""
    examples = set_queries(str(folder), split="dev", variants=True)
    _, exclusive = find_relations([one.expression for one in examples])
    loaded = SentenceTransformer(str(model), device="cpu")
    documents = loaded.encode(list(examples[0].documents.values()), normalize_embeddings=True)
    queries = loaded.encode([one.query for one in examples], normalize_embeddings=True)
    logs = torch.log_softmax(torch.from_numpy(queries @ documents.T), dim=1).numpy()
    found = [
        ((np.exp(logs[i]) - np.exp(logs[j])) * (logs[i] - logs[j])).sum() / 2 for i, j in exclusive
    ]
    return float(np.mean(found))


@pytest.mark.slow
def test_a_run_learns_the_answers_and_what_excludes_them(recipe_file: Path, folder: Path, tmp_path):
    """The loss may fall for a reason of its own; the figures on other queries may not."""
    path = changed(
        recipe_file,
        ("random_share = 0.4", "random_share = 0.4\nexclusion_weight = 20.0"),
        ("epochs = 2", "epochs = 12"),
        ("every = 4", "every = 30"),
        ("learning_rate = 2e-3", "learning_rate = 5e-3"),
    )
    recipe = read_recipe(path)
    without = read_recipe(changed(path, ("exclusion_weight = 20.0", "exclusion_weight = 0")))
    trained, unconstrained = (
        train(one, tmp_path / f"run{n}", quiet=True) for n, one in enumerate((recipe, without))
    )
    lines = (tmp_path / "run0" / "metrics.jsonl").read_text().splitlines()
    terms = [row for row in map(json.loads, lines) if "contrastive" in row]
    assert terms[-1]["contrastive"] < 0.9 * terms[0]["contrastive"]
    assert terms[-1]["exclusion"] < 0.95 * terms[0]["exclusion"]
    assert "subset" in terms[0]
    assert (
        trained.best["rooms/dev"][ANSWER_RECALL] > trained.base["rooms/dev"][ANSWER_RECALL] + 0.05
    )
    found = [
        divergences(model, folder)
        for model in (recipe.model.base, unconstrained.model, trained.model)
    ]
    assert found[0] < found[1] < found[2]


@pytest.mark.slow
def test_runs_of_other_seeds_are_measured_on_one_pool_and_averaged(
    recipe_file: Path, tmp_path: Path
):
    """Figures on pools that move with the seed would choose the luckier one."""
    path = changed(
        recipe_file, ("every = 4", "every = 4\ndocuments = 200"), ("epochs = 2", "epochs = 1")
    )
    runs = [tmp_path / f"run{seed}" for seed in (0, 1)]
    trained = [
        train(read_recipe(path).model_copy(update={"seed": seed}), run, quiet=True)
        for seed, run in enumerate(runs)
    ]
    assert trained[0].base == trained[1].base
    assert trained[0].best != trained[1].best
    found = average_runs(runs, tmp_path / "mean")
    assert set(found) == {"rooms/dev"}
    assert ANSWER_RECALL in found["rooms/dev"]


@pytest.mark.slow
def test_a_smoke_run_without_constraints_ends(recipe_file: Path, tmp_path: Path):
    weightless = "random_share = 1\nexclusion_weight = 0\nsubset_weight = 0"
    path = changed(recipe_file, ("random_share = 0.4", weightless))
    recipe = read_recipe(path).smoke()
    assert recipe.evaluation.documents == 25
    trained = train(recipe, tmp_path / "run", quiet=True)
    assert [one.rows for one in trained.sets] == [5]
