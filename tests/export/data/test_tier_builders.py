"""The builders of tiers, and the command `distractor-queries` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from logic_export.data.tiers.builders import TIER_BUILDERS
from logic_export.data.tiers.examples import (
    TieredExample,
    examples_from_triplets,
    read_tiers,
)
from logic_export.data.tiers.labelled_questions import read_questions
from logic_export.data.triplet_builders import run_builder
from logic_export.data.triplets import Triplet
from tier_questions import labelled_rows, paired_rows, write_questions

from logic_retrievers.errors import ConfigurationError


def built(name: str, seed: int = 0, **options: object) -> list[TieredExample]:
    return run_builder(TIER_BUILDERS, name, options, seed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "labelled", labelled_rows())


@pytest.fixture
def labelled_set(tmp_path: Path) -> Path:
    folder = tmp_path / "labels"
    folder.mkdir()
    documents = [{"_id": f"d{n}", "title": "", "text": f"passage {n}"} for n in range(20)]
    queries = [
        {
            "_id": f"q{n}",
            "text": f"what is {n} but not {n + 1}",
            "satisfying": [f"d{n}"],
            "violating": [f"d{n + 1}"],
            "neutral": [f"d{n + 2}"],
        }
        for n in range(0, 12, 3)
    ]
    for name, rows in (("corpus", documents), ("queries", queries)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_what_violates_is_a_distractor_and_others_are_negatives(labelled_set):
    options = {"builder": "labelled", "options": {"folder": str(labelled_set)}, "others": 5}
    rows = built("triplets", **options)
    assert len(rows) == 4
    for number, row in zip(range(0, 12, 3), rows, strict=True):
        assert row.positives == (f"passage {number}",)
        assert row.distractors == (f"passage {number + 1}",)
        assert len(row.negatives) == 5
    assert rows == built("triplets", **options)
    assert rows != built("triplets", **options, seed=1)


def test_triplets_of_one_query_are_one_example():
    """What is right in any of them is not ruled out by another; a ruled out passage may lack."""
    rows = [
        Triplet("q", "a", "b"),
        Triplet("other", "d", None),
        Triplet("q", "a", "c"),
        Triplet("q", "c", "b"),
    ]
    first, second = examples_from_triplets(rows, others=9)
    assert (first.positives, first.distractors) == (("a", "c"), ("b",))
    assert first.negatives == ("d",)
    assert (second.positives, second.distractors) == (("d",), ())
    assert sorted(second.negatives) == ["a", "b", "c"]
    assert len(examples_from_triplets(rows, others=2)[1].negatives) == 2


def test_a_data_set_without_wrong_passages_can_be_disturbed_too(labelled_set):
    """Its other questions' passages are the candidates."""
    questions = read_questions(labelled_set)
    assert [one.right[0].passage for one in questions] == [f"passage {n}" for n in range(0, 12, 3)]
    assert questions[0].wrong[0].passage == "passage 1"


def test_the_builder_gives_what_the_command_writes(folder, tmp_path):
    done = run(folder, tmp_path / "out", "--copies", 2)
    assert done.exit_code == 0, done.output
    for part, copies in (("train", 2), ("test", 1)):
        rows = built("distractor_queries", folders=[str(folder)], split=part, copies=copies)
        assert rows == read_tiers(tmp_path / "out" / f"{part}.jsonl.gz")
    plain = built("distractor_queries", folders=[str(folder)], split="test", copies=1, plain=True)
    assert plain == read_tiers(tmp_path / "out" / "test_original.jsonl.gz")
    with pytest.raises(ConfigurationError, match="other"):
        built("distractor_queries", folders=[str(folder)], split="other")


def run(*arguments: object):
    pytest.importorskip("typer", reason="the extra cli")
    from logic_export.cli.app import app
    from typer.testing import CliRunner

    return CliRunner().invoke(app, ["data", "distractor-queries", *map(str, arguments)])


def test_the_command_takes_several_folders_and_says_what_parts_share(folder, tmp_path):
    pairs = write_questions(tmp_path / "pairs", paired_rows())
    out = tmp_path / "out"
    done = run(pairs, folder, out, "--train", 0.5, "--dev", 0.2, "--candidates", 6)
    assert done.exit_code == 0, done.output
    assert "passages in both train and test: 0" in done.output
    names = ["dev.jsonl.gz", "test.jsonl.gz", "test_original.jsonl.gz", "train.jsonl.gz"]
    assert sorted(path.name for path in out.iterdir()) == names
    sources = {row.source for row in read_tiers(out / "train.jsonl.gz")}
    assert sources == {"labelled", "pairs"}
    assert run(folder, out).exit_code == 2
    # 1 - .9 - .1 is a little less than 0 in floating point; an empty part leaves no file
    assert run(folder, tmp_path / "two", "--train", 0.9, "--dev", 0.1).exit_code == 0
    assert {path.name for path in (tmp_path / "two").iterdir()} == {names[0], names[3]}
