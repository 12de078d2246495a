"""The tutorial, typed unchanged: its commands in order, and their documented output."""

from __future__ import annotations

import re
import shutil

import pytest
from commands import ROOT, run_line

pytestmark = pytest.mark.reader

PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
LINE = "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)).splitlines()
SET_UP = ("git ", "python ", "pip ")
TABLE = re.findall(r"^\| .*?\((P@1|MRR@10|V@5|FVR).* \| (\S+) \| \*\*(\S+)\*\* \|$", PAGE, re.M)


def commands() -> list[tuple[str, list[str]]]:
    """Every command except set-up, with the lines below it."""
    found: list[tuple[str, list[str]]] = []
    for line in LINE:
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return [command for command in found if not command[0].startswith(SET_UP)]


@pytest.mark.slow
def test_the_tutorial_does_what_it_says(tmp_path, capsys):
    """Scores may differ in the last digit between processors; ids may not."""
    shutil.copytree(ROOT / "examples" / "corpus", tmp_path / "examples" / "corpus")
    shown = 0
    for command, lines in commands():
        if not command.startswith("logic-retrievers evaluate"):
            printed = run_line(command, tmp_path)
            for line in lines:
                expected = re.sub(r"^(\d\\\. 0\\\.\d\d)\d", r"\1\\d", re.escape(line))
                assert re.search(expected, printed), f"{command}\n{line}\nnot in\n{printed}"
                shown += 1
    assert shown >= 10
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(block.replace('".logic-retrievers"', repr(str(tmp_path / ".logic-retrievers"))), names)
    names["store"].index.close()  # type: ignore[attr-defined]
    assert capsys.readouterr().out.split() == re.findall(
        r"\d\. \S+ (\S+)", PAGE.split("--explain\n")[1].split("```")[0]
    )


@pytest.mark.slow
def test_the_gain_that_the_tutorial_shows_is_measured(tmp_path):
    """Both commands share a cache of vectors, as in the tutorial."""
    shutil.copytree(ROOT / "tests" / "queries" / "users", tmp_path / "tests/queries/users")
    measured = [
        run_line(typed, tmp_path)
        for typed, _ in commands()
        if typed.startswith("logic-retrievers evaluate")
    ]
    assert len(TABLE) == 4
    for metric, *columns in TABLE:
        for printed, column in zip(measured, columns, strict=True):
            mean = float(re.search(rf"{re.escape(metric)} +│ +\d+ │ +(\S+)", printed)[1])  # type: ignore[index]
            assert mean == pytest.approx(float(column), abs=0.012)
