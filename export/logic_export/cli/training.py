"""Commands that train encoders and calibrate them; heavy imports wait for the call."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_export.cli.options import Seed, training_imports
from logic_retrievers.cli.console import out, report_errors


@report_errors
def train(
    recipe: Annotated[Path, typer.Argument(help="A TOML file; see export/recipes.")],
    folder: Annotated[
        Path, typer.Option("--out", help="A new folder, or that of an interrupted run to resume.")
    ],
    seed: Annotated[int | None, typer.Option(help="Replaces the recipe's seed.")] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Trains an encoder from a recipe, or resumes an interrupted run."""
    with training_imports():
        from logic_export.recipe import read_recipe
        from logic_export.training.run import train as run
    settings = read_recipe(recipe)
    if seed is not None:
        settings = settings.model_copy(update={"seed": seed})
    trained = run(settings, folder, quiet=quiet)
    table = Table("set", "metric", "before", "after")
    for name, figures in trained.best.items():
        for metric, value in figures.items():
            table.add_row(name, metric, f"{trained.base[name][metric]:.3f}", f"{value:.3f}")
    out.print(table)
    out.print(f"model, card and metrics are in {folder}", soft_wrap=True)


@report_errors
def average_checkpoints(
    runs: Annotated[list[Path], typer.Argument(help="Finished runs that differ in their seed.")],
    folder: Annotated[Path, typer.Option("--out", help="A new folder, like a run's.")],
) -> None:
    """Averages the weights of several runs into one model, often better than each of them."""
    with training_imports():
        from logic_export.training.average_checkpoints import average_runs
    table = Table("set", "metric", "value")
    for name, figures in average_runs(runs, folder).items():
        for metric, value in figures.items():
            table.add_row(name, metric, f"{value:.3f}")
    out.print(table)
    out.print(f"model and card are in {folder}", soft_wrap=True)


@report_errors
def distil_head(
    head: Annotated[str, typer.Argument(help="The head of the bundle that teaches.")],
    texts: Annotated[Path, typer.Argument(help="JSON lines with the key `text`, or .jsonl.gz.")],
    folder: Annotated[
        Path, typer.Option("--out", help="A new folder, or that of an interrupted run to resume.")
    ],
    licence: Annotated[str, typer.Option(help="SPDX expression of the texts.")],
    shared_layers: Annotated[int, typer.Option(help="Lowest layers of the base to keep.")] = 3,
    base: Annotated[str, typer.Option(help="The model of the head whose layers are shared.")] = (
        "all-minilm-l6-v2"
    ),
    bundle: Annotated[
        Path | None, typer.Option(help="A bundle.", show_default="the packaged one")
    ] = None,
    epochs: Annotated[float, typer.Option(help="Passes over the texts.")] = 1.0,
    ships: Annotated[
        bool, typer.Option("--ships", help="The licence permits handing the model on.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Trains a head's upper layers again, over the lowest layers of another head's model."""
    with training_imports():
        from logic_export.training.distillation import distil_head as distil
    from logic_retrievers.encoders.bundle import load_bundle
    from logic_retrievers.evaluation.rows import json_rows

    figures = distil(
        load_bundle(bundle),
        head,
        base,
        [row.text("text") for row in json_rows(texts)],
        folder,
        shared_layers=shared_layers,
        licence=licence,
        ships=ships,
        epochs=epochs,
        seed=seed,
    )
    out.print(
        f"cosine to the head on held-out texts: mean {figures['cosine']:.4f}, 5th percentile "
        f"{figures['5th percentile']:.4f}"
    )
    out.print(f"model and card are in {folder}", soft_wrap=True)


@report_errors
def calibrate(
    bundle: Annotated[Path, typer.Argument(help="A bundle with a contradiction head.")],
    groups: Annotated[
        list[Path],
        typer.Option(
            help="Development groups, as `data contradiction-groups` writes them; "
            "alpha is chosen on the first file."
        ),
    ],
    background: Annotated[Path, typer.Option(help="corpus.jsonl[.gz] of unrelated texts.")],
    others: Annotated[
        list[Path] | None,
        typer.Option(help="Groups whose texts join the candidate pool of the first file."),
    ] = None,
    pairs: Annotated[int, typer.Option(help="Random pairs of the background.")] = 5000,
    seed: Seed = 0,
) -> None:
    """Finds the constants of a bundle's contradiction head and writes them into its manifest."""
    with training_imports():
        from logic_export.bundles.calibration import calibrate as find_constants
        from logic_export.bundles.calibration import write_constants
    from logic_export.data.contradictions.groups import read_groups
    from logic_export.data.triplet_builders import corpus_texts
    from logic_retrievers.encoders import OnnxEncoder

    sources = [read_groups(path) for path in groups]
    other_groups = [group for path in others or () for group in read_groups(path)]
    settings = find_constants(
        OnnxEncoder(bundle),
        sources[0],
        sources,
        corpus_texts(background),
        others=other_groups,
        pairs=pairs,
        seed=seed,
    )
    names = ", ".join(path.name for path in groups)
    pool = f", among {', '.join(path.name for path in others)}" if others else ""
    origin = (
        f"logic-export calibrate: groups {names}{pool}; null of {pairs} pairs of {background.name}"
    )
    write_constants(bundle, settings, origin)
    table = Table("constant", "value")
    for name, value in asdict(settings).items():
        table.add_row(name, str(value))
    out.print(table)
