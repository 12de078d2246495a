"""Claims, told from what people ask for."""

from __future__ import annotations

import pytest

from logic_retrievers.policies.base import TopicalNegatedFactPolicy, is_claim
from logic_retrievers.policies.coder import NegatedFactPolicy

CLAIMS = [
    "Statins do not lower the risk of dementia.",
    "40mg of folic acid a day does not affect the progress of kidney disease.",
    " E. coli is not found in the treated water.\n",
]
WISHES = [
    "metals that do not rust",
    "Metals that do not rust",
    "Which kitchen floors are not damaged by standing water?",
    "My strawberry jam is still not setting after a second boil.",
    "I'm looking for a database that doesn't need a server process to be running.",
    "The printer does not print. It worked yesterday.",
    "the printer does not print.",
    "",
]


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim_is_not_judged(text):
    """What refutes it is evidence too, and a judge would push it down."""
    assert is_claim(text)
    assert NegatedFactPolicy().judge_request(text) is None
    assert TopicalNegatedFactPolicy().judge_request(text) is None


@pytest.mark.parametrize("text", WISHES)
def test_what_somebody_wants_is_judged(text):
    assert not is_claim(text)
    for policy in (NegatedFactPolicy(), TopicalNegatedFactPolicy()):
        request = policy.judge_request(text)
        assert (request.query, request.constraint) == (text, "negated_fact")
