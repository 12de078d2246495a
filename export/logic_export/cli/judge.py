"""Commands that train, add and measure pair judges; heavy imports wait for the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from logic_export.cli.options import parse_numbers, training_imports
from logic_retrievers.cli.console import out, report_errors
from logic_retrievers.errors import ConfigurationError, ReadError

JudgeStorage = Literal["int4", "int8", "mixed", "fp16", "none"]
FolderLabels = Literal["verdict", "relevance"]
Precision = Literal["fp32", "bf16"]


@report_errors
def train_judge(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RECIPE|DIR",
            help="A TOML file (see export/recipes/judge-*), or with --base a labelled folder.",
        ),
    ],
    folder: Annotated[
        Path, typer.Option("--out", help="A new folder, or that of an interrupted run to resume.")
    ],
    base: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|DIR",
            help="The encoder or cross-encoder to train from DIR: a folder or a hub name.",
        ),
    ] = None,
    labels: Annotated[
        FolderLabels | None,
        typer.Option(help="With --base: three labels or one score.", show_default="verdict"),
    ] = None,
    epochs: Annotated[
        float | None, typer.Option(help="With --base: passes over DIR.", show_default="3")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="With --base: pairs per step.", show_default="16")
    ] = None,
    learning_rate: Annotated[
        float | None,
        typer.Option(help="With --base: 1e-4 suits small models.", show_default="3e-5"),
    ] = None,
    precision: Annotated[
        Precision | None,
        typer.Option(
            help="With --base: bf16 is faster where the processor has it.", show_default="fp32"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Trains a judge from a recipe or a labelled folder, or resumes an interrupted run."""
    with training_imports():
        from logic_export.judge.labelled_folder import folder_recipe
        from logic_export.judge.run import train_judge as run
        from logic_export.recipe import read_judge_recipe
    options: dict[str, Any] = {
        "labels": labels,
        "epochs": epochs,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
        "precision": precision,
    }
    given = {name: value for name, value in options.items() if value is not None}
    if base is not None:
        settings = folder_recipe(source, base, **given)
    elif given:
        option = next(iter(given)).replace("_", "-")
        raise ConfigurationError(f"--{option} goes with --base; a recipe has its own settings")
    elif source.is_dir():
        raise ConfigurationError(f"{source} is a folder: name the model to train with --base")
    else:
        settings = read_judge_recipe(source)
    if seed is not None:
        settings = settings.model_copy(update={"seed": seed})
    _print_accuracies(run(settings, folder, quiet=quiet))
    out.print(f"model, card and metrics are in {folder}", soft_wrap=True)


@report_errors
def unpack_judge(
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")],
    bundle: Annotated[
        Path | None,
        typer.Option(help="A bundle with a judge.", show_default="the one that is shipped"),
    ] = None,
    base: Annotated[
        str, typer.Option(help="The encoder that it was trained from.")
    ] = "all-minilm-l6-v2",
) -> None:
    """Writes a bundle's pair judge as a PyTorch model that can be trained further."""
    with training_imports():
        from logic_export.judge.low_rank import unpack_judge as unpack
    unpack(bundle, base, folder)
    out.print(f"model and card are in {folder}", soft_wrap=True)


@report_errors
def add_judge(
    bundle: Annotated[Path, typer.Argument(help="A bundle whose heads share a trunk.")],
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    folder: Annotated[Path, typer.Option("--out", help="The new bundle; must not exist.")],
    constant: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE: a constant of the model that is added; may be repeated."),
    ] = None,
    minimum: Annotated[
        list[str] | None,
        typer.Option(help="SET=VALUE: minimum accuracy on a development set; may be repeated."),
    ] = None,
    compression: Annotated[
        JudgeStorage,
        typer.Option(help="How weights are stored; int4 is three times as fast on a CPU."),
    ] = "int4",
    rank: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="For all but a judge: rank in which the changes to the judge are stored, if lower "
            "than the recipe's.",
        ),
    ] = None,
    keep_here: Annotated[
        bool,
        typer.Option("--keep-here", help="Accept data whose licence lets no model be handed on."),
    ] = False,
) -> None:
    """Copies a bundle and adds a trained model: a judge, or one for another question.

    The encoders' vectors stay the same.
    """
    with training_imports():
        from logic_export.judge.export import add_judge as add
        from logic_export.judge.finished_run import read_finished_run
    finished = read_finished_run(run)
    if not finished.ships and not keep_here:
        raise ConfigurationError(
            f"{run} was trained on data whose licence lets no model be handed on; to make a bundle "
            "for this machine only, pass --keep-here"
        )
    source = finished.source
    if rank is not None:
        source = replace(source, rank=min(rank, source.rank))
    figures = add(
        bundle,
        source,
        folder,
        finished.development(),
        constants=parse_numbers(constant, "--constant"),
        minimum=parse_numbers(minimum, "--minimum"),
        compression=compression,
    )
    _print_accuracies(figures)
    if not finished.ships:
        out.print("trained on data whose licence lets no model be handed on")
    out.print(f"the bundle is in {folder}", soft_wrap=True)


@report_errors
def measure_judge(
    bundle: Annotated[Path, typer.Argument(help="A bundle with a pair judge.")],
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSON lines of premise, hypothesis and label."),
    ],
) -> None:
    """Prints how often a bundle's judge is right, and how well its probabilities are calibrated."""
    with training_imports():
        from logic_export.judge.measure import accuracy, calibration_error
    from logic_export.judge.rows import read_judge_rows
    from logic_retrievers.judging import OnnxPairJudge

    sets = {path: read_judge_rows(path) for path in files}
    if empty := [path for path, rows in sets.items() if not rows]:
        raise ReadError(f"{empty[0]} has no row")
    judge = OnnxPairJudge(bundle).read
    table = Table("file", "pairs", "accuracy", "calibration error")
    for path, rows in sets.items():
        figures = accuracy(judge, rows), calibration_error(judge, rows)
        table.add_row(path.name, str(len(rows)), *(f"{value:.3f}" for value in figures))
    out.print(table)


def _print_accuracies(figures: Mapping[str, float]) -> None:
    table = Table("development set", "share")
    for name, value in figures.items():
        table.add_row(name, f"{value:.3f}")
    out.print(table)
