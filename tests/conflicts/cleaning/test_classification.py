"""The relation of two passages: from metadata, the cross-encoder's reading and the vectors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers import Passage
from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.conflicts.cleaning.classification import classify_pair, classify_pairs
from logic_retrievers.conflicts.cleaning.result import Kind
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, ReadThresholds
from logic_retrievers.judging import RELATIONS
from logic_retrievers.judging.relation import conflict_share, turned

THRESHOLD = 0.87
BIKES = "Bicycles may be taken on every train."
NO_BIKES = "Travellers have to leave a bicycle at the station."
OLD, NEW = {"date": "2021-03-01"}, {"date": "2024-06-01"}
SPAIN, IRELAND = {"country": "ES"}, {"country": "IE"}


def read_as(relation, probability=0.9):
    rest = (1 - probability) / (len(RELATIONS) - 1)
    return tuple(probability if name == relation else rest for name in RELATIONS)


def states(superseded, supersedes):
    """A reading as two states of one thing, with the probability of each order."""
    rest = (1 - superseded - supersedes) / 4
    return (rest, superseded, supersedes, rest, rest, rest)


def read_pair(near, likely, relation):
    judged = relation and conflict_share(relation)
    return CandidatePair(0, 1, near, near, likely, judged, relation)


def classified(
    metadata=({}, {}), relation=None, *, texts=(BIKES, NO_BIKES), near=0.6, likely=0.0, **settings
):
    thresholds = ReadThresholds(settings.pop("listed", 0.5), 0.8)
    one, other = (Passage(*row) for row in zip("ab", texts, metadata, strict=True))
    pair = read_pair(near, likely, relation)
    return classify_pair(one, other, pair, CleaningSettings(**settings), THRESHOLD, thresholds)


READ_FROM = ReadThresholds(0.5, 0.8)

# --- the cross-encoder's reading


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.value in RELATIONS])
def test_what_was_read_decides(kind):
    """Vectors miss nearly every contradiction worded differently."""
    found = classified(relation=read_as(kind.value), near=0.8)
    assert found.kind is kind
    assert "0.9" in found.reason
    is_conflict = kind in (Kind.CONTRADICTION, Kind.SUPERSEDED)
    assert found.probability == pytest.approx(0.94 if is_conflict else 0.06)
    assert classified(relation=read_as("unrelated"), near=0.95, likely=0.99) is None


def test_a_doubtful_contradiction_is_none():
    """On a corpus without contradictions every doubtful one is a false alarm."""
    doubtful = read_as("contradiction", 0.5)
    assert classified(relation=doubtful, listed=0.8, near=0.9, likely=0.99) is None
    assert classified(relation=doubtful, listed=0.6).kind is Kind.CONTRADICTION


def test_what_agrees_is_worth_a_line_only_if_near():
    """A report must not list every two passages of one topic."""
    for relation in ("scope", "paraphrase"):
        assert classified(relation=read_as(relation)) is None
        assert classified(relation=read_as(relation), near=0.8).kind == relation
        assert classified(relation=read_as(relation), likely=0.5).kind == relation


def test_the_vectors_decide_what_nobody_read():
    found = classified(likely=0.87)
    assert (found.kind, found.probability) == (Kind.CONTRADICTION, 0.87)
    assert "0.87" in found.reason
    assert classified(likely=0.86, near=0.95) is None


def test_beside_a_trusted_passage_the_neighbourhood_decides():
    """The neighbourhood's probability counts; only a sure reading of the two overrules it."""
    pair = read_pair(0.85, 0.3, read_as("paraphrase"))
    two = Passage("one", BIKES), Passage("other", NO_BIKES)
    candidates = CandidatePairs(two, (pair,), frozenset({0}))
    arguments = candidates, [pair], CleaningSettings(), THRESHOLD
    (alone,) = classify_pairs(*arguments, read=READ_FROM)
    assert alone.kind is Kind.PARAPHRASE
    (opposed,) = classify_pairs(*arguments, {(0, 1): 0.95}, read=READ_FROM)
    assert (opposed.kind, opposed.probability) == (Kind.CONTRADICTION, 0.95)


def test_findings_name_the_newer_and_the_words():
    """A user decides by these without opening both passages."""
    two = Passage("one", "It opens at 9.", OLD), Passage("other", "It opens at 10.", NEW)
    pair = read_pair(0.85, 0.3, read_as("superseded"))
    arguments = [pair], CleaningSettings(), THRESHOLD
    (found,) = classify_pairs(CandidatePairs(two, (pair,)), *arguments, read=READ_FROM)
    assert (found.kind, found.newer) == (Kind.SUPERSEDED, "other")
    ((start, end),) = [difference.other for difference in found.differences]
    assert two[1].text[start:end] == "10"
    copies = (two[0], Passage("other", "It opens at 9!"))
    (copy,) = classify_pairs(CandidatePairs(copies, (pair,)), *arguments, read=READ_FROM)
    assert (copy.kind, copy.differences) == (Kind.DUPLICATE, ())


# --- metadata


def test_another_scope_comes_before_a_reading():
    """Metadata state with certainty what a passage applies to."""
    about = (SPAIN, IRELAND)
    for near, relation in ((0.8, "contradiction"), (0.8, "unrelated"), (0.6, None)):
        read = relation and read_as(relation)
        found = classified(about, read, near=near, likely=0.0 if relation else 0.9)
        assert found.kind is Kind.SCOPE
        assert "country" in found.reason
    assert classified(about, read_as("contradiction"), near=0.6) is None
    assert classified(about, near=0.6) is None
    assert classified(about, read_as("paraphrase"), likely=0.6).kind is Kind.SCOPE
    assert classified(about, read_as("contradiction"), scope_keys=()).kind is Kind.CONTRADICTION


def test_copies_are_copies_whatever_their_metadata():
    """The same sentence in two handbooks contradicts neither."""
    about = ({**SPAIN, **OLD, "title": "a"}, {**IRELAND, **NEW, "title": "a"})
    texts = (BIKES, BIKES.upper())
    found = classified(about, read_as("contradiction"), texts=texts, document_key="title")
    assert found.kind is Kind.DUPLICATE


def test_a_document_key_makes_versions():
    """Rows declared as one document need no reading."""
    about = ({"title": "Trains", **OLD}, {"title": "Trains", **NEW})
    for relation in (None, read_as("unrelated"), read_as("supersedes")):
        found = classified(about, relation, near=0.9, document_key="title")
        assert (found.kind, found.newer) == (Kind.SUPERSEDED, "b")
    for relation in ("contradiction", "superseded", "supersedes"):
        found = classified(about, read_as(relation), document_key="title")
        assert (found.kind, found.newer) == (Kind.SUPERSEDED, "b")
    assert classified(about, read_as("unrelated"), document_key="title") is None
    likeliest_is_none = (0.31, 0.15, 0.15, 0.0, 0.0, 0.39)
    assert classified(about, likeliest_is_none, document_key="title") is None
    doubtful = read_as("contradiction", 0.5)
    assert classified(about, doubtful, document_key="title").newer == "b"
    assert classified(about, doubtful, document_key="title", listed=0.8) is None
    assert classified(about, near=0.9) is None


def test_rows_of_one_file_are_no_versions():
    """Two dated notes of one file need not be about the same thing."""
    about = tuple({"source": "notes.jsonl", "title": "Notes", **dated} for dated in (OLD, NEW))
    assert classified(about, near=0.95) is None
    assert classified(about, read_as("unrelated"), near=0.95) is None
    assert classified(about, read_as("scope"), near=0.95).kind is Kind.SCOPE
    found = classified(about, read_as("contradiction"), near=0.95)
    assert (found.kind, found.newer) == (Kind.CONTRADICTION, None)


# --- the newer of two states


@pytest.mark.parametrize(
    ("relation", "metadata", "newer"),
    [
        (states(0.9, 0.0), ({}, {}), "b"),
        (states(0.0, 0.9), ({}, {}), "a"),
        (states(0.0, 0.9), (NEW, OLD), "a"),
        (states(0.9, 0.0), (OLD, {"date": "soon"}), "b"),
        (states(0.45, 0.45), (OLD, NEW), "b"),
        (states(0.5, 0.4), ({"version": "2.10"}, {"version": "2.9"}), "a"),
        (states(0.45, 0.45), ({}, {}), None),  # the reader cannot tell
        (states(0.9, 0.0), (NEW, OLD), None),  # reader and date disagree
        (states(0.7, 0.0), (OLD, NEW), None),  # the passages may not be two states at all
    ],
)
def test_the_newer_one(relation, metadata, newer):
    """`prefer_newest` hides the older one, so a wrong guess would hide a true page."""
    found = classified(metadata, relation)
    assert (found.kind, found.newer) == (Kind.SUPERSEDED, newer)


# --- any two passages

TEXTS = st.sampled_from([BIKES, BIKES.lower(), NO_BIKES, "Trains take bicycles.", "\u7d20\u98df"])
VALUES = st.sampled_from(["DE", "FR", 2020, 2021, "2.1", "2.10", "2022-05-01", None, "", [1]])
METADATA = st.dictionaries(
    st.sampled_from(["date", "source", "title", "version", "region", "year"]), VALUES, max_size=4
)
SHARES = st.lists(st.floats(0.01, 1), min_size=len(RELATIONS), max_size=len(RELATIONS))
READ = st.none() | SHARES.map(lambda row: tuple(share / sum(row) for share in row))
SCORES = st.floats(0, 1)


@given(
    st.tuples(TEXTS, TEXTS), st.tuples(METADATA, METADATA), READ, SCORES, SCORES,
    st.sampled_from([None, "title", "source"]),
)  # fmt: skip
def test_the_order_of_the_two_plays_no_part(texts, metadata, relation, near, likely, key):
    """A pair may come in either order; each finding must give a reason."""
    settings = {"near": near, "likely": likely, "document_key": key}
    found = classified(metadata, relation, texts=texts, **settings)
    other_way = relation and turned(relation)
    back = classified(metadata[::-1], other_way, texts=texts[::-1], **settings)
    if found is None or back is None:
        assert found is back
        return
    sides = {"a": "b", "b": "a", None: None}
    same = {"reason": found.reason, "differences": found.differences}
    assert replace(back, newer=sides[back.newer], **same) == found
    assert found.reason
    assert found.newer is None or found.kind is Kind.SUPERSEDED
