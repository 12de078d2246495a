"""Conflicts of given texts and stored passages are those of the library's filter."""

from __future__ import annotations

import threading

import pytest
from pydantic import ValidationError
from serving_examples import PASSAGES, STATEMENT

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.conflicts.pair_judge import Reader
from logic_retrievers.errors import InputError
from logic_retrievers.judging import ModelJudge
from logic_retrievers.serving.conflict_check import ConflictCheckRequest
from logic_retrievers.serving.service import SearchService

pytestmark = pytest.mark.reader

LEAVE = ["Parental leave is not paid.", "Parental leave is paid in full for twelve weeks."]
NOTICES = ["The pool opened at 9 in 2019.", "Since 2024 the pool opens at 7.", *LEAVE]


async def checked(service: SearchService, **fields):
    return await service.check_conflicts(ConflictCheckRequest(**fields))


def found(response) -> list[tuple]:
    """The conflicts with members as the filter names them in these tests: positions and ids."""
    return [
        (*(m.id or str(m.text) for m in (c.one, c.other)), c.probability, c.relation,
         (c.one.sentence, c.other.sentence))
        for c in response.conflicts
    ]  # fmt: skip


@pytest.mark.parametrize("threshold", [None, 0.2, 0.99])
@pytest.mark.parametrize("vectors", [("topical",), ("topical", "contradiction")])
async def test_they_are_the_filters(threshold, vectors):
    """Also where the collection lacks the contradiction vector: it is made on the spot."""
    ids = ["inn", "pool", "sea"]
    texts = [*NOTICES, STATEMENT]
    with PassageIndex.open(vectors=vectors) as index:
        index.add(PASSAGES)
        service = SearchService(index)
        mixed = await checked(service, texts=texts, ids=[*ids, "inn"], threshold=threshold)
        stored = await checked(service, ids=ids, threshold=threshold)
    passages = {passage.id: passage for passage in PASSAGES}
    # metadata on one side alone hide most conflicts from the reader
    bare = [Passage(name, passages[name].text) for name in ids]
    given = [*(Passage(str(n), text) for n, text in enumerate(texts)), *bare]
    by_filter = ContradictionFilter(threshold=threshold)
    for response, list_ in ((mixed, given), (stored, [passages[name] for name in ids])):
        conflicts = by_filter.filter(list_).conflicts
        assert found(response) == [
            (c.one, c.other, pytest.approx(c.probability, abs=1e-4), c.relation, c.read)
            for c in conflicts
        ]
        assert not response.notes
    if threshold is None:
        assert {("2", "3"), ("4", "inn")} <= {each[:2] for each in found(mixed)}


async def test_which_state_is_newer_is_said(service):
    """An assistant that takes the older of two states for the truth repeats it."""
    states = [
        "As of 2019 the entry fee was 4 euros.",
        "Since January 2024 the entry fee is 6 euros.",
    ]
    for texts, relation in ((states, "superseded"), (states[::-1], "supersedes")):
        (conflict,) = (await checked(service, texts=texts)).conflicts
        assert conflict.relation == relation
        assert ("older" in conflict.reason) == (relation == "superseded")


async def test_passages_of_different_times_are_in_no_conflict():
    """Two prices of two years are both right; a text without dates may contradict either."""
    texts = ["Entry costs 4 euros.", "Entry costs 6 euros.", "Entry costs 9 euros."]
    with PassageIndex.open() as index:
        old = {"since": "2019-01-01", "till": "2024-01-01"}
        index.add([Passage("old", texts[0], old), Passage("new", texts[1], {"since": old["till"]})])
        for validity, apart in ((("since", "till"), True), (None, False)):
            service = SearchService(index, validity=validity)
            response = await checked(service, texts=texts[2:], ids=["old", "new"])
            pairs = {frozenset(each[:2]) for each in found(response)}
            assert (frozenset(("old", "new")) not in pairs) == apart
            assert {frozenset(("0", "old")), frozenset(("0", "new"))} <= pairs


async def test_a_stored_id_is_never_taken_for_a_text():
    with PassageIndex.open() as index:
        index.add([Passage("text0", LEAVE[0]), Passage("text_1", LEAVE[1])])
        response = await checked(SearchService(index), texts=["Bees."], ids=["text0", "text_1"])
    assert [each[:2] for each in found(response)] == [("text0", "text_1")]


async def test_what_cannot_be_checked_is_said(service):
    """An assistant believes an empty list."""
    response = await checked(service, texts=["泳池早上八点开放。", " "], ids=["inn"])
    assert not response.conflicts
    assert [note.split()[0] for note in response.notes] == ["texts[0]", "texts[1]"]
    with pytest.raises(InputError, match="'gone', 'lost'"):
        await checked(service, texts=["x"], ids=["gone", "inn", "lost"])


class Model(ModelJudge):
    """Reads a contradiction into every pair."""

    compares = True

    def __call__(self, pairs, /):
        return [0.5] * len(pairs)

    def contradictions(self, pairs, /):
        return [0.875] * len(pairs)


async def test_the_judge_of_the_service_reads(index):
    """A model that cannot compare passages leaves that to the package's own."""
    usual = found(await checked(SearchService(index), texts=LEAVE))
    cannot = SearchService(index, judge=lambda pairs: [1.0] * len(pairs))
    assert found(await checked(cannot, texts=LEAVE)) == usual
    assert [each[3] for each in usual] == ["contradiction"]
    given = [Passage(text, text) for text in LEAVE]
    (alone,) = ContradictionFilter(judge=None).filter(given).conflicts
    for judge, probability in ((Model(), 0.875), (None, alone.probability)):
        (conflict,) = (await checked(SearchService(index, judge=judge), texts=LEAVE)).conflicts
        assert (conflict.probability, conflict.relation) == (probability, None)
        assert (conflict.one.sentence, conflict.other.sentence) == tuple(LEAVE)
        assert ("judge" in conflict.reason) == (judge is not None)


async def test_reading_leaves_the_event_loop_free(service, monkeypatch):
    """Reading fifty texts takes seconds, in which the other requests would wait."""
    threads, read = [], Reader.read

    def watched(self, pairs):
        threads.append(threading.current_thread())
        return read(self, pairs)

    monkeypatch.setattr(Reader, "read", watched)
    await checked(service, texts=LEAVE)
    assert threads
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"texts": ["x"]},
        {"ids": ["a", "a"]},
        {"texts": ["x"] * 30, "ids": [str(n) for n in range(21)]},
        {"texts": ["x", ""]},
        {"texts": ["x", "y" * 10_001]},
        {"texts": ["x", "y"], "threshold": 0},
        {"texts": ["x", "y"], "k": 3},
    ],
)
def test_a_request_has_limits(fields):
    with pytest.raises(ValidationError):
        ConflictCheckRequest(**fields)
