"""Commands that make ONNX bundles and query encoders; heavy imports wait for the call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from logic_export.cli.options import parse_assignment, training_imports
from logic_retrievers.cli.console import out, report_errors

Storage = Literal["none", "fp16", "mixed", "int8"]
SharedLayers = Annotated[int, typer.Option(help="As the bundle was exported with.")]
Compression = Annotated[Storage, typer.Option(help="As the bundle was exported with.")]
NewStorage = Annotated[Storage, typer.Option(help="How weights are stored.")]
NewBundle = Annotated[Path, typer.Option("--out", help="The new bundle; must not exist.")]
RESTRICTED = "trained on data whose licence lets no model be handed on"


@report_errors
def export(
    head: Annotated[
        list[str],
        typer.Option(
            help="NAME=SOURCE, once per vector; SOURCE is the folder of a run or a model, "
            "or a hub name."
        ),
    ],
    folder: Annotated[Path, typer.Option("--out", help="The bundle's folder; must not exist.")],
    licence: Annotated[str, typer.Option(help="SPDX expression of the weights.")],
    notice: Annotated[
        Path | None,
        typer.Option(
            help="A text on origin and rights; written from the runs where left out.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    shared_layers: Annotated[int, typer.Option(help="As in the recipe: model.shared_layers.")] = 0,
    compression: NewStorage = "mixed",
    exporter: Annotated[
        Literal["torch", "optimum"], typer.Option(help="Library that makes the graphs.")
    ] = "torch",
    min_cosine: Annotated[
        float | None,
        typer.Option(
            help="Minimum cosine to the original.", show_default=".999 for int8, else .9999"
        ),
    ] = None,
    retrieval: Annotated[
        str | None, typer.Option(help="Data set on which nDCG@10 must hold too; takes minutes.")
    ] = None,
) -> None:
    """Exports runs and models as an ONNX bundle, if its vectors match the originals'."""
    with training_imports():
        from logic_export.bundles.export import BundleLabel, export_bundle
        from logic_export.bundles.heads import build_notice, find_head
        from logic_retrievers.evaluation import load_dataset
    heads = [find_head(*parse_assignment(text, "--head")) for text in head]
    text = build_notice(heads) if notice is None else notice.read_text("utf-8")
    origin = ", ".join(dict.fromkeys(source.origin for source in heads))
    figures = export_bundle(
        folder,
        BundleLabel(folder.name, licence, origin, {"NOTICE": text}),
        heads,
        shared_layers=shared_layers,
        compression=compression,
        min_cosine=min_cosine,
        dataset=load_dataset(retrieval) if retrieval else None,
        exporter=exporter,
    )
    table = Table("megabytes", "lowest cosine", "alone and in a batch", "nDCG@10", "original")
    scores = (figures.ndcg, figures.original_ndcg)
    table.add_row(
        f"{figures.megabytes:.1f}",
        f"{figures.lowest_cosine:.7f}",
        f"{figures.batch_cosine:.7f}",
        *("-" if score is None else f"{score:.4f}" for score in scores),
    )
    out.print(table)
    if restricted := [source.name for source in heads if not source.ships]:
        out.print(f"{', '.join(restricted)}: {RESTRICTED}")
    out.print(f"the bundle is in {folder}", soft_wrap=True)


@report_errors
def add_head(
    bundle: Annotated[Path, typer.Argument(help="A bundle whose heads share a trunk.")],
    head: Annotated[
        list[str],
        typer.Option(help="NAME=SOURCE: a run's folder, a model's, a hub name. Repeatable."),
    ],
    folder: NewBundle,
    shared_layers: SharedLayers = 0,
    compression: Compression = "mixed",
    keep_constants: Annotated[
        bool,
        typer.Option(
            "--keep-constants",
            help="Take the constants of the replaced heads; for distilled heads.",
        ),
    ] = False,
) -> None:
    """Copies a bundle with heads added or replaced; the other heads stay the same."""
    with training_imports():
        from logic_export.bundles.export import add_heads
        from logic_export.bundles.heads import find_head
    heads = [find_head(*parse_assignment(text, "--head")) for text in head]
    figures = add_heads(
        bundle,
        heads,
        folder,
        shared_layers=shared_layers,
        compression=compression,
        keep_constants=keep_constants,
    )
    for source in heads:
        cosine = figures[source.name].lowest_cosine
        out.print(f"{source.name}: lowest cosine to the original: {cosine:.7f}")
        if not source.ships:
            out.print(f"{source.name}: {RESTRICTED}")
    out.print(f"the bundle is in {folder}", soft_wrap=True)


@report_errors
def compress(
    folder: NewBundle,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Its weights should be finer.", show_default="the packaged one"),
    ] = None,
    compression: NewStorage = "int8",
) -> None:
    """Copies a bundle with its weights stored in another way."""
    with training_imports():
        from logic_export.bundles.recompress import recompress_bundle
    figures = recompress_bundle(bundle, folder, compression)
    out.print(
        f"{figures.megabytes:.1f} MB; cosine to the originals: mean {figures.mean_cosine:.6f}, "
        f"lowest {figures.lowest_cosine:.6f}"
    )
    out.print(f"the bundle is in {folder}", soft_wrap=True)


@report_errors
def export_query_encoder(
    run: Annotated[str, typer.Argument(help="The folder of a finished run or of a model.")],
    file: Annotated[Path, typer.Argument(metavar="OUT", help="NAME.query.onnx; must not exist.")],
    bundle: Annotated[
        Path | None,
        typer.Option(
            help="The bundle that made the stored vectors.", show_default="the packaged one"
        ),
    ] = None,
    head: Annotated[str, typer.Option(help="The head whose queries it encodes.")] = "topical",
    base: Annotated[
        str | None,
        typer.Option(
            help="Model that encoded the documents in training.",
            show_default="as the run's recipe says",
        ),
    ] = None,
    shared_layers: SharedLayers = 0,
    compression: Compression = "mixed",
) -> None:
    """Exports a run that trained only queries, to one file for use over an existing index."""
    with training_imports():
        from logic_export.bundles.query_encoder import export_query_encoder as export_file
    exported = export_file(
        run,
        file,
        bundle=bundle,
        head=head,
        base=base,
        shared_layers=shared_layers,
        compression=compression,
    )
    part = "above the bundle's trunk" if exported.card.trunk else "with a trunk of its own"
    out.print(
        f"{exported.figures.megabytes:.1f} MB, {part}; lowest cosine to the original: "
        f"{exported.figures.lowest_cosine:.7f}"
    )
    if not exported.card.ships:
        out.print(f"{file.name}: {RESTRICTED}")
    out.print(f"the query encoder is {file}", soft_wrap=True)
