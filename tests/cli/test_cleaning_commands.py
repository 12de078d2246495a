"""``clean`` and ``quarantine``: output, files, hidden passages and exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from logic_retrievers import PassageIndex

pytestmark = pytest.mark.reader

ROWS = [
    {"id": "2024", "text": "Parental leave is paid for twelve weeks.", "date": "2024-06-01"},
    {"id": "2021", "text": "Parental leave is paid for six weeks.", "date": "2021-03-01"},
    {"id": "how", "text": "Leave is requested from the team lead.", "date": "2019-01-01"},
    {"id": "food", "text": "The canteen opens at noon."},
]


@pytest.fixture
def run(call):
    """Run a command in a folder with ``rows.jsonl`` and return its output."""
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return lambda *arguments, code=0: call(*arguments, code=code).stdout


@pytest.fixture
def stored(run):
    """The same folder with the rows in a collection."""
    run("index", "rows.jsonl", "--contradictions")
    return run


def test_files_are_examined_and_nothing_is_stored(run):
    """A check of documents must leave no index behind."""
    said = run("clean", "rows.jsonl", "-r", "prefer_newest")
    assert "1 would be quarantined" in said
    assert "pairs" not in said.splitlines()[-1]  # two passages make one
    assert not Path(".logic-retrievers").exists()


def test_a_dry_run_changes_nothing(stored):
    """Users must be able to trust that a dry run only looks."""
    assert "would be quarantined" in stored(
        "clean", "-c", "passages", "-r", "prefer_newest", "--dry-run"
    )
    assert "2021" in stored("search", "is parental leave paid", "-k", "2")
    assert "0 hidden in collection 'passages'" in stored("quarantine", "list")


def test_only_what_was_stored_since(stored):
    """A nightly job names a day, and a wrong one must not pass for "everything"."""
    for since, count in (("2999-01-01", 0), ("2020", 4)):
        said = stored("clean", "-c", "passages", "--since", since, "--no-judge", "--dry-run")
        assert f"{count} passages examined" in said
    stored("clean", "-c", "passages", "--since", "yesterday", code=2)
    stored("clean", "rows.jsonl", "--since", "2020", code=2)


def test_hidden_shown_restored(stored):
    """A passage's whole way into quarantine and back."""
    cleaned = json.loads(stored("clean", "-c", "passages", "-r", "prefer_newest", "--json"))
    assert cleaned["quarantined"] == ["2021"]
    assert "2021" not in stored("search", "is parental leave paid", "-k", "4")
    (held,) = json.loads(stored("quarantine", "list", "--json"))
    assert held["id"] == "2021"
    assert held["entry"]["opponent"] == "2024"
    assert json.loads(stored("quarantine", "show", "2021", "--json"))["quarantined"]
    assert "hidden" in stored("quarantine", "show", "2021")
    assert "1 restored" in stored("quarantine", "restore", "2021")
    assert "2021" in stored("search", "is parental leave paid", "-k", "4")
    assert "ledger and collection agree" in stored("quarantine", "verify")
    events = [
        one["event"]
        for one in json.loads(stored("quarantine", "show", "2021", "--json"))["history"]
    ]
    assert events == ["quarantine", "restore"]


def test_purge_asks_first(stored):
    """The only command that deletes must ask for confirmation."""
    stored("clean", "-c", "passages", "-r", "prefer_newest")
    stored("quarantine", "purge", "2021", code=1)  # without confirmation
    assert "1 hidden" in stored("quarantine", "list")
    stored("quarantine", "purge", "2024", "--yes", code=1)  # not in quarantine
    assert "1 deleted" in stored("quarantine", "purge", "--all", "--yes")
    assert "0 hidden" in stored("quarantine", "list")
    assert "gone" in stored("quarantine", "show", "2021")


def test_trusted_by_metadata(stored):
    trusted = ("--trusted", "date=2024-06-01")
    told = json.loads(stored("clean", "-c", "passages", *trusted, "--dry-run", "--json"))
    assert told["quarantined"] == ["2021"]


def test_versions_of_one_document(call):
    """Only a user who names the key says which rows are one document."""
    rows = [
        {"id": year, "text": f"City tax: 3 euros a night for {who}.", "page": "tax", "date": year}
        for year, who in (("2021", "adults"), ("2024", "children"))
    ]
    Path("tax.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cleaned = ("clean", "tax.jsonl", "-r", "prefer_newest", "--json")
    assert json.loads(call(*cleaned).stdout)["quarantined"] == []
    named = json.loads(call(*cleaned, "--document-key", "page").stdout)
    assert named["quarantined"] == ["2021"]


def test_reports_and_the_exit_code(stored):
    """A build that must stop for contradictions needs a distinct exit code."""
    looked = ("clean", "-c", "passages", "--dry-run")
    stored(*looked, "--report", "out.html", "--fail-on", "any", code=6)
    assert {"out.html", "out.jsonl", "out.csv"} <= {path.name for path in Path().iterdir()}
    stored(*looked, "--fail-on", "duplicate")
    stored(*looked, "--fail-on", "nonsense", code=2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_what_a_command_makes_is_its_owners_alone(run):
    """In a shared folder other users must not read passages and reports."""
    Path().chmod(0o755)
    for path in (Path("rows.jsonl"), Path("old.csv")):
        path.touch()
        path.chmod(0o644)
    before = os.umask(0)
    try:
        run("index", "rows.jsonl", "--contradictions", "-l", ".")
        run("index", "rows.jsonl", "-l", "deep/new")
        cleaned = ("clean", "-c", "passages", "-l", ".", "-r", "prefer_newest", "--report")
        run(*cleaned, "out.html")
        run(*cleaned, "old.csv")
        run("probe", "template", "questions")
    finally:
        os.umask(before)
    assert Path("old.csv").stat().st_size
    modes = {path: path.stat().st_mode & 0o777 for path in [*Path().iterdir(), Path("deep/new")]}
    assert modes.keys() >= {Path("passages"), Path("ledger.sqlite"), Path("out.jsonl")}
    private = {path: 0o700 if path.is_dir() else 0o600 for path in modes}
    assert modes == {**private, **dict.fromkeys([Path("rows.jsonl"), Path("old.csv")], 0o644)}
    for path in [*Path("passages").iterdir(), *Path("questions").iterdir()]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_documents_are_compared_with_a_collection(stored):
    """New documents are compared with stored ones."""
    Path("new.txt").write_text("Parental leave is paid for two weeks.")
    told = json.loads(stored("clean", "new.txt", "-c", "passages", "--json"))
    assert {"2024"} <= {one["finding"]["other"] for one in told["decisions"]}
    assert told["dry_run"]


def test_wrong_usage(run):
    """Each error is reported before anything is loaded or written."""
    run("clean", code=2)
    run("clean", "rows.jsonl", "--trusted", "nowhere.txt", code=2)
    run("clean", "rows.jsonl", "-r", "prefer_nobody", code=2)
    run("clean", "rows.jsonl", "--report", "out.pdf", code=2)
    run("clean", "rows.jsonl", "--fail-on", "nonsense", code=2)


def test_ids_or_all_of_them(stored):
    """Neither is unclear; both is a mistake."""
    stored("quarantine", "restore", code=2)
    stored("quarantine", "restore", "2021", "--all", code=2)


def test_what_is_hidden_and_lost_is_not_called_mended(stored):
    """A store that lost its passages was "mended", with exit code 0."""
    stored("clean", "-c", "passages", "-r", "prefer_newest")
    with PassageIndex.open(location=".logic-retrievers", create=False) as index:
        assert index.delete(["2021"]) == 1
    said = stored("quarantine", "verify", code=3)
    assert "gone: 2021" in said
    assert "mended" not in said
    assert "ledger and collection agree" in stored("quarantine", "verify")


def test_closed_listed_restored(stored):
    """What ended must be told, and taken back by the same command as what is hidden."""
    keys = ("--validity", "date,until", "--supersede", "close", "--document-key", "topic")
    rows = [{**row, "topic": "leave"} for row in ROWS[:2]]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    stored("index", "rows.jsonl", "--contradictions")
    assert "1 would be closed" in stored("clean", "-c", "passages", *keys, "--dry-run")
    said = stored("clean", "-c", "passages", *keys, "--report", "report.html")
    assert "0 quarantined, 1 closed" in said
    assert "closed at 2024-06-01" in said
    assert "ends at 2024-06-01" in Path("report.html").read_text()
    assert "0 hidden, 1 closed" in stored("quarantine", "list")
    assert "1 restored" in stored("quarantine", "restore", "2021")
    assert "0 hidden in" in stored("quarantine", "list")
    stored("clean", "-c", "passages", "--validity", "date", code=2)
