"""``python -m benchmarks`` without a command runs every benchmark of the product."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import __main__


def test_every_benchmark_runs_without_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that ran them too would take hours."""
    ran: list[str] = []
    monkeypatch.setattr(__main__.runpy, "run_module", lambda name, **_: ran.append(name))
    assert CliRunner().invoke(__main__.app, []).exit_code == 0
    assert ran == [f"benchmarks.product.{name}" for name in __main__.BENCHMARKS]
    folder = Path(__main__.__file__).parent
    assert all((folder / "product" / f"{name}.py").is_file() for name in __main__.BENCHMARKS)
    assert CliRunner().invoke(__main__.app, ["probe-questions", "--help"]).exit_code == 0
    assert len(ran) == len(__main__.BENCHMARKS)
