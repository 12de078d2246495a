"""What the other tests stand on: the placed vectors say what they were placed to say."""

from __future__ import annotations

import itertools

from placed import MERGED, vectors

from logic_retrievers.contradiction.scorer import score_against

TEXTS = [
    f"{topic} | {claim} | {wording}"
    for topic in ("inn", "copper", "tax", "bridge")
    for claim in ("yes", "no", "never")
    for wording in "ab"
]


def test_conflicts_are_where_they_were_placed():
    """A fake that is not what it claims to be proves whatever one likes."""
    for one, other in itertools.combinations(TEXTS, 2):
        others = {name: row[None] for name, row in vectors(other).items()}
        probability = score_against(vectors(one), others, MERGED).probabilities[0]
        (topic, claim, _), (topic_2, claim_2, _) = one.split(" | "), other.split(" | ")
        clash = topic == topic_2 and claim != claim_2
        assert probability > 0.9 if clash else probability < 0.1, (one, other)
