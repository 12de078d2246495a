"""Pairs judged with their passages' neighbours."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import pytest
from inn_corpus import cleaner
from placed import PlacedEncoder

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import ContradictionScorer, CorpusCleaner, Kind
from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.conflicts.cleaning.neighbour_groups import conflict_groups, opposition_by_pair
from logic_retrievers.conflicts.cleaning.neighbours import MIN_COSINE, NeighbourSearch
from logic_retrievers.conflicts.settings import VECTORS, merge_constants
from logic_retrievers.conflicts.stances import MAX_GROUP
from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.encoders import default_encoder

TEXTS = [
    "The lift is open to guests in the evening.",
    "Guests may use the lift in the evening.",
    "The lift is not open to guests in the evening.",
    "In the evening guests cannot use the lift.",
    "Breakfast is served in the garden.",
]


@pytest.fixture(scope="module")
def room():
    encoder = default_encoder()
    return NeighbourSearch(encoder, None, merge_constants(encoder.specs), 20, 0.0)


def gathered(count, pairs, trusted=()):
    """Passages with these texts; cosines fall with the distance of their positions."""
    return CandidatePairs(
        tuple(Passage(str(place), TEXTS[place % len(TEXTS)]) for place in range(count)),
        tuple(
            CandidatePair(one, other, 1 - abs(one - other) / 100, 1.0, 0.9) for one, other in pairs
        ),
        frozenset(trusted),
    )


def test_a_group_has_the_scorers_probabilities(room):
    """A matrix whose rows stand for the wrong passages judges at random."""
    known = gathered(5, list(combinations(range(5), 2)))
    (group,) = run(conflict_groups(room, known, [(0, 2)], {}), encoder_threads).values()
    assert group.members[:2] == (0, 2)
    assert sorted(group.members) == [0, 1, 2, 3, 4]
    scorer = ContradictionScorer(default_encoder())
    for (a, one), (b, other) in combinations(enumerate(group.members), 2):
        (score,) = scorer.score([(TEXTS[one], TEXTS[other])])
        assert group.probabilities[a, b] == pytest.approx(score.probability, abs=1e-5)
        assert group.probabilities[b, a] == group.probabilities[a, b]


def test_only_neighbours_of_the_two_and_the_nearest(room):
    """A group must not grow with the corpus: every split of it is examined."""
    count = MAX_GROUP + 4
    chain = [(0, place) for place in range(1, count)] + [(count, count + 1)]
    known = gathered(count + 2, chain)
    (group,) = run(conflict_groups(room, known, [(0, 1)], {}), encoder_threads).values()
    assert group.members == (0, 1, *range(2, MAX_GROUP))


def test_who_is_opposed_to_a_trusted_passage(room):
    """A pair is checked in both orders; a trusted passage is never opposed."""
    known = gathered(5, [(1, 0), (0, 2), (3, 0), (1, 2), (1, 3), (2, 3), (0, 4)], trusted=[0, 4])
    found = run(opposition_by_pair(room, known), encoder_threads)
    assert found.keys() == {(1, 0), (0, 2), (3, 0)}
    assert found[0, 2] > 0.8
    assert found[3, 0] > 0.8
    assert found[1, 0] < 0.5


def test_candidates_for_the_reader_alone_have_no_stance(room):
    """Including them in groups lost a fifth of the recovery on ConflictQA."""
    known = gathered(5, [(0, 2), (0, 3)], trusted=[0])
    far = replace(known.pairs[1], cosine=MIN_COSINE - 0.1)
    known = replace(known, pairs=(known.pairs[0], far))
    assert run(opposition_by_pair(room, known), encoder_threads).keys() == {(0, 2)}


def test_a_trusted_passage_hides_the_other_side():
    """Agreeing with an opponent makes an opponent; agreeing with the trusted passage does not."""
    named = Passage("trusted", TEXTS[0])
    with PassageIndex.open("lift", default_encoder(), vectors=VECTORS) as index:
        index.add(Passage(str(place), text) for place, text in enumerate(TEXTS) if place)
        found = CorpusCleaner(index, trusted=[named]).clean(dry_run=True)
    assert set(found.quarantined) == {"2", "3"}


def test_copies_have_a_score_that_json_can_hold():
    """Two equal vectors have no sparsity, and JSON has no NaN."""
    with PassageIndex.open("copies", PlacedEncoder(), vectors=VECTORS) as index:
        index.add([Passage("one", "inn | yes | a"), Passage("two", "inn | yes | a")])
        found = cleaner(index).clean()
    (decision,) = found.decisions
    assert decision.finding.kind is Kind.DUPLICATE
    json.dumps(found.to_dict(), allow_nan=False)
