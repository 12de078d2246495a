"""Cross-encoders that read pairs: their verdict and the vectors give one probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed import PlacedEncoder, passages
from table_reader import OPPOSED, UNRELATED, TableReader, claim_of

from logic_retrievers import ContradictionSearch, Passage, PassageIndex, judging
from logic_retrievers.conflicts import (
    ContradictionFilter,
    ContradictionSettings,
    CorpusCleaner,
    pair_judge,
)
from logic_retrievers.conflicts.candidate_pairs import NEAREST_READ, CandidatePair
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
)
from logic_retrievers.judging import LABELS, RELATIONS
from logic_retrievers.judging.relation import conflict_probability


def filtered(judge, given_, resolution="drop_both", **settings):
    own = ContradictionFilter(PlacedEncoder(), judge=judge, resolution=resolution, **settings)
    return own.filter(given_)


def staying(result):
    return [claim_of(hit.passage.text) for hit in result.hits]


# the same claim in two wordings: the vectors see no contradiction
AGREEING = passages("inn | quiet | a", "inn | quiet | b", "tax | high | a")


def test_what_only_the_reader_sees_is_a_conflict():
    """The vectors miss most contradictions in other words."""
    assert not filtered(None, AGREEING).conflicts
    judge = TableReader(("quiet", "quiet"))
    result = filtered(judge, AGREEING)
    (conflict,) = result.conflicts
    assert staying(result) == ["high"]
    assert conflict.own_probability < 0.5 < 0.6 <= conflict.probability
    assert conflict.read == ("inn | quiet | a", "inn | quiet | b")
    assert conflict.relation == "contradiction"


def test_what_only_the_vectors_see_is_none():
    """A reader that calls two passages unrelated must be able to overrule the vectors."""
    given_ = passages("inn | quiet | a", "inn | loud | a")
    assert filtered(None, given_).conflicts
    assert not filtered(TableReader(), given_).conflicts


@given(st.floats(0, 1), st.lists(st.floats(0.01, 1), min_size=6, max_size=6))
def test_two_states_of_one_thing_are_a_conflict_too(own, shares):
    """In a context the older state is as wrong as a contradicted passage."""
    read = np.array(shares) / sum(shares)
    expected = pytest.approx(1 - read[3:].sum(), abs=1e-9)
    assert conflict_probability(read.tolist(), own, {}) == expected


@given(
    st.floats(0, 1),
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
    st.tuples(*[st.floats(-2, 2)] * 3),
)
def test_of_a_statement_the_probability_is_that_of_the_regression(own, shares, weights):
    entailment, _, contradiction = read = np.array(shares) / sum(shares)
    clipped = np.clip(own, 1e-4, 1 - 1e-4)
    features = [1, np.log(clipped / (1 - clipped)), contradiction - entailment]
    expected = 1 / (1 + np.exp(-np.dot(weights, features)))
    constants = dict(zip(("intercept", "own", "margin"), weights, strict=True))
    assert conflict_probability(read.tolist(), own, constants) == pytest.approx(expected, abs=1e-9)


def test_what_it_is_not_sure_of_is_dropped_by_nobody():
    """Keeping a wrong passage costs less than dropping a right one."""
    judge = TableReader(("quiet", "quiet"))
    (conflict,) = filtered(judge, AGREEING, drop_above=0.999).conflicts
    assert (conflict.decision, conflict.dropped) == ("abstained", ())
    assert f"{conflict.probability:.2f} is under 1.00" in conflict.reason
    options = {"resolution": "annotate", "drop_above": 0.999}
    (annotated,) = filtered(judge, AGREEING, **options).conflicts
    assert annotated.decision == "annotated"
    (sure,) = filtered(judge, AGREEING).conflicts
    assert sure.decision == "dropped"
    trusted = [Passage("rule", "inn | quiet | z")]
    for setting, decision in ((0.999, "abstained"), (None, "dropped")):
        result = filtered(judge, AGREEING[:1], trusted=trusted, drop_above=setting)
        assert result.conflicts[0].decision == decision
        assert len(result.hits) == (decision == "abstained")
    beside = filtered(judge, AGREEING[:1], trusted=trusted, against_trusted="annotate")
    assert beside.conflicts[0].decision == "annotated"


def test_of_each_passage_the_nearest_before_it_are_read():
    """Otherwise a list of a hundred takes five thousand readings."""
    many = passages(*(f"inn | quiet | {n}" for n in range(12)))
    judge = TableReader()
    filtered(judge, many)
    assert len(judge.asked) == sum(min(n, NEAREST_READ) for n in range(12))


def test_what_was_read_is_not_read_again():
    """Several questions in a row retrieve the same passages."""
    judge = TableReader(("quiet", "quiet"))
    own = ContradictionFilter(PlacedEncoder(), judge=judge)
    first = own.filter(AGREEING)
    asked = len(judge.asked)
    assert own.filter(AGREEING) == first
    assert len(judge.asked) == asked
    own.filter([*AGREEING, *passages("inn | quiet | new")])
    assert all("new" in other for _, other in judge.asked[asked:])


def test_readings_of_two_pairs_are_not_mixed_up():
    """A hash of the joined texts would give one pair the other pair's reading."""
    judge, readings = TableReader(), {}
    reader = pair_judge.Reader.of(judge, "relation")
    for texts in (("inn | quiet | a\0", "inn | b"), ("inn | quiet | a", "\0inn | b")):
        both = [Passage(str(n), text) for n, text in enumerate(texts)]
        reader.judge([CandidatePair(0, 1, 0.9, 0.9, 0.1)], both, (), readings)
    assert len(judge.asked) == len(readings) == 2


def test_dates_are_not_read():
    """The reader must not take two dates for two versions: only the resolution weighs dates."""
    dated = {"doc.date": ["2021", "2024"], "area": ["north", "south"]}
    given_ = passages("inn | quiet | a", "inn | quiet | b", **dated)
    judge = TableReader()
    filtered(judge, given_, date_key="doc.date")
    assert judge.asked == [("inn | quiet | a (area: north)", "inn | quiet | b (area: south)")]


def test_a_trusted_passage_judges_wherever_it_stands():
    """A trusted passage need not be among the nearest before a result."""
    rule = Passage("rule", "inn | quiet | z", {"ok": True})
    many = passages(*(f"inn | quiet | {n}" for n in range(12)))
    for given_ in ([rule, *many], [*many, rule]):
        judge = TableReader(("quiet", "quiet"))
        result = filtered(judge, given_, resolution="annotate", trusted_filter={"ok": True})
        assert [hit.passage.id for hit in result.hits] == ["rule"]
    outside = filtered(TableReader(("quiet", "quiet")), many, trusted=[rule])
    assert not outside.hits


def test_a_high_threshold_leaves_nothing_unread():
    """Pairs that the vectors find likely are read beyond the nearest, at any threshold."""
    many = passages("inn | loud | z", *(f"inn | quiet | {n}" for n in range(8)))
    for threshold in (None, 0.999999):
        judge = TableReader()
        filtered(judge, many, threshold=threshold)
        assert sum("loud" in "".join(pair) for pair in judge.asked) == 8


@pytest.mark.parametrize(("labels", "lost"), [(RELATIONS, "threshold"), (LABELS, "own")])
def test_constants_that_are_not_complete_are_refused(index, labels, lost):
    """A typing error in a manifest must not switch the vectors off."""
    reader = TableReader(labels=labels)
    del reader.entry.constants[lost]
    with pytest.raises(BundleError, match=f"'{lost}'"):
        ContradictionSearch(index, judge=reader)


def test_traces_hold_no_sentence_that_was_read():
    """Logs must not leak passages."""
    result = filtered(TableReader(("quiet", "quiet")), AGREEING)
    assert result.to_dict()["conflicts"][0]["read"]
    assert "quiet" not in str(result.without_texts()["conflicts"][0]["read"])
    assert "read" not in repr(result.conflicts[0])


def test_what_another_trusted_passage_drops_is_settled(monkeypatch):
    """A passage dropped by a trusted one must not be listed as an unsure conflict that stayed."""
    rules = [Passage("sure", "inn | quiet | y"), Passage("unsure", "inn | quiet | z")]
    judge = TableReader(("quiet", "quiet"))

    def read(self, pairs):
        texts = ["".join(pair) for pair in pairs]
        no, yes, weak = UNRELATED[RELATIONS], OPPOSED[RELATIONS], (0.7, 0, 0, 0.3, 0, 0)
        return [no if "| y" in t and "| z" in t else weak if "| z" in t else yes for t in texts]

    monkeypatch.setattr(TableReader, "__call__", read)
    sure, unsure = sorted(
        (c.probability for c in filtered(judge, AGREEING[:1], trusted=rules).conflicts),
        reverse=True,
    )
    drop_above = (sure + unsure) / 2
    result = filtered(judge, AGREEING[:1], trusted=rules, drop_above=drop_above)
    decisions = {c.trusted: (c.decision, c.dropped) for c in result.conflicts}
    assert not result.hits
    assert decisions == {
        ("sure",): ("dropped", (AGREEING[0].id,)),
        ("unsure",): ("settled", ()),
    }


def test_a_bundle_without_cross_encoders_leaves_it_to_the_vectors(monkeypatch):
    manifest = default_bundle_manifest().model_copy(update={"relation": None})
    monkeypatch.setattr(pair_judge, "default_bundle_manifest", lambda: manifest)
    plain = ContradictionFilter(PlacedEncoder(), judge="auto")
    assert plain.threshold == ContradictionFilter(PlacedEncoder()).threshold
    assert plain.filter(AGREEING) == ContradictionFilter(PlacedEncoder()).filter(AGREEING)


@pytest.mark.parametrize("owner", [CorpusCleaner, ContradictionFilter])
def test_passages_are_read_for_their_relation(owner):
    """Inference takes a different scope for a contradiction."""
    with pytest.raises(ConfigurationError, match="OnnxRelation"):
        owner(encoder=PlacedEncoder(), judge=TableReader(labels=LABELS))


@pytest.fixture
def index():
    with PassageIndex.open("inns", PlacedEncoder(), vectors=("topical", "contradiction")) as opened:
        opened.add(
            passages("inn | loud | a", "inn | quiet | b", "inn | dear | a", "tax | high | a")
        )
        yield opened


def found(hits):
    return [claim_of(hit.passage.text) for hit in hits]


def test_a_search_puts_what_was_read_first(index):
    statement = "inn | quiet | a"
    plain = ContradictionSearch(index).search(statement, 4)
    assert found(plain)[0] != "quiet"
    judge = TableReader(("quiet", "quiet"))
    hits = ContradictionSearch(index, judge=judge).search(statement, 4)
    assert found(hits)[0] == "quiet"
    details = hits[0].evidence.details
    assert details["conflict"]
    assert details["read"]
    assert all(first == statement for first, _ in judge.asked)
    by_probability = [hit.evidence.details["probability"] for hit in hits]
    assert by_probability == sorted(by_probability, reverse=True)


@pytest.mark.reader
def test_a_statement_and_a_stored_passage_are_read_by_readers_of_their_own(index, monkeypatch):
    """A claim and its evidence differ from two passages of a list."""
    readers = {"nli": TableReader(labels=LABELS), "relation": TableReader()}
    for name, reader in readers.items():
        monkeypatch.setattr(judging, f"default_{name}", lambda reader=reader: reader)
    search = ContradictionSearch(index, judge="auto")
    (hit, *_) = search.search("inn | loud | z", 4)
    asked = [len(reader.asked) for reader in readers.values()]
    assert asked[0] > 0 == asked[1]
    search.search_like(hit.passage.id, 4)
    assert len(readers["relation"].asked) > 0
    assert len(readers["nli"].asked) == asked[0]


def test_a_search_does_not_read_what_is_far(index):
    """A cross-encoder trained on few unrelated pairs takes some for contradictions."""
    judge = TableReader()
    ContradictionSearch(index, judge=judge).search("inn | quiet | a", 4)
    assert judge.asked
    assert not any("tax" in text for pair in judge.asked for text in pair)


def _is_read(hit):
    return hit.evidence.details["read"]


async def test_a_search_takes_a_judge_of_the_users_own(index):
    def judge(pairs):
        return [0.99 if "dear" in other else 0.1 for _, other in pairs]

    search = ContradictionSearch(index, judge=judge)
    hits = search.search("inn | quiet | a", 4)
    assert found(hits)[0] == "dear"
    assert await search.asearch("inn | quiet | a", 4) == hits


def test_what_a_judge_does_not_answer_stays_behind(index):
    """Its probability is the vectors', which is not comparable with the judge's."""
    plain = found(ContradictionSearch(index).search("inn | quiet | a", 4))
    judge = lambda pairs: [0.2 if "dear" in other else None for _, other in pairs]  # noqa: E731
    hits = ContradictionSearch(index, judge=judge).search("inn | quiet | a", 4)
    assert found(hits) == ["dear", *(claim for claim in plain if claim != "dear")]


def test_what_is_like_a_stored_passage_is_read_without_metadata(index):
    """A statement has no metadata; the passage's alone would be a difference."""
    index.add([Passage("dated", "inn | dim | a", {"date": "2020", "area": "x"})])
    judge = TableReader()
    ContradictionSearch(index, judge=judge).search_like("dated", 4)
    assert judge.asked
    assert not any("area" in text for pair in judge.asked for text in pair)


def test_a_threshold_of_the_users_own_counts_in_a_search(index):
    settings = ContradictionSettings(threshold=0.999)
    search = ContradictionSearch(index, judge=TableReader(("quiet", "quiet")), settings=settings)
    hits = search.search("inn | quiet | a", 4)
    assert not any(hit.evidence.details["conflict"] for hit in hits)
    strict = TableReader(("quiet", "quiet"), threshold=0.999)
    hits = ContradictionSearch(index, judge=strict).search("inn | quiet | a", 4)
    assert not any(hit.evidence.details["conflict"] for hit in hits if _is_read(hit))


def test_the_judge_of_a_user_is_asked_the_likeliest_first(index):
    """An expensive judge may stop at any point."""
    plain = ContradictionSearch(index).search("inn | quiet | a", 4)
    likely = sorted(plain, key=lambda hit: -hit.evidence.details["probability"])
    asked = []
    judge = lambda pairs: asked.extend(pairs) or [None] * len(pairs)  # noqa: E731
    unanswered = ContradictionSearch(index, judge=judge).search("inn | quiet | a", 4)
    assert unanswered == plain
    assert [other for _, other in asked] == [hit.passage.text for hit in likely]


@pytest.mark.reader
def test_the_shipped_reader_reads():
    """No other test notices constants missing from the manifest."""
    constants = default_bundle_manifest().relation.constants
    assert 0 < constants["threshold"] <= constants["hide_above"] < 1
    result = ContradictionFilter().filter(
        [
            Passage("yes", "The pool is open to all guests."),
            Passage("no", "The pool is for club members only."),
            Passage("tax", "The city tax is paid on arrival, in cash."),
        ]
    )
    (conflict,) = result.conflicts
    assert {conflict.one, conflict.other} == {"yes", "no"}
