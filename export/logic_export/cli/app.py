"""The commands, put together."""

from __future__ import annotations

import typer

from logic_export.cli.bundles import add_head, compress, export, export_query_encoder
from logic_export.cli.data import data
from logic_export.cli.judge import add_judge, measure_judge, train_judge, unpack_judge
from logic_export.cli.training import average_checkpoints, calibrate, distil_head, train
from logic_retrievers.cli.console import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    help="Trains encoders and pair judges, and exports them as ONNX bundles.",
    epilog="Exit codes: 0 done; 1 failed; 2 wrong usage; 5 the encoder cannot be used.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    train,
    average_checkpoints,
    distil_head,
    export,
    add_head,
    compress,
    export_query_encoder,
    calibrate,
    train_judge,
    unpack_judge,
    add_judge,
    measure_judge,
):
    app.command()(command)
app.add_typer(data, name="data")
