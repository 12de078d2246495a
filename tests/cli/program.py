"""Ways to run commands: in this process, or as the installed program in a new one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from logic_retrievers.cli.app import app

_MAIN = r"""
import json, sys
from logic_retrievers.cli import main
codes = []
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["logic-retrievers", *arguments]
    try:
        main()
    except SystemExit as end:
        codes.append(int(end.code or 0))
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
sys.stderr.write(f"\n{json.dumps(codes)}\n")  # a progress bar may end without a line end
"""


@dataclass
class Finished:
    """Each command's exit code, and their joint output."""

    codes: list[int]
    stdout: bytes
    stderr: bytes


def run_commands(
    *commands: Sequence[str], options: Sequence[str] = (), **environment: str
) -> Finished:
    """Run commands in turn; ``options`` are the interpreter's."""
    done = subprocess.run(
        [sys.executable, *options, "-c", _MAIN, json.dumps(commands)],
        capture_output=True,
        timeout=150,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    *_, codes = done.stderr.splitlines(keepends=True)
    return Finished(json.loads(codes), done.stdout, done.stderr.removesuffix(codes))


def index_rows(folder: Path, rows: Mapping[str, str]) -> Path:
    """Index texts by id, written to ``corpus.jsonl``; return the index's location."""
    lines = [json.dumps({"_id": name, "text": text}) for name, text in rows.items()]
    (folder / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    invoke("index", folder / "corpus.jsonl", "-l", folder / "index")
    return folder / "index"


def invoke(*arguments: object, code: int = 0) -> Any:
    """Run a command in this process; its exit code must be ``code``."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output + result.stderr
    return result
