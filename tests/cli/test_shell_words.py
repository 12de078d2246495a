"""What is printed in a shell names options and commands, and every result can be had as JSON."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from logic_retrievers.cli.app import COMMANDS, app, load_command
from logic_retrievers.cli.shell_words import in_shell_words
from logic_retrievers.encoders import default_bundle_path

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
        (
            ["search", "x", "-c", "nothere"],
            "`logic-retrievers index PATH --collection nothere`",
        ),
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


@pytest.fixture(scope="module")
def other_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped encoder with another prefix before documents, in a folder with a blank."""
    bundle = tmp_path_factory.mktemp("other bundle") / "own encoder"
    shutil.copytree(default_bundle_path(), bundle)
    manifest = json.loads((bundle / "manifest.json").read_text())
    for head in manifest["heads"].values():
        head["document"]["prefix"] = "passage: "
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    return bundle


def commands_in(text: str) -> list[list[str]]:
    return [shlex.split(found)[1:] for found in re.findall(r"`(logic-retrievers [^`]+)`", text)]


@pytest.mark.parametrize("place", [[], ["-l", "a place"], ["-l", "x", "-c", "own name"]])
def test_another_encoder_is_told_the_command_that_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other_bundle: Path, place: list[str]
):
    """It read "or, without 'topical' and run `backfill topical`", which ends in the same error."""
    monkeypatch.chdir(tmp_path)
    Path("leave.md").write_text("Parental leave is paid in full.\n", "utf-8")
    assert call("index", "leave.md", *place).exit_code == 0
    for arguments in (["index", "leave.md"], ["search", "leave"], ["backfill", "compatibility"]):
        refused = call(*arguments, *place, "--bundle", str(other_bundle))
        assert refused.exit_code == 1
        assert refused.stderr.count("\n") == 1, "a pipe has no columns"
        (command,) = commands_in(refused.stderr)
    assert call(*command).exit_code == 0, command
    second = [*place[:2], "-c", command[1], "--bundle", str(other_bundle)]
    assert "0 added, 0 updated, 1 unchanged" in call("index", "leave.md", *second).stdout
    assert call("search", "leave", *second).exit_code == 0
    without = call("search", "leave", *second[:-2])
    assert without.exit_code == 1
    assert "by --bundle" in without.stderr
    assert not commands_in(without.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x", "--base", "hybrid"],
        ["search", "x", "-p", "lexical"],
        ["contradictions", "x"],
        ["index", "leave.md", "--language", "german"],
    ],
)
def test_the_commands_of_errors_work_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
):
    monkeypatch.chdir(tmp_path)
    Path("leave.md").write_text("Parental leave is paid in full.\n", "utf-8")
    place = ["-l", "my index", "-c", "leave it", "--tenant", "one"]
    words = [] if "--language" in arguments else ["--no-lexical"]
    assert call("index", "leave.md", *words, *place).exit_code == 0
    refused = call(*arguments, *place)
    assert refused.exit_code != 0
    (command,) = commands_in(refused.stderr)
    assert call(*command).exit_code == 0, command
    if command[0] == "backfill":
        assert call(*arguments, *place).exit_code == 0


def test_the_command_that_accepts_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": "new", "text": "Parental leave is paid in full.", "date": "2024-06-01"},
        {"id": "old", "text": "Parental leave is not paid.", "date": "2021-03-01"},
    ]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert call("index", "rows.jsonl", "--contradictions", "-l", "x").exit_code == 0
    place = ["-l", "x", "--ledger", "my ledger"]
    clean = ["clean", "-c", "passages", "-r", "prefer_newest", *place]
    assert call(*clean).exit_code == 0
    assert call("quarantine", "restore", "old", *place).exit_code == 0
    Path("my ledger").unlink()
    for arguments in ([*clean, "--dry-run"], clean, ["quarantine", "list", *place]):
        refused = call(*arguments)
        assert refused.exit_code != 0
        assert "my ledger" in refused.stderr
        (command,) = commands_in(refused.stderr)
    assert call(*command).exit_code == 0
    assert call(*clean).exit_code == 0


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
