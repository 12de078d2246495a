"""``python -m benchmarks report`` with studies that take no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.reproduction import studies

sys.path.insert(0, str(Path(__file__).parents[1] / "reproduction"))
from study_samples import Counted

sys.path.pop(0)


@pytest.fixture
def made(monkeypatch):
    """Three studies of the report, in another order than its own."""
    counted = {name: Counted(name) for name in ("later", "latency", "exclusion")}
    monkeypatch.setattr(studies, "_discover", lambda: [study.study() for study in counted.values()])
    return counted


def call(*arguments, code=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output + result.stderr
    return result


def test_a_report_is_made_and_goes_on(made, tmp_path):
    result = call(tmp_path / "out", "--seed", 3)
    page = tmp_path / "out" / "report.html"
    assert "3 of 3 studies; the page:" in result.stdout
    assert str(page) in result.stdout.replace("\n", "")
    text = page.read_text("utf-8")
    places = [text.index(f'id="section-{name}"') for name in ("exclusion", "latency", "later")]
    assert places == sorted(places), "the order of the report, then what it does not know"
    assert [counted.runs for counted in made.values()] == [[3], [3], [3]]
    again = call(tmp_path / "out", "--seed", 3)
    assert "kept from before" in again.stderr
    assert [counted.runs for counted in made.values()] == [[3], [3], [3]]
    call(tmp_path / "out", "--seed", 3, "--fresh", "--study", "later")
    assert [len(counted.runs) for counted in made.values()] == [2, 1, 1]
    assert json.loads((tmp_path / "out" / "setting.json").read_text("utf-8"))["seed"] == 3


def test_a_failed_study_is_said_and_coded(made, tmp_path):
    made["latency"].problem = "the clock stands"
    result = call(tmp_path / "out", code=3)
    assert "latency failed: the clock stands" in result.stderr
    assert "2 of 3 studies" in result.stdout
    assert "This study failed: the clock stands" in (tmp_path / "out" / "report.html").read_text(
        "utf-8"
    )


def test_studies_are_listed_and_not_run(made):
    output = call("--list").stdout
    assert all(name in output for name in made)
    assert not any(counted.runs for counted in made.values())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["out", "--study", "nobody"], "no study 'nobody'; there are: exclusion, latency, later"),
        ([], "name the folder"),
        (["out", "--models", "nowhere"], "--models is no folder: nowhere"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_run(
    made, arguments, problem, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert problem in " ".join(call(*arguments, code=2).stderr.split())
    assert not list(tmp_path.iterdir())


def test_every_study_of_the_package_has_a_name_of_its_own():
    """Two of one name would overwrite each other's section."""
    names = [study.name for study in studies.studies()]
    assert len(names) == len(set(names))
