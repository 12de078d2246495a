"""A reader of pairs that answers from a table."""

from __future__ import annotations

from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.judging import LABELS, RELATIONS

UNRELATED = {RELATIONS: (0.01, 0.01, 0.01, 0.01, 0.01, 0.95), LABELS: (0.02, 0.96, 0.02)}
OPPOSED = {RELATIONS: (0.96, 0.01, 0.01, 0.01, 0.005, 0.005), LABELS: (0.02, 0.02, 0.96)}
CONSTANTS = {
    RELATIONS: {"threshold": 0.6, "hide_above": 0.6},
    LABELS: {"threshold": 0.5, "intercept": 0.0, "own": 0.2, "margin": 3.0},
}


class TableReader:
    """Reads by a table of two claims; other pairs are unrelated. Records the questions."""

    def __init__(self, *opposed, labels=RELATIONS, **constants):
        self.opposed = {frozenset(pair) for pair in opposed}
        self.asked = []
        self.labels = labels
        self.entry_name = "relation" if labels == RELATIONS else "nli"
        self.manifest = default_bundle_manifest()
        changes = {"constants": CONSTANTS[labels] | constants}
        self.entry = self.manifest.relation.model_copy(update=changes)

    def __call__(self, pairs):
        self.asked += pairs
        return [
            (OPPOSED if frozenset(map(claim_of, pair)) in self.opposed else UNRELATED)[self.labels]
            for pair in pairs
        ]


def claim_of(text):
    return text.split(" | ")[1]
