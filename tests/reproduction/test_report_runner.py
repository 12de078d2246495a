"""A run goes on where it was cut off, and never shows what was made from something else."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
from study_samples import Counted, bench, section

from benchmarks.reproduction.artefacts import Row
from benchmarks.reproduction.cache_keys import sources
from benchmarks.reproduction.runner import run_studies
from logic_retrievers.errors import ConfigurationError, StorageError


@pytest.fixture
def data(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "toy"
    folder.mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q"}\n\n{"_id": "r"}\n', encoding="utf-8")
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path / "data"))
    return folder


def test_a_second_run_reads_what_the_first_has_kept(tmp_path, data):
    """An hour of work lost to a closed lid is an hour that nobody spends again."""
    first, second = Counted("one", ("toy",)), Counted("other")
    report = run_studies([first.study(), second.study()], bench(tmp_path), tmp_path / "out")
    stored = (tmp_path / "out" / "sections" / "one.json").read_bytes()
    again = run_studies([first.study(), second.study()], bench(tmp_path), tmp_path / "out")
    assert len(first.runs) == len(second.runs) == 1
    assert (report.reused, again.reused) == ((), ("one", "other"))
    assert again.sections[:2] == report.sections[:2] == (section("one"), section("other"))
    assert (tmp_path / "out" / "sections" / "one.json").read_bytes() == stored
    run_studies([first.study()], bench(tmp_path), tmp_path / "out", fresh=True)
    assert len(first.runs) == 2
    assert (tmp_path / "out" / "sections" / "one.json").read_bytes() == stored


def test_other_data_models_and_seeds_are_run_anew(tmp_path, data):
    """Figures of yesterday's data under today's heading are wrong figures."""
    counted, models = Counted(data=("toy",), models=("lore",)), tmp_path / "models"
    out, study = tmp_path / "out", counted.study()

    def runs(**settings):
        run_studies([study], bench(tmp_path, **settings), out)
        return len(counted.runs)

    assert runs() == 1
    assert runs(seed=1) == 2
    assert runs() == 3
    (data / "queries.jsonl").write_text('{"_id": "s"}\n', encoding="utf-8")
    assert runs() == 4
    (data / "queries.jsonl").rename(data / "test.jsonl")
    assert runs() == 5
    (models / "lore" / "model").mkdir(parents=True)
    (models / "lore" / "model" / "weights").write_bytes(b"1")
    assert runs(models=models) == 6
    (models / "lore" / "model" / "weights").write_bytes(b"2")
    assert runs(models=models) == 7
    (models / "coder").mkdir()
    assert runs(models=models) == 7


@pytest.mark.parametrize("place", ["mended.helper", ".helper"])
def test_a_study_whose_source_changed_is_run_anew(tmp_path, monkeypatch, place):
    """Whoever mends a measure must not see the old figures, also where a helper has it."""
    package = tmp_path / "mended"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "helper.py").write_text("VALUE = 0.1\n", encoding="utf-8")
    (package / "study.py").write_text(
        "from study_samples import section\n"
        f"from {place} import VALUE\n"
        "from benchmarks.reproduction.studies.base import Study\n\n"
        "STUDY = Study('mended', 'Mended', (), lambda bench: section('mended', VALUE))\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("mended", "mended.helper", "mended.study"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    from mended.study import STUDY

    report = run_studies([STUDY], bench(tmp_path), tmp_path / "out")
    assert run_studies([STUDY], bench(tmp_path), tmp_path / "out").reused == ("mended",)
    from benchmarks.reproduction import cache_keys

    cache_keys._imported_modules.cache_clear()
    (package / "helper.py").write_text("VALUE = 0.2\n", encoding="utf-8")
    again = run_studies([STUDY], bench(tmp_path), tmp_path / "out")
    assert not again.reused
    assert again.sections[0] == report.sections[0], "the module itself is still the loaded one"


def test_the_source_of_a_study_is_whatever_it_calls():
    """Figures of the policy before today's would stand under today's name."""
    result = {path.name for path in sources("benchmarks.reproduction.studies.exclusion.section")}
    assert {
        "systems.py",
        "dataset_search.py",
        "metrics.py",
        "passage_index.py",
        "auto.py",
    } <= result
    assert not {"html.py", "cleaner.py", "grading.py"} & result, "what it never calls is no part"


def test_a_study_without_a_source_is_never_reused(tmp_path):
    """A function in a notebook can be another one under the same name."""
    counted = Counted("noted")
    study = counted.study()
    study.run.__module__ = "a_notebook"
    for _ in range(2):
        assert not run_studies([study], bench(tmp_path), tmp_path / "out").reused
    assert len(counted.runs) == 2


def test_a_study_that_fails_is_told_and_the_others_go_on(tmp_path, data):
    """One missing folder must not cost the report, and must not be remembered as a result."""
    bad = Counted("bad", problem="the file is torn")
    missing, good = Counted("missing", ("nowhere",)), Counted("good")
    lines = []
    workbench = replace(bench(tmp_path), log=lines.append)
    studies = [bad.study(), missing.study(), good.study()]
    report = run_studies(studies, workbench, tmp_path / "out")
    assert list(report.failed) == ["bad", "missing"]
    assert report.sections[0].text == ("This study failed: the file is torn",)
    assert str(data.parent / "nowhere") in report.sections[1].text[0]
    assert report.sections[2] == section("good")
    assert not missing.runs
    assert sorted(path.name for path in (tmp_path / "out" / "sections").iterdir()) == ["good.json"]
    assert any("1 of 3, bad: failed: the file is torn" in line for line in lines)
    bad.problem = ""
    again = run_studies(studies, workbench, tmp_path / "out")
    assert list(again.failed) == ["missing"]
    assert again.reused == ("good",)


@pytest.mark.parametrize("rest", ["", '{"key": ', "[]", '{"key": "KEY", "section": {"name": 1}}'])
def test_half_a_section_is_not_read(tmp_path, rest):
    """A power cut between two blocks leaves a file that looks like one."""
    counted = Counted()
    run_studies([counted.study()], bench(tmp_path), tmp_path / "out")
    path = tmp_path / "out" / "sections" / "made.json"
    key = json.loads(path.read_text("utf-8"))["key"]
    path.write_text(rest.replace("KEY", key), encoding="utf-8")
    report = run_studies([counted.study()], bench(tmp_path), tmp_path / "out")
    assert len(counted.runs) == 2
    assert report.sections[0] == section("made")


def test_what_does_not_fit_together_is_not_kept(tmp_path):
    """A row that is too short would stand under the wrong heads."""

    def torn(name):
        table, figure = section(name).artefacts
        short = table.model_copy(update={"rows": (*table.rows, Row(cells=("alone",)))})
        return section(name).model_copy(update={"artefacts": (short, figure)})

    report = run_studies([Counted(make=torn).study()], bench(tmp_path), tmp_path / "out")
    assert report.failed == {"made": "made-table: a row of 1 cells under 2 columns"}


def test_two_artefacts_of_one_name_are_refused(tmp_path):
    """The second would overwrite the files of the first."""
    first, second = Counted("one", make=lambda name: section("same")), Counted("other")
    second.make = first.make
    with pytest.raises(ConfigurationError, match="'same' is there 2 times"):
        run_studies([first.study(), second.study()], bench(tmp_path), tmp_path / "out")


def test_a_folder_that_cannot_be_made_stops_the_run(tmp_path):
    """Not a failed study: every other one would be lost as well."""
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError, match="out"):
        run_studies([Counted().study()], bench(tmp_path), tmp_path / "out")


def test_the_setting_says_what_figures_hang_on(tmp_path, data):
    """Without it nobody can tell why two reports differ."""
    counted = Counted(data=("toy",), models=("lore", "coder"))
    (tmp_path / "models" / "coder").mkdir(parents=True)
    (tmp_path / "models" / "coder" / "weights").write_bytes(b"1")
    workbench = bench(tmp_path, seed=7, models=tmp_path / "models")
    report = run_studies([counted.study()], workbench, tmp_path / "out")
    setting = json.loads((tmp_path / "out" / "setting.json").read_text("utf-8"))
    assert setting == report.setting
    assert setting["seed"] == 7
    assert setting["data"]["toy"]["rows"] == {"queries.jsonl": 2}
    assert setting["encoder"]["topical"]["document"] == "fingerprint"
    assert setting["models"]["lore"] is None
    assert len(setting["models"]["coder"]) == 64
    assert setting["versions"]["numpy"]
    assert setting["machine"]["cores"] >= 1
    assert setting["seconds"]["made"] >= 0
    last = report.sections[-1]
    assert last.name == "set-up"
    tables = {artefact.name: artefact for artefact in last.artefacts}
    absent = [row for row in tables["set-up-models"].rows if row.origin == "absent"]
    assert [row.cells[0] for row in absent] == ["lore"]
    assert "query-encoder-minilm.toml" in absent[0].note
