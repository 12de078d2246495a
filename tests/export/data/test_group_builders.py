"""Groups of two contradicting sides from labelled data, and the builders by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from logic_export.data.contradictions.builders import build_groups, claim_groups, negation_groups
from logic_export.data.contradictions.conflictqa import (
    SIDE_FIELDS,
    groups_of_questions,
    load_conflictqa,
    question_groups,
)
from logic_export.data.contradictions.groups import ContradictionGroup, unique_groups, write_groups
from small_recipes import json_lines

from logic_retrievers.errors import ConfigurationError, ReadError

DOCUMENT = (
    "Cells were counted. The drug reduces the risk of death. It was given daily. Costs were high. "
    "No harm was seen."
)


def claim(text: str, label: str, *numbers: int, document: str = "1") -> dict:
    rationales = [[n] for n in numbers]
    return {"text": text, "evidence": {document: {"label": label, "rationales": rationales}}}


def row(question: str, ours: tuple, theirs: tuple) -> dict[str, str]:
    sides = zip(SIDE_FIELDS, (ours, theirs), strict=True)
    fields = {k: v for names, values in sides for k, v in zip(names, values, strict=True)}
    return {"question": question, **fields}


ROWS = [
    row("q", ("yes", "it is so", "as said"), ("no", "it is not so", "never so")),
    # a second generator began with the opposite answer
    row("q", ("no", "not at all", ""), ("yes", "indeed", "as said")),
    row("q", ("perhaps", "who knows", "hm"), ("no", "surely not", "x")),
]


def test_generators_that_began_with_the_other_answer_change_sides():
    """Otherwise a side would mix texts of both answers and train them as paraphrases."""
    (first,) = question_groups(ROWS)
    assert set(first.left) == {"yes", "it is so", "as said", "indeed"}
    assert set(first.right) == {"no", "it is not so", "never so", "not at all"}
    (bare,) = question_groups(ROWS, answers=False)
    assert set(bare.left) == {"it is so", "as said", "indeed"}
    assert set(bare.right) == {"it is not so", "never so", "not at all"}
    # the side of "perhaps" is unknown
    assert not {"who knows", "surely not"} & set(first.texts)


def test_a_text_that_supports_both_answers_supports_neither():
    both = row("q", ("yes", "so", "both say"), ("no", "not so", "both say"))
    (group,) = question_groups([both])
    assert "both say" not in group.texts
    assert question_groups([row("q", ("yes", "same", ""), ("yes", "same", ""))]) == []


def test_questions_are_cut_and_each_part_has_the_answers(tmp_path: Path):
    """Without a limit, a question with many passages would fill a batch alone."""
    rows = [
        row("q", ("yes", f"long because {n}", f"and {n} indeed"), ("no", f"never {n}", f"not {n}"))
        for n in range(2)
    ]
    options = {"path": str(json_lines(tmp_path / "rows.jsonl", rows))}
    parts = build_groups("questions", options, 0)
    assert len(parts) == 2
    for part in parts:
        assert (len(part.left), len(part.right)) == (3, 3)
        assert "yes" in part.left
        assert "no" in part.right
    assert {t for part in parts for t in part.texts} == {t for r in rows for t in r.values()} - {
        "q"
    }
    (whole,) = build_groups("questions", {**options, "most": None, "answers": False}, 0)
    assert (len(whole.left), len(whole.right)) == (4, 4)
    with pytest.raises(ConfigurationError, match="most"):
        build_groups("questions", {**options, "most": 0}, 0)


def test_a_passage_of_two_questions_gets_the_answers_of_its_own(tmp_path: Path):
    """Answers to a different question must not become contradictions of the passage."""
    rows = [
        row("q", ("yes", "the same passage", ""), ("no", "never so", "")),
        row("r", ("one", "it is two, not one", ""), ("two", "the same passage", "")),
    ]
    found = build_groups("questions", {"path": str(json_lines(tmp_path / "r.jsonl", rows))}, 0)
    assert [(set(g.left), set(g.right)) for g in found] == [
        ({"yes", "the same passage"}, {"no", "never so"}),
        ({"one", "it is two, not one"}, {"two", "the same passage"}),
    ]


def test_statements_that_share_a_negation_are_paraphrases():
    pairs = [("I won.", "I lost."), ("I did win.", "I lost."), ("I lost.", "I won."), ("a", "a")]
    first, mirrored = negation_groups([*pairs, ("I lost.", "I did win.")])[:2]
    assert first == ContradictionGroup(("I won.", "I did win."), ("I lost.",), "negations")
    assert mirrored == ContradictionGroup(("I lost.",), ("I won.",), "negations")
    assert negation_groups([("a", "b"), ("b", "a")]) == [
        ContradictionGroup(("a",), ("b",), "negations")
    ]


def test_claims_stand_on_the_side_that_the_evidence_takes():
    """A refuted claim on its evidence's side would be trained as a paraphrase."""
    first, second = claim_groups(
        [
            claim("The drug saves lives.", "SUPPORT", 1),
            claim("The drug kills.", "CONTRADICT", 1),
            claim("Costs were low.", "CONTRADICT", 3),
            claim("Elsewhere it rained.", "SUPPORT", 0, document="9"),
        ],
        {"1": DOCUMENT},
    )
    evidence = "Cells were counted. The drug reduces the risk of death. It was given daily."
    assert (first.left, first.right) == ((evidence, "The drug saves lives."), ("The drug kills.",))
    assert second.left == ("It was given daily. Costs were high. No harm was seen.",)
    assert second.right == ("Costs were low.",)
    # without a refuted claim, supported claims are negated if that is safe
    safe = claim("The drug reduces the risk.", "SUPPORT", 1)
    (group,) = claim_groups([safe, claim("Some drugs may work.", "SUPPORT", 3)], {"1": DOCUMENT})
    assert group.right == ("The drug does not reduce the risk.",)
    assert group.left[1:] == ("The drug reduces the risk.",)
    (group,) = claim_groups([claim("It is red.", "SUPPORT", 0)], {"1": "It is red."})
    assert group.left == ("It is red.",)


def test_a_part_of_conflictqa_is_read_by_question(tmp_path: Path, monkeypatch) -> None:
    """Mixing two questions would make unrelated texts contradictions."""
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    (tmp_path / "conflictqa_strategyqa").mkdir()
    other = row("r", ("one", "it is one", "see one"), ("two", "it is two", "see two"))
    json_lines(tmp_path / "conflictqa_strategyqa" / "test.jsonl", [ROWS[0], other, ROWS[1]])
    found = load_conflictqa("test")
    assert list(found) == ["q", "r"]
    (group,) = found["q"]
    assert set(group.left) == {"it is so", "as said", "indeed"}
    assert len(groups_of_questions(found)) == 2
    with pytest.raises(ReadError):
        load_conflictqa("dev")


def test_builders_of_labelled_files(tmp_path: Path):
    """Reading the wrong fields would give an empty training set, or wrong labels."""
    negations = json_lines(tmp_path / "n.jsonl", [{"sentence": "I won.", "negated": "I lost."}])
    corpus = json_lines(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    claims = json_lines(tmp_path / "claims.jsonl", [claim("The drug kills.", "CONTRADICT", 1)])
    own = ContradictionGroup(("I won.",), ("I lost.",), "negations")
    write_groups(tmp_path / "own.jsonl", [own])
    assert build_groups("negations", {"path": str(negations)}, 0) == [own]
    assert build_groups("file", {"path": str(tmp_path / "own.jsonl")}, 0) == [own]
    (group,) = build_groups("claims", {"path": str(claims), "corpus": str(corpus)}, 0)
    assert group.right == ("The drug kills.",)


@pytest.mark.parametrize(
    ("builder", "line", "fault"),
    [
        ("questions", {"question": "q"}, "memory_answer"),
        ("negations", {"sentence": "a", "negated": " "}, "negated"),
        ("claims", {"text": "a", "evidence": {"1": {"label": "SUPPORT"}}}, "evidence"),
    ],
)
def test_a_row_that_a_builder_cannot_read_is_named(tmp_path: Path, builder, line, fault):
    """The error must name the row; a KeyError from a thousand rows does not."""
    path = json_lines(tmp_path / "rows.jsonl", [line])
    corpus = json_lines(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    options = {"path": str(path), **({"corpus": str(corpus)} if builder == "claims" else {})}
    with pytest.raises(ReadError, match=fault) as caught:
        build_groups(builder, options, 0)
    assert (caught.value.file, caught.value.line) == (str(path), 1)


def versions_folder(folder: Path, left: str, right: str) -> str:
    json_lines(folder / "corpus.jsonl", [{"_id": "a", "text": left}, {"_id": "b", "text": right}])
    queries = [
        {"_id": "1", "text": "x", "satisfying": ["a"], "violating": ["b"], "neutral": []},
        {"_id": "2", "text": "y", "satisfying": ["b"], "violating": ["a"], "neutral": []},
        {"_id": "3", "text": "z", "satisfying": ["a"], "violating": [], "neutral": []},
    ]
    json_lines(folder / "queries.jsonl", queries)
    return str(folder)


def test_versions_of_a_passage_stand_against_each_other(tmp_path: Path):
    """Crops must keep the difference; otherwise two versions become the same text."""
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
    # if one version only adds text, the other is not cropped to an empty text
    folder = versions_folder(tmp_path, "A first one.", "A first one. A second one.")
    found = build_groups("versions", {"folder": folder, "crops": 6}, 0)
    assert found
    assert all(text.strip() for group in found for text in group.texts)


def test_rules_need_a_kind_that_they_can_make(tmp_path: Path):
    """An empty training set must be refused early; otherwise it shows after a run, if at all."""
    rows = [{"_id": "1", "text": "The mill was built in 1907 here."}]
    options = {"path": str(json_lines(tmp_path / "c.jsonl", rows)), "count": 2}
    with pytest.raises(ConfigurationError, match="wordnet"):
        build_groups("rules", {**options, "kinds": ["antonym"]}, 0)
    (group,) = build_groups("rules", {**options, "kinds": ["antonym", "date"]}, 0)
    assert group.source == "rules date"


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
    """Dependence on set order or hash seeds would make runs irreproducible."""
    found = build_groups(name, options, 7)
    assert found == build_groups(name, options, 7)
    assert unique_groups(found) == found
    assert len(found) > 10
