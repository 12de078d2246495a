"""What is printed in a shell names options and commands, and every result can be had as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from logic_retrievers.cli.app import COMMANDS, app, load_command
from logic_retrievers.cli.shell_words import in_shell_words

_PYTHON = re.compile(r"\b\w+=(?:[\[\"'.,;]|True|False|None|\s|$)|\w\(")

WITHOUT_RESULT = {"probe template", "serve"}
"""It writes files; it answers others."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection without words and contradictions."""
    folder = tmp_path_factory.mktemp("shell")
    (folder / "leave.md").write_text("Parental leave is paid in full.\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = call("index", "leave.md", "--no-lexical", "--json")
    assert json.loads(result.stdout)["added"] == 1
    return folder


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["search", "x", "--base", "hybrid"], "add it with `logic-retrievers backfill lexical`"),
        (["search", "x", "-p", "lexical"], "`logic-retrievers backfill lexical`"),
        (["contradictions", "x"], "`logic-retrievers backfill contradiction`"),
        (["search", "x", "-p", "topical", "--exclude", "nuts"], "with these words out by --hard"),
        (["search", "x", "-c", "nothere"], "`logic-retrievers index PATH`"),
        (["search", "x", "--tenant", "a", "--all-tenants"], "either --tenant or --all-tenants"),
        (["search", "x", "-p", "judge", "--no-judge"], "leave --no-judge out"),
        (["search", "x", "-l", "http://me:secret@127.0.0.1:9"], "by --api-key or"),
    ],
)
def test_an_error_says_what_to_type(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
):
    monkeypatch.chdir(folder)
    result = call(*arguments)
    assert result.exit_code != 0
    assert words in " ".join(result.stderr.split())
    assert not _PYTHON.search(result.stderr), result.stderr


def test_what_is_no_idiom_stays():
    message = "There is no file 'a=b(c)'; the query says policy of truth, and hard=1."
    assert in_shell_words(message) == message


def test_the_command_that_an_error_names_mends_it(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    made = json.loads(call("backfill", "lexical", "contradiction", "--json").stdout)
    assert made["vectors"] == ["lexical", "contradiction"]
    assert made["filled"] == 1
    assert call("search", "paid leave", "--base", "hybrid").exit_code == 0
    assert call("contradictions", "Parental leave is not paid.").exit_code == 0
    assert "1 passage" not in call("backfill", "lexical").stdout


def _commands() -> list[str]:
    names = []
    for name in COMMANDS:
        command = load_command(name)
        subcommands = getattr(command, "commands", {})
        names += [f"{name} {sub}" for sub in subcommands] or [name]
    return names


@pytest.mark.parametrize("name", [name for name in _commands() if name not in WITHOUT_RESULT])
def test_every_result_can_be_had_as_json(name: str):
    command = load_command(name.split()[0])
    for part in name.split()[1:]:
        command = command.commands[part]
    flags = [option for option in command.params if "--json" in option.opts]
    assert len(flags) == 1, name
    assert flags[0].is_flag
