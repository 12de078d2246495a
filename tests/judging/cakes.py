"""A few passages in an index, queries of every kind, and a judge's answers about them."""

from __future__ import annotations

from logic_retrievers import ParsedQuery, Passage

TEXTS = {
    "waived": "Cake without any nuts.",
    "nutty": "Cake with walnuts and nuts on top.",
    "plain": "A lemon cake.",
    "metal": "Gold and platinum do not rust.",
    "iron": "Iron is a metal that does rust.",
    "hotel": "Hotels by the sea with a pool.",
    "hostel": "Hostels by the sea.",
}
PASSAGES = [Passage(name, text) for name, text in TEXTS.items()]

THING = "hotels by the sea, except hostels"
PROPERTY = "a cake without nuts"
NEGATED_FACT = "metals that do not rust"
CONSTRAINED = [THING, PROPERTY, NEGATED_FACT, ParsedQuery.excluding("a cake", ["nuts"])]
UNCONSTRAINED = ["lemon cake", "hotels with a pool", "which metal is gold"]


def margins(**by_id: float) -> dict[str, float]:
    """Margins of passages by id, in the form that a judge takes."""
    return {TEXTS[name]: margin for name, margin in by_id.items()}


def ids(hits) -> list[str]:
    return [hit.passage.id for hit in hits]


def listed(hits):
    return [(hit.passage.id, hit.score) for hit in hits]
