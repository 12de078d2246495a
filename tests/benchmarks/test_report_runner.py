"""A run continues after an interruption and never shows results of different inputs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import papers
from benchmarks.__main__ import app
from benchmarks.report import set_up
from benchmarks.report.artefacts import Measurement, Row, Section, Table
from benchmarks.report.runner import run_studies
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import ReadError


def section(name: str) -> Section:
    row = Row(cells=("topical", Measurement(value=0.5, low=0.4, high=0.6)))
    table = Table(name=f"{name}-table", title="Recall", columns=("system", "R@5"), rows=(row,))
    return Section(name=name, title="A study", artefacts=(table,))


@dataclass
class Counted:
    """An instant study that counts its runs."""

    name: str = "made"
    data: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    problem: str = ""
    runs: list[int] = field(default_factory=list)

    def study(self) -> Study:
        def run(bench: Workbench) -> Section:
            self.runs.append(bench.seed)
            if self.problem:
                raise ReadError(self.problem)
            return section(self.name)

        return Study(self.name, "A study", self.data, run, self.models)


class BenchDouble(Workbench):
    """A workbench whose encoder has only specs."""

    @property
    def encoder(self):  # type: ignore[override]
        return self

    @property
    def specs(self):
        return {"topical": VectorSpec("topical", 4, 8, "fingerprint")}


def bench(folder: Path, **settings) -> BenchDouble:
    return BenchDouble(vectors=folder / "vectors.sqlite", **settings)


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "toy"
    folder.mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q"}\n\n{"_id": "r"}\n', encoding="utf-8")
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path / "data"))
    return folder


def test_other_data_models_seeds_and_source_are_run_again(tmp_path, data, monkeypatch):
    """Results of old data under a new heading are wrong."""
    counted, models = Counted(data=("toy",), models=("lore",)), tmp_path / "models"

    def runs(**settings):
        run_studies([counted.study()], bench(tmp_path, **settings), tmp_path / "out")
        return len(counted.runs)

    assert runs() == 1
    assert runs(seed=1) == 2
    assert runs() == 3
    (data / "queries.jsonl").write_text('{"_id": "s"}\n', encoding="utf-8")
    assert runs() == 4
    (models / "lore" / "model").mkdir(parents=True)
    (models / "lore" / "model" / "weights").write_bytes(b"1")
    assert runs(models=models) == 5
    (models / "coder").mkdir()  # of a different study
    assert runs(models=models) == 5
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
    monkeypatch.setattr(set_up.benchmarks, "__file__", str(package / "__init__.py"))
    assert runs(models=models) == 6
    (package / "__init__.py").write_text("VALUE = 2\n", encoding="utf-8")
    assert runs(models=models) == 7


def test_a_failed_study_is_reported_and_the_others_go_on(tmp_path, data):
    """A missing folder must neither cost the report nor be stored as a result."""
    bad, missing = Counted("bad", problem="the file is torn"), Counted("missing", ("nowhere",))
    good, lines = Counted("good"), []
    workbench = replace(bench(tmp_path), log=lines.append)
    studies = [bad.study(), missing.study(), good.study()]
    report = run_studies(studies, workbench, tmp_path / "out")
    assert list(report.failed) == ["bad", "missing"]
    assert "the file is torn" in report.sections[0].text[0]
    assert str(data.parent / "nowhere") in report.sections[1].text[0]
    assert report.sections[2] == section("good")
    assert sorted(path.name for path in (tmp_path / "out" / "sections").iterdir()) == ["good.json"]
    assert any("1 of 3, bad: failed" in line for line in lines)
    bad.problem = ""
    assert run_studies(studies, workbench, tmp_path / "out").reused == ("good",)


def test_the_set_up_names_what_figures_depend_on(tmp_path, data):
    counted = Counted(data=("toy",), models=("lore", "coder"))
    (tmp_path / "models" / "coder").mkdir(parents=True)
    workbench = bench(tmp_path, seed=7, models=tmp_path / "models")
    report = run_studies([counted.study()], workbench, tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "setting.json").read_text("utf-8"))
    assert (facts["seed"], facts["data"]["toy"]["rows"]) == (7, {"queries.jsonl": 2})
    assert facts["encoder"]["topical"]["document"] == "fingerprint"
    assert facts["models"]["lore"] is None
    assert len(facts["models"]["coder"]) == 64
    assert facts["versions"]["numpy"]
    assert facts["seconds"]["made"] >= 0
    tables = {artefact.name: artefact for artefact in report.sections[-1].artefacts}
    (absent,) = (row for row in tables["set-up-models"].rows if row.origin == "absent")
    assert absent.cells[0] == "lore"
    assert "query-encoder-minilm.toml" in absent.note


# --- the command


@pytest.fixture
def made(monkeypatch):
    """Three studies of the report, not in its order."""
    counted = {name: Counted(name) for name in ("later", "probe", "exclusion")}
    monkeypatch.setattr(papers, "_discover", lambda: [study.study() for study in counted.values()])
    return counted


def call(*arguments, code=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == code, result.output + result.stderr
    return result


def test_a_report_is_made_and_goes_on(made, tmp_path):
    result = call(tmp_path / "out", "--seed", 3)
    assert "3 of 3 studies; the page:" in result.stdout
    text = (tmp_path / "out" / "report.html").read_text("utf-8")
    places = [text.index(f'id="section-{name}"') for name in ("exclusion", "probe", "later")]
    assert places == sorted(places), "the order of the report, then other studies"
    assert "kept from before" in call(tmp_path / "out", "--seed", 3).stderr
    assert [counted.runs for counted in made.values()] == [[3], [3], [3]]
    made["later"].problem = "the clock stands"
    result = call(tmp_path / "out", "--seed", 3, "--fresh", "--study", "later", code=3)
    assert "later failed: the clock stands" in result.stderr
    assert [len(counted.runs) for counted in made.values()] == [2, 1, 1]


def test_studies_are_listed_and_not_run(made, monkeypatch):
    output = call("--list").stdout
    assert all(name in output for name in made)
    assert not any(counted.runs for counted in made.values())
    monkeypatch.undo()
    names = [study.name for study in papers.studies()]
    assert len(names) == len(set(names)) == len(papers.ORDER)
