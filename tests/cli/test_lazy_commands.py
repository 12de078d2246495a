"""Commands are imported when they are called, so that what searches nothing is there at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.main import get_command

from logic_retrievers.cli.app import MODULES, app

_HEAVY = ("qdrant_client", "onnxruntime", "tokenizers")
WITHOUT_RESULT = {"probe template", "serve"}


def commands():
    """Name -> command, subcommands among them."""
    group = get_command(app)
    for name in MODULES:
        command = group.get_command(None, name)
        children = getattr(command, "commands", {})
        yield from ((f"{name} {child}", each) for child, each in children.items())
        if not children:
            yield name, command


def test_every_result_can_be_had_as_json():
    for name, command in commands():
        flags = [option for option in command.params if "--json" in option.opts]
        assert len(flags) == (name not in WITHOUT_RESULT), name
        assert command.help, name


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["parse", "a, not b"], ["index", "--help"]],
    ids=" ".join,
)
def test_what_searches_nothing_loads_no_engine(arguments: list[str]):
    """Help and the completion of options would take a second longer."""
    program = (
        "import sys; from logic_retrievers.cli import main\n"
        f"sys.argv[1:] = {arguments}\n"
        "try: main()\n"
        f"finally: sys.stderr.write(repr([n for n in {_HEAVY} if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]"), done
