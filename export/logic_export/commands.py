"""The commands that this package adds to ``logic-retrievers``; imports wait for their call."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.errors import ConfigurationError, MissingExtraError

Seed = Annotated[int, typer.Option(help="The same seed gives the same rows.")]
Builder = Annotated[str, typer.Argument(help="Which builder; an unknown one lists them all.")]
RowFile = Annotated[Path, typer.Option("--out", help="JSON lines; .gz is compressed.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", help="NAME=VALUE, for the builder; may be repeated."),
]


class Kind(StrEnum):
    """What CoDeR's diagnostics are made by."""

    ANTONYM = "antonym"
    NEGATION = "negation"
    EXCLUSION = "exclusion"


@reports_errors
def train(
    recipe: Annotated[Path, typer.Argument(help="A TOML file; see export/recipes.")],
    folder: Annotated[
        Path, typer.Option("--out", help="New, or that of an interrupted run, which then goes on.")
    ],
    seed: Annotated[int | None, typer.Option(help="In place of the recipe's.")] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Trains an encoder after a recipe, or goes on with an interrupted run."""
    try:
        from logic_export.recipe import read_recipe
        from logic_export.training.run import train as run
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    chosen = read_recipe(recipe)
    if seed is not None:
        chosen = chosen.model_copy(update={"seed": seed})
    trained = run(chosen, folder, quiet=quiet)
    table = Table("set", "figure", "before", "after")
    for name, figures in trained.best.items():
        for figure, value in figures.items():
            table.add_row(name, figure, f"{trained.base[name][figure]:.3f}", f"{value:.3f}")
    out.print(table)
    out.print(f"model, card and metrics are in {folder}", markup=False, soft_wrap=True)


@reports_errors
def average(
    runs: Annotated[list[Path], typer.Argument(help="Finished runs that differ in their seed.")],
    folder: Annotated[Path, typer.Option("--out", help="A new folder, as a run's.")],
) -> None:
    """Makes one model of several runs: the mean of their weights, often better than each."""
    try:
        from logic_export.training.average import average as mean
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    table = Table("set", "figure", "value")
    for name, found in mean(runs, folder).items():
        for figure, value in found.items():
            table.add_row(name, figure, f"{value:.3f}")
    out.print(table)
    out.print(f"model and card are in {folder}", markup=False, soft_wrap=True)


class ExportedBy(StrEnum):
    """Who makes the graphs."""

    TORCH = "torch"
    OPTIMUM = "optimum"


class Stored(StrEnum):
    """How weights are stored."""

    NONE = "none"
    FP16 = "fp16"
    MIXED = "mixed"
    INT8 = "int8"


@reports_errors
def export(
    head: Annotated[
        list[str],
        typer.Option(help="NAME=SOURCE: a run's folder, a model's, or a hub name; once a vector."),
    ],
    folder: Annotated[Path, typer.Option("--out", help="The bundle's folder; must not exist.")],
    licence: Annotated[str, typer.Option(help="SPDX expression, of the weights.")],
    notice: Annotated[
        Path | None,
        typer.Option(
            help="A text on origin and rights; made from the runs if left.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    shared_layers: Annotated[int, typer.Option(help="As in the recipe: model.shared_layers.")] = 0,
    compression: Annotated[Stored, typer.Option(help="Of weights on disk.")] = Stored.MIXED,
    exporter: Annotated[ExportedBy, typer.Option(help="torch, or optimum.")] = ExportedBy.TORCH,
    min_cosine: Annotated[float, typer.Option(help="Least cosine to the original.")] = 0.9999,
    retrieval: Annotated[
        str | None, typer.Option(help="Data set on which nDCG@10 must hold too; takes minutes.")
    ] = None,
) -> None:
    """Makes an ONNX bundle of trained runs and models, or says why it would not do."""
    try:
        from logic_export.bundle import Label, export_bundle
        from logic_export.heads import find_head, notice_of
        from logic_retrievers.evaluation import load_dataset
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    heads = [find_head(*_pair(one, "--head")) for one in head]
    text = notice_of(heads) if notice is None else notice.read_text("utf-8")
    figures = export_bundle(
        folder,
        Label(
            folder.name,
            licence,
            ", ".join(dict.fromkeys(one.origin for one in heads)),
            {"NOTICE": text},
        ),
        heads,
        shared_layers=shared_layers,
        compression=compression.value,
        min_cosine=min_cosine,
        dataset=load_dataset(retrieval) if retrieval else None,
        exporter=exporter.value,
    )
    table = Table("megabytes", "lowest cosine", "alone and in a batch", "nDCG@10", "original")
    scores = ("-" if one is None else f"{one:.4f}" for one in (figures.ndcg, figures.original_ndcg))
    cosines = (figures.lowest_cosine, figures.batch_cosine)
    table.add_row(f"{figures.megabytes:.1f}", *(f"{one:.7f}" for one in cosines), *scores)
    out.print(table)
    if kept := [one.name for one in heads if not one.ships]:
        out.print(f"{', '.join(kept)}: trained on data that let no model be handed on")
    out.print(f"the bundle is in {folder}", markup=False, soft_wrap=True)


@reports_errors
def add_head(
    bundle: Annotated[Path, typer.Argument(help="A bundle whose heads share a trunk.")],
    head: Annotated[str, typer.Option(help="NAME=SOURCE: a run's folder, a model's, a hub name.")],
    folder: Annotated[Path, typer.Option("--out", help="The new bundle; must not exist.")],
    shared_layers: Annotated[int, typer.Option(help="As the bundle was exported with.")] = 0,
    compression: Annotated[
        Stored, typer.Option(help="As the bundle was exported with.")
    ] = Stored.MIXED,
) -> None:
    """Makes a bundle with one more head, or another one in its place; the others stay the same."""
    try:
        from logic_export.adding import add_head as add
        from logic_export.heads import find_head
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    added = find_head(*_pair(head, "--head"))
    figures = add(
        bundle,
        added,
        folder,
        shared_layers=shared_layers,
        compression=compression.value,
    )
    out.print(f"lowest cosine to the original: {figures.lowest_cosine:.7f}")
    if not added.ships:
        out.print(f"{added.name}: trained on data that let no model be handed on")
    out.print(f"the bundle is in {folder}", markup=False, soft_wrap=True)


@reports_errors
def triplets(builder: Builder, file: RowFile, option: Options = None, seed: Seed = 0) -> None:
    """Builds training triplets from a data set or a corpus."""
    from logic_export.data.sources import build
    from logic_export.data.triplets import write_triplets

    rows = build(builder, _options(option), seed)
    write_triplets(file, rows)
    out.print(f"{len(rows)} triplets are in {file}", markup=False, soft_wrap=True)


@reports_errors
def sides(builder: Builder, file: RowFile, option: Options = None, seed: Seed = 0) -> None:
    """Builds groups of two contradicting sides from a data set or a corpus."""
    from logic_export.data.contradictions.sources import build_sides
    from logic_retrievers.evaluation.sides import write_sides

    rows = build_sides(builder, _options(option), seed)
    write_sides(file, rows)
    out.print(f"{len(rows)} groups are in {file}", markup=False, soft_wrap=True)


@reports_errors
def calibrate(
    bundle: Annotated[Path, typer.Argument(help="A bundle with a contradiction head.")],
    groups: Annotated[
        list[Path],
        typer.Option(
            "--sides", help="Development groups, as `sides` writes them; alpha by the first file."
        ),
    ],
    background: Annotated[Path, typer.Option(help="corpus.jsonl[.gz] of unrelated texts.")],
    others: Annotated[
        list[Path] | None, typer.Option(help="Groups whose texts fill the pool of the first file.")
    ] = None,
    pairs: Annotated[int, typer.Option(help="Random pairs of the background.")] = 5000,
    seed: Seed = 0,
) -> None:
    """Finds the constants of a bundle's contradiction head and writes them into its manifest."""
    try:
        from logic_export.calibration import calibrate as found
        from logic_export.calibration import write_constants
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sklearn", "train") from error
    from logic_export.data.sources import texts_of
    from logic_retrievers.encoders import OnnxEncoder
    from logic_retrievers.evaluation.sides import read_sides

    sources = [read_sides(path) for path in groups]
    settings = found(
        OnnxEncoder(bundle),
        sources[0],
        sources,
        texts_of(background),
        others=[group for path in others or () for group in read_sides(path)],
        pairs=pairs,
        seed=seed,
    )
    names = ", ".join(path.name for path in groups)
    filled = f", among {', '.join(path.name for path in others)}" if others else ""
    origin = (
        f"logic-retrievers calibrate: groups {names}{filled}; null of {pairs} pairs of "
        f"{background.name}"
    )
    write_constants(bundle, settings, origin)
    table = Table("constant", "value")
    for name, value in asdict(settings).items():
        table.add_row(name, str(value))
    out.print(table)


@reports_errors
def diagnose(
    kind: Annotated[Kind, typer.Argument(help="How the queries of a pair differ.")],
    corpus: Annotated[Path, typer.Argument(help="corpus.jsonl[.gz] with _id, title and text.")],
    folder: Annotated[Path, typer.Option("--out", help="A folder for `evaluate`.")],
    count: Annotated[int, typer.Option(help="Sets of documents, two queries each.")] = 50,
    seed: Seed = 0,
) -> None:
    """Makes a small benchmark over your own corpus: antonyms, negations or exclusions (CoDeR)."""
    from logic_export.data import diagnostics
    from logic_export.data.wordnet import load_wordnet
    from logic_retrievers.evaluation.rows import json_rows

    documents = {
        row.id(): f"{row.text('title')} {row.text('text')}".strip() for row in json_rows(corpus)
    }
    if kind is Kind.ANTONYM:
        made = diagnostics.antonym_diagnostic(documents, load_wordnet(), count=count, seed=seed)
    elif kind is Kind.NEGATION:
        made = diagnostics.negation_diagnostic(documents, count=count, seed=seed)
    else:
        made = diagnostics.exclusion_diagnostic(documents, count=count, seed=seed)
    diagnostics.write_diagnostic(folder, made)
    out.print(
        f"{count} sets are in {folder}; `logic-retrievers evaluate {folder}` measures on them",
        markup=False,
        soft_wrap=True,
    )


def _pair(text: str, option: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name or not value:
        raise ConfigurationError(f"{option} is NAME=VALUE, not {text!r}")
    return name, value


def _options(given: list[str] | None) -> dict[str, object]:
    pairs = dict(_pair(one, "--option") for one in given or ())
    return {name: _value(text) for name, text in pairs.items()}


def _value(text: str) -> object:
    """JSON where it is some, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
