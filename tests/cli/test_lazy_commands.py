"""Commands are imported when they are called, so that what searches nothing is there at once."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner
from typer.main import get_command

from logic_retrievers.cli.app import COMMANDS, app, load_command

_HEAVY = ("qdrant_client", "onnxruntime", "tokenizers")


@pytest.fixture
def group() -> Any:
    return get_command(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_is_the_commands_own(name: str):
    """It stands in two places, so that the list need not import what it lists."""
    first_paragraph = load_command(name).help.split("\n\n")[0]
    assert " ".join(first_paragraph.split()) == COMMANDS[name]


def test_a_called_command_is_the_real_one(group):
    result = CliRunner().invoke(group, ["quarantine", "restore", "--help"])
    assert result.exit_code == 0, result.output
    assert "--all" in result.output
    assert {*COMMANDS} == {*group.commands}


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["parse", "a, not b"], *([name, "--help"] for name in COMMANDS)],
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
