"""``reindex``: a second collection from the command line."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.encoders import OnnxEncoder, default_bundle_path
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

PASSAGES = [Passage("dogs", "Dogs are allowed."), Passage("leave", "Parental leave is paid.")]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["reindex", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def folder(tmp_path):
    with PassageIndex.open(location=tmp_path) as index:
        index.add(PASSAGES)
    return tmp_path


def test_a_second_collection_in_a_folder(folder, tmp_path_factory):
    """It is estimated, then made; a second run finds it complete."""
    at = ("two", "--location", folder, "--language", "german")
    code, text = run(*at, "--dry-run")
    assert code == 0
    assert text.startswith("2 passages: some ")
    assert " MiB" in text
    code, text = run(*at)
    assert (code, text) == (0, "2 written, 0 removed: 2 passages in collection 'two'\n")
    code, text = run(*at, "--json")
    assert json.loads(text)["written"] == 0
    with PassageIndex.open("two", location=folder) as second:
        assert second.language == "german"
        assert sorted(passage.id for passage in second.scroll()) == ["dogs", "leave"]
    other = shutil.copytree(default_bundle_path(), tmp_path_factory.mktemp("bundle") / "own")
    code, text = run("three", "--location", folder, "--new-bundle", other, "--quantize", "int8")
    assert code == 0, text
    with PassageIndex.open("three", OnnxEncoder(other), location=folder, quantized=True) as third:
        assert third.count() == 2


def test_an_alias_on_a_server(wire_double):
    with PassageIndex.open(location=wire_double.url) as index:
        index.add(PASSAGES)
    code, text = run("two", "--location", wire_double.url, "--alias", "live", "--shards", "2")
    assert code == 0
    assert text.endswith("collection 'two', which 'live' leads to\n")
    assert wire_double.created["two"].shard_number == 2
    with PassageIndex.open("live", location=wire_double.url, create=False) as live:
        assert live.count() == 2
