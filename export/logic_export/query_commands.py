"""The command that makes a query encoder of a run; imports wait for its call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from logic_export.commands import Stored
from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.errors import MissingExtraError


@reports_errors
def export_query_encoder(
    run: Annotated[str, typer.Argument(help="A finished run's folder, or a model's.")],
    file: Annotated[Path, typer.Argument(metavar="OUT", help="NAME.query.onnx; must not exist.")],
    bundle: Annotated[
        Path | None,
        typer.Option(
            help="The bundle that made the stored vectors.", show_default="the one that is shipped"
        ),
    ] = None,
    head: Annotated[str, typer.Option(help="Whose queries.")] = "topical",
    base: Annotated[
        str | None,
        typer.Option(
            help="What encoded the documents in training.", show_default="as the run's recipe says"
        ),
    ] = None,
    shared_layers: Annotated[int, typer.Option(help="As the bundle was exported with.")] = 0,
    compression: Annotated[
        Stored, typer.Option(help="As the bundle was exported with.")
    ] = Stored.MIXED,
) -> None:
    """Makes one file of a run that trained queries alone; a running index takes it."""
    try:
        from logic_export.query_encoder import export_query_encoder as export
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    made = export(
        run,
        file,
        bundle=bundle,
        head=head,
        base=base,
        shared_layers=shared_layers,
        compression=compression.value,
    )
    part = "above the bundle's trunk" if made.card.trunk else "with a trunk of its own"
    out.print(
        f"{made.figures.megabytes:.1f} MB, {part}; lowest cosine to the original: "
        f"{made.figures.lowest_cosine:.7f}"
    )
    if not made.card.ships:
        out.print(f"{file.name}: trained on data that let no model be handed on", markup=False)
    out.print(f"the query encoder is {file}", markup=False, soft_wrap=True)
