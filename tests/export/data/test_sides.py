"""Groups of two sides: files of them, and the builders that read them from labelled data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.claims import claim_sides
from logic_export.data.contradictions.labelled import negated_sides, pair_sides, question_sides
from logic_export.data.contradictions.sides import Sides, read_sides, unique_sides, write_sides
from logic_export.data.contradictions.sources import SIDE_BUILDERS, build_sides

from logic_retrievers.errors import ConfigurationError, InputError, ReadError

texts = st.text(min_size=1).filter(lambda text: bool(text.strip()) and text.isprintable())
groups = st.lists(texts, min_size=2, max_size=6, unique=True).flatmap(
    lambda said: st.builds(
        lambda cut, source: Sides(tuple(said[:cut]), tuple(said[cut:]), source),
        st.integers(1, len(said) - 1),
        st.text(max_size=5),
    )
)


def jsonl(path: Path, rows: list) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# --- the group and its file


@given(st.lists(groups, max_size=6), st.booleans())
def test_a_file_gives_back_the_groups_that_went_in(tmp_path_factory, made, packed):
    """Lines that end at U+2028, or a run whose data have another hash at every start."""
    path = tmp_path_factory.mktemp("sides") / "new" / ("own.jsonl.gz" if packed else "own.jsonl")
    write_sides(path, made)
    first = path.read_bytes()
    assert (first[:2] == b"\x1f\x8b") is packed
    assert read_sides(path) == made
    write_sides(path, made)
    assert path.read_bytes() == first
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_that_could_not_be_written_is_not_there(tmp_path: Path):
    """Half a file reads as a smaller training set."""
    with pytest.raises(UnicodeEncodeError):
        write_sides(tmp_path / "own.jsonl", [Sides(("a",), ("b",)), Sides(("\ud800",), ("b",))])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"left": ["a"]}', "'right' must be a list of texts"),
        ('{"left": "ab", "right": ["c"]}', "'left' must be a list of texts"),
        ('{"left": ["a"], "right": [1]}', "'right' must be a list of texts"),
        ('{"left": ["a"], "right": []}', "both sides need texts"),
        ('{"left": ["a", " "], "right": ["b"]}', "none may be empty"),
        ('{"left": ["a"], "right": ["b", "a"]}', "on both sides: 'a'"),
        ('{"left": ["a", "a"], "right": ["b"]}', "twice on a side"),
        ('{"left": ["a"], "right": ["b"], "query": "c"}', "unknown fields query"),
        ('{"left": ["a"], "right": ["b"], "source": 3}', "'source' must be a string"),
        ('{"left": ["a"], "right": ["\\ud800"]}', "surrogate"),
        ('["a"]', "expected a JSON object"),
        ("{", "not valid JSON"),
    ],
)
def test_a_malformed_group_is_named_with_its_line(tmp_path: Path, line: str, fault: str):
    path = tmp_path / "own.jsonl"
    path.write_text('{"left": ["a"], "right": ["b"]}\n\n' + line + "\n")
    with pytest.raises(ReadError, match=fault) as caught:
        read_sides(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_a_source_may_be_left_out(tmp_path: Path):
    path = jsonl(tmp_path / "own.jsonl", [{"left": ["a"], "right": ["b"]}])
    assert read_sides(path) == [Sides(("a",), ("b",))]


def test_no_side_is_empty_and_no_text_stands_twice():
    """A text that is its own contradiction, or a copy of it that is its own hard negative."""
    for left, right in (((), ("a",)), (("a",), ()), (("a", ""), ("b",)), (("a",), ("a",))):
        with pytest.raises(InputError):
            Sides(left, right)
    with pytest.raises(InputError, match="twice"):
        Sides(("a",), ("b", "b"))


def test_mirrored_and_reordered_groups_are_repeats():
    """What comes twice counts twice, and meets itself as its own negative."""
    first = Sides(("a", "b"), ("c",), "one")
    again = [Sides(("b", "a"), ("c",), "two"), Sides(("c",), ("a", "b"))]
    other = Sides(("a",), ("c",))
    turned = Sides(("a",), ("b", "c"))  # the same texts, but b contradicts a here
    assert unique_sides([first, *again, other, turned, other]) == [first, other, turned]


# --- labelled data

FIELDS = ("memory_answer", "parametric_memory", "parametric_memory_aligned_evidence")
COUNTER = ("counter_answer", "counter_memory", "counter_memory_aligned_evidence")


def row(question: str, ours: tuple, theirs: tuple) -> dict[str, str]:
    return {
        "question": question,
        **dict(zip(FIELDS, ours, strict=True)),
        **dict(zip(COUNTER, theirs, strict=True)),
    }


ROWS = [
    row("q", ("yes", "it is so", "as said"), ("no", "it is not so", "never so")),
    # another generator began with the other answer
    row("q", ("no", "not at all", ""), ("yes", "indeed", "as said")),
    row("q", ("perhaps", "who knows", "hm"), ("no", "surely not", "x")),
    row("r", ("one", "it is one", "see one"), ("two", "it is two", "see two")),
]


def test_generators_that_began_with_the_other_answer_change_sides():
    """The texts of both answers on one side would be trained as paraphrases of each other."""
    first, second = question_sides(ROWS)
    assert set(first.left) == {"yes", "it is so", "as said", "indeed"}
    assert set(first.right) == {"no", "it is not so", "never so", "not at all"}
    assert (second.left[0], second.right[0]) == ("one", "two")
    bare, _ = question_sides(ROWS, answers=False)
    assert set(bare.left) == {"it is so", "as said", "indeed"}
    assert set(bare.right) == {"it is not so", "never so", "not at all"}


def test_an_answer_that_nobody_knows_is_left_out():
    """Which side "perhaps" is on cannot be told from its row."""
    assert not {"who knows", "surely not"} & {t for g in question_sides(ROWS) for t in g.texts}


def test_a_text_that_supports_both_answers_supports_neither():
    both = row("q", ("yes", "so", "both say"), ("no", "not so", "both say"))
    (group,) = question_sides([both])
    assert "both say" not in group.texts
    assert question_sides([row("q", ("yes", "same", ""), ("yes", "same", ""))]) == []


def test_questions_are_cut_and_each_part_has_the_answers(tmp_path: Path):
    """A question with many passages would be a batch of its own."""
    rows = [
        row("q", ("yes", f"long because {n}", f"and {n} indeed"), ("no", f"never {n}", f"not {n}"))
        for n in range(2)
    ]
    options = {"path": str(jsonl(tmp_path / "rows.jsonl", rows))}
    parts = build_sides("questions", options, 0)
    assert len(parts) == 2
    for part in parts:
        assert (len(part.left), len(part.right)) == (3, 3)
        assert "yes" in part.left
        assert "no" in part.right
    assert {t for part in parts for t in part.texts} == {t for r in rows for t in r.values()} - {
        "q"
    }
    (whole,) = build_sides("questions", {**options, "most": None, "answers": False}, 0)
    assert (len(whole.left), len(whole.right)) == (4, 4)
    with pytest.raises(ConfigurationError, match="most must be at least 1"):
        build_sides("questions", {**options, "most": 0}, 0)


def test_a_passage_of_two_questions_gets_the_answers_of_its_own(tmp_path: Path):
    """Answers of another question beside a passage say that it contradicts what it never met."""
    rows = [
        row("q", ("yes", "the same passage", ""), ("no", "never so", "")),
        row("r", ("one", "it is two, not one", ""), ("two", "the same passage", "")),
    ]
    found = build_sides("questions", {"path": str(jsonl(tmp_path / "r.jsonl", rows))}, 0)
    assert [(set(g.left), set(g.right)) for g in found] == [
        ({"yes", "the same passage"}, {"no", "never so"}),
        ({"one", "it is two, not one"}, {"two", "the same passage"}),
    ]


def test_statements_that_share_a_negation_are_paraphrases():
    pairs = [("I won.", "I lost."), ("I did win.", "I lost."), ("I lost.", "I won."), ("a", "a")]
    first, mirrored = negated_sides([*pairs, ("I lost.", "I did win.")])[:2]
    assert first == Sides(("I won.", "I did win."), ("I lost.",), "negations")
    assert mirrored == Sides(("I lost.",), ("I won.",), "negations")
    assert negated_sides([("a", "b"), ("b", "a")]) == [Sides(("a",), ("b",), "negations")]


def test_what_entails_a_text_contradicts_what_the_text_contradicts():
    """What a text entails says less: "a dog runs" does not contradict "no brown dog runs"."""
    found = pair_sides(
        [
            ("a brown dog runs", "a dog runs", "ENTAILMENT"),
            ("a dog runs", "no dog runs", "contradiction"),
            ("no dog runs", "no brown dog runs", "entailment "),
            ("no animal runs", "no dog runs", "entailment"),
            ("a dog runs", "it rains", "neutral"),
            ("same", "same", "contradiction"),
        ]
    )
    left, right = ("a dog runs", "a brown dog runs"), ("no dog runs", "no animal runs")
    assert found == [Sides(left, right, "pairs")]


def test_labels_that_disagree_put_no_text_on_both_sides():
    rows = [("a", "b", "entailment"), ("b", "a", "entailment"), ("a", "b", "contradiction")]
    assert pair_sides(rows) == [Sides(("a",), ("b",), "pairs")]


DOCUMENT = (
    "Cells were counted. The drug reduces the risk of death. It was given daily. Costs were high. "
    "No harm was seen."
)


def claim(text: str, label: str, *numbers: int, document: str = "1") -> dict:
    rationales = [[n] for n in numbers]
    return {"text": text, "evidence": {document: {"label": label, "rationales": rationales}}}


def test_claims_stand_on_the_side_that_the_evidence_takes():
    """A refuted claim beside its evidence is a paraphrase that denies it."""
    found = claim_sides(
        [
            claim("The drug saves lives.", "SUPPORT", 1),
            claim("The drug kills.", "CONTRADICT", 1),
            claim("Costs were low.", "CONTRADICT", 3),
            claim("Elsewhere it rained.", "SUPPORT", 0, document="9"),
        ],
        {"1": DOCUMENT},
    )
    first, second = found
    assert first.left == (
        "Cells were counted. The drug reduces the risk of death. It was given daily.",
        "The drug saves lives.",
    )
    assert first.right == ("The drug kills.",)
    assert second.left == ("It was given daily. Costs were high. No harm was seen.",)
    assert second.right == ("Costs were low.",)


def test_supported_claims_are_denied_where_that_is_safe():
    safe = claim("The drug reduces the risk.", "SUPPORT", 1)
    unsafe = claim("Some drugs may work.", "SUPPORT", 3)
    (group,) = claim_sides([safe, unsafe], {"1": DOCUMENT})
    assert group.right == ("The drug does not reduce the risk.",)
    assert group.left[1:] == ("The drug reduces the risk.",)


def test_a_claim_that_is_its_evidence_stands_once():
    (group,) = claim_sides([claim("It is red.", "SUPPORT", 0)], {"1": "It is red."})
    assert group.left == ("It is red.",)


# --- builders by name


def test_builders_of_labelled_files(tmp_path: Path):
    """Fields read under another name give an empty training set, or the wrong labels."""
    negations = jsonl(tmp_path / "n.jsonl", [{"sentence": "I won.", "negated": "I lost."}])
    assert build_sides("negations", {"path": str(negations)}, 0) == [
        Sides(("I won.",), ("I lost.",), "negations")
    ]
    rows = [{"premise": "a", "hypothesis": "b", "gold": "contradiction"}]
    named = {"one": "premise", "other": "hypothesis", "label": "gold"}
    path = jsonl(tmp_path / "p.jsonl", rows)
    assert build_sides("pairs", {"path": str(path), **named}, 0) == [Sides(("a",), ("b",), "pairs")]
    with pytest.raises(ReadError, match="'sentence_a' must be a string"):
        build_sides("pairs", {"path": str(path)}, 0)
    corpus = jsonl(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    claims = jsonl(tmp_path / "claims.jsonl", [claim("The drug kills.", "CONTRADICT", 1)])
    (group,) = build_sides("claims", {"path": str(claims), "corpus": str(corpus)}, 0)
    assert group.right == ("The drug kills.",)
    own = tmp_path / "own.jsonl"
    write_sides(own, [group])
    assert build_sides("file", {"path": str(own)}, 0) == [group]


@pytest.mark.parametrize(
    ("builder", "line", "fault"),
    [
        ("questions", {"question": "q"}, "'memory_answer' must be a string"),
        ("negations", {"sentence": "a", "negated": " "}, "'negated' is empty"),
        ("pairs", {"sentence_a": "", "sentence_b": "b", "label": "x"}, "'sentence_a' is empty"),
        ("claims", {"text": "a"}, "'evidence'"),
        ("claims", {"text": "a", "evidence": {"1": {"label": "SUPPORT"}}}, "'evidence'"),
        ("claims", {"text": "a", "evidence": {"1": "SUPPORT"}}, "'evidence'"),
    ],
)
def test_a_row_that_a_builder_cannot_read_is_named(tmp_path: Path, builder, line, fault):
    """A KeyError out of a thousand rows names none of them."""
    path = jsonl(tmp_path / "rows.jsonl", [line])
    corpus = jsonl(tmp_path / "c.jsonl", [{"_id": 1, "text": DOCUMENT}])
    options = {"path": str(path), **({"corpus": str(corpus)} if builder == "claims" else {})}
    with pytest.raises(ReadError, match=fault) as caught:
        build_sides(builder, options, 0)
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
    alone = build_sides("versions", {"folder": folder}, 0)
    cut = build_sides("versions", {"folder": folder, "crops": 4}, 0)
    assert 1 <= len(alone) < len(cut)
    for group in (*alone, *cut):
        assert group.source == "versions"
        assert len({"not red" in text for text in group.left}) == 1
        assert len({"not red" in text for text in group.right}) == 1
        assert ("not red" in group.left[0]) != ("not red" in group.right[0])
    assert cut == build_sides("versions", {"folder": folder, "crops": 4}, 0)
    assert cut != build_sides("versions", {"folder": folder, "crops": 4}, 1)
    with pytest.raises(ConfigurationError, match="crops must be at least 0"):
        build_sides("versions", {"folder": folder, "crops": -1}, 0)


def test_a_version_that_says_more_is_not_cut_to_nothing(tmp_path: Path):
    """An empty text on one side ends the build of all the others."""
    folder = versions_folder(tmp_path, "A first one.", "A first one. A second one.")
    found = build_sides("versions", {"folder": folder, "crops": 6}, 0)
    assert found
    assert all(text.strip() for group in found for text in group.texts)


@pytest.mark.parametrize(
    ("name", "options", "fault"),
    [
        ("nothing", {}, r"no builder 'nothing'; there are claims, file, .*versions"),
        ("made", {"path": "x"}, "count"),
        ("made", {"path": "x", "count": 3, "sentence": 3}, "sentence"),
        ("made", {"path": "x", "count": 0}, "count must be at least 1"),
        ("made", {"path": "x", "count": 3, "sentences": 0}, "sentences must be at least 1"),
        ("questions", {"path": 3}, "path"),
    ],
)
def test_unknown_builders_and_options_are_named(name: str, options: dict, fault: str):
    with pytest.raises(ConfigurationError, match=fault):
        build_sides(name, options, 0)


def test_a_file_that_is_not_there_is_named():
    for name in SIDE_BUILDERS:
        options: dict = {"folder": "no/such"} if name == "versions" else {"path": "no/such.jsonl"}
        options |= {"count": 3} if name == "made" else {}
        options |= {"corpus": "no/such.jsonl"} if name == "claims" else {}
        with pytest.raises(ReadError, match="no/such"):
            build_sides(name, options, 0)


def test_made_needs_a_kind_that_it_can_make(tmp_path: Path):
    """An empty training set is found at the end of a run, if at all."""
    path = jsonl(tmp_path / "c.jsonl", [{"_id": "1", "text": "The mill was built in 1907 here."}])
    options = {"path": str(path), "count": 2}
    with pytest.raises(ConfigurationError, match="'antonym' needs wordnet"):
        build_sides("made", {**options, "kinds": ["antonym"]}, 0)
    with pytest.raises(ConfigurationError, match="no kind 'colour'; there are polarity"):
        build_sides("made", {**options, "kinds": ["colour"]}, 0)
    (group,) = build_sides("made", {**options, "kinds": ["antonym", "date"]}, 0)
    assert group.source == "made date"


def test_made_reads_as_many_texts_as_it_is_told(tmp_path: Path):
    rows = [
        {"_id": str(n), "text": f"The mill of Stead {n} was built in 18{n}."} for n in range(10, 50)
    ]
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()))
    options = {"path": str(path), "count": 40, "kinds": ["date"]}
    assert len(build_sides("made", options, 0)) == 40
    assert len(build_sides("made", {**options, "texts": 7}, 0)) == 7
    assert len(build_sides("made", {**options, "count": 9}, 0)) == 9


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("questions", {"path": "conflictqa_strategyqa/dev.jsonl.gz"}),
        ("negations", {"path": "cannot_negation_pairs/pairs.jsonl.gz"}),
        ("claims", {"path": "scifact/claims_dev.jsonl", "corpus": "scifact/corpus.jsonl.gz"}),
        ("pairs", {"path": "sick/trial.jsonl"}),
        ("versions", {"folder": "nevir", "split": "dev", "crops": 1}),
        (
            "made",
            {"path": "hotpotqa_train1000_pairs/questions.jsonl.gz", "count": 30, "texts": 200},
        ),
    ],
)
def test_side_builders_are_the_same_by_seed_and_without_repeats(name: str, options: dict):
    """A set order or a hash in between makes a run that nobody can repeat."""
    found = build_sides(name, options, 7)
    assert found == build_sides(name, options, 7)
    assert unique_sides(found) == found
    assert len(found) > 10
