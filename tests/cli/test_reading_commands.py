"""Read-only commands: they create no folder, file or ledger, and tell empty from not found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mounts import read_only
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

ROWS = [
    {"id": "2024", "text": "Parental leave is paid in full.", "date": "2024-06-01"},
    {"id": "2021", "text": "Parental leave is not paid.", "date": "2021-03-01"},
]


@pytest.fixture
def stored(call):
    """The same folder with two passages in the collection."""
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), "utf-8")
    call("index", "rows.jsonl", "-l", "there", "--contradictions")
    return call


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x"],
        ["contradictions", "x"],
        ["clean", "-c", "passages"],
        ["quarantine", "purge", "--all", "--yes"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_a_misspelt_location_is_not_created(call, arguments):
    """A misspelt location must not create a folder and report "no passage found"."""
    printed = call(*arguments, "-l", "typo/index", code=1)
    assert "no collection 'passages'" in printed.output
    assert "create=True" not in printed.output  # a command has no such argument
    assert "logic-retrievers index" in printed.output
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "paid leave"],
        ["contradictions", "leave is paid"],
        ["clean", "-c", "passages", "--dry-run"],
        ["quarantine", "list"],
    ],
    ids=" ".join,
)
def test_who_only_reads_makes_no_ledger(stored, arguments):
    """A ledger next to the collection would say that it has been cleaned."""
    stored(*arguments, "-l", "there")
    assert not list(Path().rglob("*.sqlite*"))


def test_who_cleans_makes_a_ledger_that_all_commands_read(stored):
    """If it counted as missing, hidden passages would lack a reason and be hidden again."""
    stored("clean", "-c", "passages", "-r", "prefer_newest", "-l", "there")
    assert Path("there", "ledger.sqlite").exists()
    (hidden,) = json.loads(stored("quarantine", "list", "--json", "-l", "there").stdout)
    assert hidden["entry"]["event"] == "quarantine"
    again = ("clean", "-c", "passages", "-r", "prefer_newest", "--dry-run", "-l", "there")
    unchanged = stored(*again)
    assert unchanged.stdout.startswith("0 passages examined")
    assert (
        "passages were not examined: hidden, or as they were last time (--again)"
        in unchanged.stderr
    )
    assert "were not examined" not in stored(*again, "--again").stderr
    elsewhere = stored("quarantine", "list", "--ledger", "typo", "-l", "there", code=4)
    assert "typo" in elsewhere.stderr
    assert not Path("typo").exists()


@pytest.mark.parametrize("command", ["search", "contradictions"])
def test_an_empty_collection_is_no_search_without_result(stored, command):
    """A script must not continue without passages after a failed ingestion."""
    with PassageIndex.open(location="there") as index:
        index.delete([row["id"] for row in ROWS])
    result = stored(command, "leave", "-l", "there", "--json", code=1)
    assert "collection 'passages' holds no passage" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["search", "contradictions"])
def test_a_filter_that_nothing_passes_is_no_error(stored, command):
    nothing = (command, "x", "-f", "date=1999-01-01", "-l", "there")
    assert "no passage" in stored(*nothing).stdout
    assert stored(*nothing, "--json").stdout == "[]\n"


@pytest.mark.parametrize("command", ["search", "contradictions"])
def test_a_filter_on_a_field_that_no_passage_has(stored, command):
    """A misspelt field's empty result looks like an answer."""
    result = stored(command, "x", "-f", "dat=1999-01-01", "-f", "date=1999-01-01", "-l", "there")
    assert "in the field 'dat'" in result.stderr
    absent = stored(command, "x", "-f", 'date={"not": "1999"}', "-f", "draft=null", "-l", "there")
    assert absent.stderr == ""


def test_passages_of_all_tenants(call):
    """The caller must say whose passages to read; a default would show another tenant's."""
    for tenant in ("a", "b"):
        with PassageIndex.open(location="there", tenant=tenant) as index:
            index.add([Passage(f"of {tenant}", "Parental leave is paid.")])
    place = ("-l", "there")
    refused = call("search", "leave", *place, code=2)
    assert "belong to tenants" in refused.stderr
    assert "Pass --tenant or --all-tenants.\n" in refused.stderr
    for tenant, ids in ({"a": {"of a"}, "b": {"of b"}}).items():
        hits = json.loads(call("search", "leave", *place, "--tenant", tenant, "--json").stdout)
        assert {hit["id"] for hit in hits} == ids
    all_tenants = ("--all-tenants", *place)
    hits = json.loads(call("search", "leave", *all_tenants, "--json").stdout)
    assert {hit["id"] for hit in hits} == {"of a", "of b"}
    assert "0 hidden" in call("quarantine", "list", *all_tenants).stdout
    assert "2 passages in" in " ".join(call("doctor", *all_tenants).stdout.split())
    assert "one tenant or all" in call("search", "x", *all_tenants, "--tenant", "a", code=2).stderr
    whole = call("reindex", "other", "--tenant", "a", *place, code=2).stderr
    assert whole.endswith("not for one tenant. Pass --all-tenants.\n")
    Path("text.txt").write_text("Parental leave is paid.", "utf-8")
    for command in (("index", "text.txt"), ("quarantine", "purge", "of a", "--yes")):
        assert call(*command, *all_tenants, code=2).stderr.endswith(" Pass --tenant.\n")
    empty = call("search", "x", "--tenant", "c", *place, code=1)
    assert "no passage of tenant 'c'" in empty.stderr


@pytest.mark.parametrize("value", ["[" * 100_000, "9" * 5_000, "NaN"])
def test_a_filter_that_no_metadata_can_match(stored, value):
    """An absurdly deep filter or large number must not end in a traceback."""
    result = CliRunner().invoke(app, ["search", "x", "-f", f"a={value}", "-l", "there"])
    assert isinstance(result.exception, SystemExit | None)


def test_whoever_reads_needs_no_right_to_write(call, tmp_path):
    """An index in an image must be searchable, and readable for doctor."""

    def said(*arguments, code=0):
        return " ".join(call(*arguments, code=code).output.split())

    stored = tmp_path / "stored"
    (tmp_path / "rows.txt").write_text("Parental leave is paid.\n\nParental leave is not paid.\n")
    said("index", "rows.txt", "-l", stored, "--contradictions")
    said("clean", "-c", "passages", "-l", stored)
    assert (stored / "ledger.sqlite").is_file()
    with read_only(stored, tmp_path / "mounted") as place:
        assert "Parental leave" in said("search", "parental leave", "-l", place)
        assert "Parental leave" in said("contradictions", "Leave is paid.", "-l", place)
        assert "examined" in said("clean", "-c", "passages", "--dry-run", "-l", place)
        assert "passages in 'passages'" in said("doctor", "-l", place)
        assert "0 hidden" in said("quarantine", "list", "-l", place)
        assert "passages" in said("reindex", "other", "--dry-run", "-l", place)
        assert "right to write" in said("index", "rows.txt", "-l", place, code=4)
