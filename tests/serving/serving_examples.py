"""The passages of the served collection, and example requests."""

from __future__ import annotations

from logic_retrievers import Passage

PASSAGES = [
    Passage("pool", "The Lagoon is a hotel by the sea with a large pool.", {"city": "Bergen"}),
    Passage("sea", "The Anchor is a plain hotel right by the sea.", {"city": "Bergen"}),
    Passage("inn", "The Anchor is far from the sea.", {"city": "Oslo"}, source="guide.md"),
    Passage("copper", "Prices of copper rose again this week.", {"city": "Oslo"}),
]
WITHOUT_POOL = "a hotel by the sea without a pool"
EITHER = '"hotel by the sea" AND NOT "hotel with a pool"'
STATEMENT = "The Anchor is right by the sea."
