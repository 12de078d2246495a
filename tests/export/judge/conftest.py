"""A trained judge, and bundles with the judge and further questions, made once a session."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from small_judges import SmallJudge


@pytest.fixture(scope="session")
def small_judge(
    small_model_folder: Path, bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> SmallJudge:
    """Make a finished run, and a bundle over the same encoder."""
    from logic_export.judge.run import train_judge
    from logic_export.recipe import read_judge_recipe
    from small_judges import SmallJudge, judge_recipe

    folder = tmp_path_factory.mktemp("judge")
    recipe = judge_recipe(small_model_folder, folder / "recipe")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        train_judge(read_judge_recipe(recipe), folder / "run", quiet=True)
    return SmallJudge(small_model_folder, recipe, folder / "run", bundle)


@pytest.fixture(scope="session")
def judge_bundle(small_judge: SmallJudge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a bundle with a judge in four bits, which lose much of random weights."""
    from logic_export.judge import export as exporting
    from small_judges import add_pairs

    out = tmp_path_factory.mktemp("judge") / "bundle"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporting, "MAX_INT4_DIFFERENCE", 0.4)
        add_pairs(small_judge.bundle, small_judge.run / "model", out)
    return out


@pytest.fixture(scope="session")
def unpacked(
    small_judge: SmallJudge, judge_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Unpack the judge of ``judge_bundle`` as a PyTorch model."""
    from logic_export.judge.low_rank import unpack_judge

    run = tmp_path_factory.mktemp("unpacked") / "run"
    unpack_judge(judge_bundle, str(small_judge.base), run)
    return run / "model"


@pytest.fixture(scope="session")
def relation_model(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the judge with six labels and two matrices changed by rank 2, as after training."""
    import torch
    from small_judges import relabelled

    from logic_retrievers.judging import RELATIONS

    folder = tmp_path_factory.mktemp("relation")
    model = relabelled(unpacked, len(RELATIONS), seed=0)
    layer = model.bert.encoder.layer[1]
    with torch.no_grad():
        for matrix in (layer.output.dense.weight, layer.attention.self.query.weight):
            matrix += 0.2 * torch.randn(len(matrix), 2) @ torch.randn(2, matrix.shape[1])
        model.classifier.weight *= 20
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def both_bundle(
    judge_bundle: Path, relation_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Add relation to the bundle with the judge."""
    from small_judges import add_pairs

    out = tmp_path_factory.mktemp("both") / "bundle"
    figures = add_pairs(judge_bundle, relation_model, out, rank=2, relation=True, threshold=0.6)
    assert 0 <= figures["dev"] <= 1
    return out


@pytest.fixture(scope="session")
def three_bundle(
    both_bundle: Path, unpacked: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Add NLI to that bundle: the judge with a new classifier."""
    from small_judges import CONFLICT_CONSTANTS, add_pairs, relabelled

    folder = tmp_path_factory.mktemp("nli") / "model"
    relabelled(unpacked, 3, seed=1).save_pretrained(folder)
    out = tmp_path_factory.mktemp("three") / "bundle"
    add_pairs(both_bundle, folder, out, rank=1, **CONFLICT_CONSTANTS)
    return out


@pytest.fixture(scope="session")
def constraint_run(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a finished run of the constraint question, trained from the bundle's judge."""
    from logic_export.judge.run import train_judge
    from logic_export.recipe import read_judge_recipe
    from small_judges import constraint_recipe

    folder = tmp_path_factory.mktemp("constraint")
    recipe = constraint_recipe(unpacked, folder / "recipe")
    train_judge(read_judge_recipe(recipe), folder / "run", quiet=True)
    return folder / "run"
