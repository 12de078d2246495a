"""A cross-encoder that reads pairs: what it and the vectors say is one probability."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed import PlacedEncoder, passages

from logic_retrievers import ContradictionSearch, Passage, PassageIndex
from logic_retrievers.contradiction import ContradictionFilter, ContradictionSettings
from logic_retrievers.contradiction.candidate_pairs import NEAREST_READ
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    ConflictingTrustWarning,
    PairJudgeWarning,
)
from logic_retrievers.judging import PAIR_KINDS
from logic_retrievers.judging.conflict import WEIGHTS, ConflictConstants

UNRELATED = (0.01, 0.01, 0.01, 0.01, 0.96)
OPPOSED = (0.96, 0.01, 0.01, 0.01, 0.01)
WEIGHTED = {
    "conflict_threshold": 0.6,
    **dict(
        zip((f"conflict_{w}" for w in WEIGHTS), (4.0, 0.2, -1.5, 1, 0, 0, -0.3, 0), strict=True)
    ),
}


class TableKinds:
    """Reads by a table of two claims; all else is unrelated. Notes what it was asked."""

    def __init__(self, *opposed, constants=WEIGHTED):
        shipped = default_bundle_manifest()
        self.manifest = shipped
        self.entry = shipped.conflict_kinds.model_copy(update={"constants": constants})
        self.opposed = {frozenset(pair) for pair in opposed}
        self.asked = []

    def __call__(self, pairs):
        self.asked += pairs
        return [OPPOSED if frozenset(map(_claim, p)) in self.opposed else UNRELATED for p in pairs]


def _claim(text):
    return text.split(" | ")[1]


def filtered(judge, given_, resolution="drop_both", **settings):
    own = ContradictionFilter(PlacedEncoder(), judge=judge, resolution=resolution, **settings)
    return own.filter(given_)


def staying(result):
    return [_claim(hit.passage.text) for hit in result.hits]


# the same claim in two wordings: the vectors see no contradiction
AGREEING = passages("inn | quiet | a", "inn | quiet | b", "tax | high | a")


def test_what_only_the_reader_sees_is_a_conflict():
    """The vectors miss most contradictions in other words."""
    assert not filtered(None, AGREEING).conflicts
    judge = TableKinds(("quiet", "quiet"))
    result = filtered(judge, AGREEING)
    (conflict,) = result.conflicts
    assert staying(result) == ["high"]
    assert conflict.own_probability < 0.5 < 0.6 <= conflict.probability
    assert conflict.read == ("inn | quiet | a", "inn | quiet | b")


def test_what_only_the_vectors_see_may_be_none():
    """The reader that calls two passages unrelated must be able to overrule them."""
    given_ = passages("inn | quiet | a", "inn | loud | a")
    assert filtered(None, given_).conflicts
    heavy = WEIGHTED | {"conflict_own": 0.0}
    assert not filtered(TableKinds(constants=heavy), given_).conflicts


@given(
    st.floats(0, 1),
    st.floats(-1, 1),
    st.lists(st.floats(0.01, 1), min_size=5, max_size=5),
    st.lists(st.floats(-2, 2), min_size=len(WEIGHTS), max_size=len(WEIGHTS)),
)
def test_the_probability_is_that_of_the_regression(own, cosine, kinds, weights):
    kinds = np.array(kinds) / sum(kinds)
    clipped = np.clip(own, 1e-4, 1 - 1e-4)
    features = [1, np.log(clipped / (1 - clipped)), cosine, *np.log(np.maximum(kinds, 1e-3))]
    expected = 1 / (1 + np.exp(-np.dot(weights, features)))
    constants = ConflictConstants(0.5, tuple(weights))
    assert constants.probability(own, cosine, kinds.tolist()) == pytest.approx(expected, abs=1e-9)


def test_a_bundle_without_weights_counts_what_was_read_alone():
    """Pair kinds that somebody trained before there were weights must go on working."""
    known = ConflictConstants.of({"threshold": 0.7})
    assert known == ConflictConstants(0.7)
    assert known.probability(0.99, 1.0, OPPOSED) == OPPOSED[0]
    judge = TableKinds(("quiet", "quiet"), constants={"threshold": 0.7})
    (conflict,) = filtered(judge, AGREEING).conflicts
    assert conflict.probability == OPPOSED[PAIR_KINDS.index("contradiction")]


def test_a_threshold_of_the_users_own_takes_precedence():
    judge = TableKinds(("quiet", "quiet"))
    (conflict,) = filtered(judge, AGREEING).conflicts
    assert not filtered(judge, AGREEING, threshold=conflict.probability + 0.01).conflicts
    assert filtered(judge, AGREEING, threshold=conflict.probability).conflicts


def test_of_each_passage_the_nearest_before_it_are_read():
    """Else a list of a hundred would take five thousand readings."""
    many = passages(*(f"inn | quiet | {n}" for n in range(12)))
    judge = TableKinds()
    filtered(judge, many)
    assert len(judge.asked) == sum(min(n, NEAREST_READ) for n in range(12))


def test_what_is_read_of_a_list_does_not_depend_on_what_follows():
    """A passage that came later would change which of the first ones stay."""
    many = passages(*(f"inn | quiet | {n}" for n in range(12)))
    whole, part = TableKinds(), TableKinds()
    filtered(whole, many)
    filtered(part, many[:8])
    first = {frozenset(pair) for pair in combinations([p.text for p in many[:8]], 2)}
    assert {frozenset(p) for p in whole.asked} & first == {frozenset(p) for p in part.asked}


def test_what_contradicts_a_trusted_passage_is_dropped():
    trusted = [Passage("rule", "inn | quiet | z")]
    judge = TableKinds(("quiet", "quiet"))
    result = filtered(judge, passages("inn | quiet | a", "tax | high | a"), trusted=trusted)
    assert staying(result) == ["high"]
    assert result.conflicts[0].trusted == ("rule",)


def test_dates_are_not_read():
    """Two dates make an older and a newer version of what the resolution is to decide."""
    dated = {"doc.date": ["2021", "2024"], "area": ["north", "south"]}
    given_ = passages("inn | quiet | a", "inn | quiet | b", **dated)
    judge = TableKinds()
    filtered(judge, given_, date_key="doc.date")
    assert judge.asked == [("inn | quiet | a (area: north)", "inn | quiet | b (area: south)")]


def test_a_trusted_passage_judges_wherever_it_stands():
    """Among the results it would have to be one of the five nearest before a passage."""
    rule = Passage("rule", "inn | quiet | z", {"ok": True})
    many = passages(*(f"inn | quiet | {n}" for n in range(12)))
    for given_ in ([rule, *many], [*many, rule]):
        judge = TableKinds(("quiet", "quiet"))
        result = filtered(judge, given_, resolution="annotate", trusted_filter={"ok": True})
        assert [hit.passage.id for hit in result.hits] == ["rule"]
    outside = filtered(TableKinds(("quiet", "quiet")), many, trusted=[rule])
    assert not outside.hits


def test_trusted_passages_that_were_read_as_opposed_judge_nobody():
    """Both cannot be right, and one of them would drop what the other bears out."""
    rules = passages("inn | quiet | y", "inn | loud | z")
    judge = TableKinds(("quiet", "loud"), constants=WEIGHTED | {"conflict_own": 0.0})
    with pytest.warns(ConflictingTrustWarning):
        result = filtered(judge, passages("inn | quiet | a"), trusted=rules)
    assert staying(result) == ["quiet"]


def test_a_high_threshold_leaves_nothing_unread():
    """What vectors find likely is read beyond the nearest, whatever the threshold of both."""
    many = passages("inn | loud | z", *(f"inn | quiet | {n}" for n in range(8)))
    for threshold in (None, 0.999999):
        judge = TableKinds()
        filtered(judge, many, threshold=threshold)
        assert sum("loud" in "".join(pair) for pair in judge.asked) == 8


def test_nothing_is_read_where_there_is_nothing_to_compare():
    judge = TableKinds()
    assert not filtered(judge, []).hits
    assert staying(filtered(judge, AGREEING[:1])) == ["quiet"]
    assert not judge.asked


def test_weights_that_are_not_complete_are_refused():
    """A typing error in a manifest would switch the vectors off."""
    with pytest.raises(BundleError, match="conflict_cosine"):
        ConflictConstants.of({k: v for k, v in WEIGHTED.items() if k != "conflict_cosine"})


def test_traces_hold_no_sentence_that_was_read():
    """Passages must not leave a house by its logs."""
    result = filtered(TableKinds(("quiet", "quiet")), AGREEING)
    assert result.to_dict()["conflicts"][0]["read"]
    assert "quiet" not in str(result.without_texts()["conflicts"][0]["read"])
    assert "read" not in repr(result.conflicts[0])


def test_two_that_were_read_as_opposed_are_no_copies():
    """They would vote for each other under prefer_majority."""
    given_ = passages("inn | quiet | a", "inn | quiet | b", "inn | quiet | c")
    judge = TableKinds(("quiet", "quiet"))
    result = filtered(judge, given_, resolution="prefer_majority")
    assert [conflict.decision for conflict in result.conflicts] == ["abstained"] * 3


async def test_asynchronous_callers_get_the_same():
    own = ContradictionFilter(PlacedEncoder(), judge=TableKinds(("quiet", "quiet")))
    assert await own.afilter(AGREEING) == own.filter(AGREEING)


@pytest.mark.parametrize("judge", ["nli", 3, [len], TableKinds])
def test_what_is_no_judge_is_refused(judge):
    with pytest.raises(ConfigurationError, match="judge is 'auto', None"):
        ContradictionFilter(PlacedEncoder(), judge=judge)


@pytest.fixture
def index():
    with PassageIndex.open("inns", PlacedEncoder(), vectors=("topical", "contradiction")) as opened:
        opened.add(
            passages("inn | loud | a", "inn | quiet | b", "inn | dear | a", "tax | high | a")
        )
        yield opened


def found(hits):
    return [_claim(hit.passage.text) for hit in hits]


def test_a_search_puts_what_was_read_first(index):
    statement = "inn | quiet | a"
    plain = ContradictionSearch(index).search(statement, 4)
    assert found(plain)[0] != "quiet"
    judge = TableKinds(("quiet", "quiet"))
    hits = ContradictionSearch(index, judge=judge).search(statement, 4)
    assert found(hits)[0] == "quiet"
    details = hits[0].evidence.details
    assert details["conflict"]
    assert details["read"]
    assert all(first == statement for first, _ in judge.asked)
    by_probability = [hit.evidence.details["probability"] for hit in hits]
    assert by_probability == sorted(by_probability, reverse=True)


def test_a_search_counts_the_readers_probability(index):
    judge = TableKinds(("quiet", "quiet"))
    search = ContradictionSearch(index, judge=judge, min_probability=0.6)
    assert "quiet" in found(search.search("inn | quiet | a", 4))
    assert "quiet" not in found(
        ContradictionSearch(index, min_probability=0.6).search("inn | quiet | a", 4)
    )


async def test_a_search_takes_a_judge_of_the_users_own(index):
    def judge(pairs):
        return [0.99 if "dear" in other else 0.1 for _, other in pairs]

    search = ContradictionSearch(index, judge=judge)
    hits = search.search("inn | quiet | a", 4)
    assert found(hits)[0] == "dear"
    assert await search.asearch("inn | quiet | a", 4) == hits


def test_a_judge_that_fails_costs_no_hit(index):
    def judge(pairs):
        raise RuntimeError("no model")

    with pytest.warns(PairJudgeWarning, match="RuntimeError"):
        hits = ContradictionSearch(index, judge=judge).search("inn | quiet | a", 4)
    assert hits == ContradictionSearch(index).search("inn | quiet | a", 4)


def test_a_judge_that_does_not_answer_changes_nothing(index):
    search = ContradictionSearch(index, judge=lambda pairs: [None] * len(pairs))
    hits = search.search("inn | quiet | a", 4)
    assert hits == ContradictionSearch(index).search("inn | quiet | a", 4)


def test_what_is_like_a_stored_passage_is_read_without_metadata(index):
    """A statement has none; one side's would be a difference."""
    index.add([Passage("dated", "inn | dim | a", {"date": "2020", "area": "x"})])
    judge = TableKinds()
    ContradictionSearch(index, judge=judge).search_like("dated", 4)
    assert judge.asked
    assert not any("area" in text for pair in judge.asked for text in pair)


def test_a_threshold_of_the_users_own_counts_in_a_search(index):
    settings = ContradictionSettings(threshold=0.999)
    search = ContradictionSearch(index, judge=TableKinds(("quiet", "quiet")), settings=settings)
    hits = search.search("inn | quiet | a", 4)
    assert not any(hit.evidence.details["conflict"] for hit in hits)


def test_the_judge_of_a_user_is_asked_the_likeliest_first(index):
    """An expensive one may stop anywhere."""
    plain = ContradictionSearch(index).search("inn | quiet | a", 4)
    likely = sorted(plain, key=lambda hit: -hit.evidence.details["probability"])
    asked = []
    judge = lambda pairs: asked.extend(pairs) or [None] * len(pairs)  # noqa: E731
    ContradictionSearch(index, judge=judge).search("inn | quiet | a", 4)
    assert [other for _, other in asked] == [hit.passage.text for hit in likely]


def test_the_shipped_reader_reads():
    """Constants that a manifest lost would be seen by nobody."""
    constants = ConflictConstants.of(default_bundle_manifest().conflict_kinds.constants)
    assert constants.weights is not None
    result = ContradictionFilter(judge="auto").filter(
        [
            Passage("yes", "The pool is open to guests of the hotel all year round."),
            Passage("no", "The pool is not open to guests of the hotel."),
            Passage("tax", "The city tax is paid on arrival, in cash."),
        ]
    )
    (conflict,) = result.conflicts
    assert {conflict.one, conflict.other} == {"yes", "no"}
