"""Commands are imported when called, so that those without a search start at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from logic_retrievers.cli.app import COMMANDS, import_command

_HEAVY = {
    "--version": ["numpy", "pydantic", "httpx", "qdrant_client"],
    "--help": ["numpy", "pydantic", "httpx", "qdrant_client"],
    "parse": ["qdrant_client"],
    "index": ["qdrant_client", "onnxruntime", "tokenizers"],
}
WITHOUT_RESULT = {"probe template", "serve"}


def commands():
    """Name -> command, including subcommands."""
    for name in COMMANDS:
        command = import_command(name)
        children = getattr(command, "commands", {})
        yield from ((f"{name} {child}", each) for child, each in children.items())
        if not children:
            yield name, command


def test_every_result_can_be_had_as_json():
    for name, command in commands():
        flags = [option for option in command.params if "--json" in option.opts]
        assert len(flags) == (name not in WITHOUT_RESULT), name
        assert command.help, name


def test_help_lists_what_each_command_says_of_itself():
    """The list is static, so that ``--help`` imports no command."""
    for name, line in COMMANDS.items():
        assert import_command(name).help.split("\n\n")[0].replace("\n", " ") == line


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["parse", "a, not b"], ["index", "--help"]],
    ids=" ".join,
)
def test_what_searches_nothing_loads_no_engine(arguments: list[str]):
    """Loading it would delay help and option completion by a second."""
    program = (
        "import sys; from logic_retrievers.cli import main\n"
        f"sys.argv[1:] = {arguments}\n"
        "try: main()\n"
        f"finally: sys.stderr.write(repr([n for n in {_HEAVY[arguments[0]]} if n in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]"), done
