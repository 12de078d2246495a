"""Builders of groups of two sides, by name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from group_files import DOCUMENT, claim, jsonl
from logic_export.data.contradictions.builders import build_groups
from logic_export.data.contradictions.groups import ContradictionGroup, unique_groups, write_groups

from logic_retrievers.errors import ConfigurationError, ReadError


def test_builders_of_labelled_files(tmp_path: Path):
    """Fields read under another name give an empty training set, or the wrong labels."""
    negations = jsonl(tmp_path / "n.jsonl", [{"sentence": "I won.", "negated": "I lost."}])
    assert build_groups("negations", {"path": str(negations)}, 0) == [
        ContradictionGroup(("I won.",), ("I lost.",), "negations")
    ]
    corpus = jsonl(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    claims = jsonl(tmp_path / "claims.jsonl", [claim("The drug kills.", "CONTRADICT", 1)])
    (group,) = build_groups("claims", {"path": str(claims), "corpus": str(corpus)}, 0)
    assert group.right == ("The drug kills.",)
    own = tmp_path / "own.jsonl"
    write_groups(own, [group])
    assert build_groups("file", {"path": str(own)}, 0) == [group]


@pytest.mark.parametrize(
    ("builder", "line", "fault"),
    [
        ("questions", {"question": "q"}, "memory_answer"),
        ("negations", {"sentence": "a", "negated": " "}, "negated"),
        ("claims", {"text": "a", "evidence": {"1": {"label": "SUPPORT"}}}, "evidence"),
    ],
)
def test_a_row_that_a_builder_cannot_read_is_named(tmp_path: Path, builder, line, fault):
    """A KeyError out of a thousand rows names none of them."""
    path = jsonl(tmp_path / "rows.jsonl", [line])
    corpus = jsonl(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    options = {"path": str(path), **({"corpus": str(corpus)} if builder == "claims" else {})}
    with pytest.raises(ReadError, match=fault) as caught:
        build_groups(builder, options, 0)
    assert (caught.value.file, caught.value.line) == (str(path), 1)


def versions_folder(folder: Path, left: str, right: str) -> str:
    jsonl(folder / "corpus.jsonl", [{"_id": "a", "text": left}, {"_id": "b", "text": right}])
    queries = [
        {"_id": "1", "text": "x", "satisfying": ["a"], "violating": ["b"], "neutral": []},
        {"_id": "2", "text": "y", "satisfying": ["b"], "violating": ["a"], "neutral": []},
        {"_id": "3", "text": "z", "satisfying": ["a"], "violating": [], "neutral": []},
    ]
    jsonl(folder / "queries.jsonl", queries)
    return str(folder)


def test_versions_of_a_passage_stand_against_each_other(tmp_path: Path):
    """Cut to where they agree, two versions are one text."""
    left = "A first. A second. It is red (as all are). A fourth, which is old. A fifth."
    folder = versions_folder(tmp_path, left, left.replace("is red", "is not red"))
    alone = build_groups("versions", {"folder": folder}, 0)
    cut = build_groups("versions", {"folder": folder, "crops": 4}, 0)
    assert 1 <= len(alone) < len(cut)
    for group in (*alone, *cut):
        assert group.source == "versions"
        assert len({"not red" in text for text in group.left}) == 1
        assert len({"not red" in text for text in group.right}) == 1
        assert ("not red" in group.left[0]) != ("not red" in group.right[0])
    assert cut == build_groups("versions", {"folder": folder, "crops": 4}, 0)
    assert cut != build_groups("versions", {"folder": folder, "crops": 4}, 1)
    with pytest.raises(ConfigurationError, match="crops"):
        build_groups("versions", {"folder": folder, "crops": -1}, 0)


def test_a_version_that_says_more_is_not_cut_to_nothing(tmp_path: Path):
    """An empty text on one side ends the build of all the others."""
    folder = versions_folder(tmp_path, "A first one.", "A first one. A second one.")
    found = build_groups("versions", {"folder": folder, "crops": 6}, 0)
    assert found
    assert all(text.strip() for group in found for text in group.texts)


@pytest.mark.parametrize(
    ("name", "options", "fault"),
    [
        ("nothing", {}, "nothing"),
        ("rules", {"path": "x", "count": 3, "sentence": 3}, "sentence"),
        ("rules", {"path": "x", "count": 0}, "count"),
        ("questions", {"path": 3}, "path"),
    ],
)
def test_unknown_builders_and_options_are_named(name: str, options: dict, fault: str):
    with pytest.raises(ConfigurationError, match=fault):
        build_groups(name, options, 0)
    with pytest.raises(ReadError, match="no/such"):
        build_groups("questions", {"path": "no/such.jsonl"}, 0)


def test_made_needs_a_kind_that_it_can_make(tmp_path: Path):
    """An empty training set is found at the end of a run, if at all."""
    path = jsonl(tmp_path / "c.jsonl", [{"_id": "1", "text": "The mill was built in 1907 here."}])
    options = {"path": str(path), "count": 2}
    with pytest.raises(ConfigurationError, match="wordnet"):
        build_groups("rules", {**options, "kinds": ["antonym"]}, 0)
    (group,) = build_groups("rules", {**options, "kinds": ["antonym", "date"]}, 0)
    assert group.source == "rules date"


def test_made_reads_as_many_texts_as_it_is_told(tmp_path: Path):
    rows = [
        {"_id": str(n), "text": f"The mill of Stead {n} was built in 18{n}."} for n in range(10, 50)
    ]
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    options = {"path": str(path), "count": 40, "kinds": ["date"]}
    assert len(build_groups("rules", options, 0)) == 40
    assert len(build_groups("rules", {**options, "texts": 7}, 0)) == 7
    assert len(build_groups("rules", {**options, "count": 9}, 0)) == 9


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("questions", {"path": "conflictqa_strategyqa/dev.jsonl.gz"}),
        ("negations", {"path": "cannot_negation_pairs/pairs.jsonl.gz"}),
        ("claims", {"path": "scifact/claims_dev.jsonl", "corpus": "scifact/corpus.jsonl.gz"}),
        ("versions", {"folder": "nevir", "split": "dev", "crops": 1}),
        (
            "rules",
            {"path": "hotpotqa_train1000_pairs/questions.jsonl.gz", "count": 30, "texts": 200},
        ),
    ],
)
def test_side_builders_are_the_same_by_seed_and_without_repeats(name: str, options: dict):
    """A set order or a hash in between makes a run that no one can repeat."""
    found = build_groups(name, options, 7)
    assert found == build_groups(name, options, 7)
    assert unique_groups(found) == found
    assert len(found) > 10
