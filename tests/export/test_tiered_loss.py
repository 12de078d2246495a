"""LORE's loss against the paper's formula written out, and by its gradient."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra train")
pytest.importorskip("sentence_transformers", reason="the extra train")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from logic_export.losses import (  # noqa: E402
    DISTRACTOR,
    NEGATIVE,
    POSITIVE,
    TieredLoss,
    tiered_loss,
)

from logic_retrievers.errors import ConfigurationError  # noqa: E402


def reference(scores, tiers, temperature, alpha, beta):
    """Query by query, positive by positive: s~ with log beta and log alpha, as printed."""
    losses = []
    for row, stand in zip(scores, tiers, strict=True):
        wrong = [
            s / temperature + np.log(beta if tier == DISTRACTOR else alpha)
            for s, tier in zip(row, stand, strict=True)
            if tier in (DISTRACTOR, NEGATIVE)
        ]
        own = [s / temperature for s, tier in zip(row, stand, strict=True) if tier == POSITIVE]
        if own:
            denominator = sum(np.exp(wrong))
            losses.append(np.mean([-np.log(np.exp(s) / (denominator + np.exp(s))) for s in own]))
    return float(np.mean(losses)) if losses else 0.0


@st.composite
def batches(draw):
    """Cosines, and tiers with queries that lack one or all of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    shape = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    kinds = draw(st.lists(st.sampled_from([0, POSITIVE, DISTRACTOR, NEGATIVE]), min_size=1))
    return rng.uniform(-1, 1, shape), rng.choice(kinds, shape)


WEIGHTS = st.sampled_from([0.3, 1.0, 3.0])


@settings(deadline=None, max_examples=150)
@given(batches(), st.sampled_from([0.05, 0.5]), WEIGHTS, WEIGHTS)
def test_the_loss_is_the_formula(batch, temperature, alpha, beta):
    """The other positives in the denominator would push apart what belongs together."""
    scores, tiers = batch
    found = tiered_loss(
        torch.from_numpy(scores),
        torch.from_numpy(tiers),
        temperature=temperature,
        alpha=alpha,
        beta=beta,
    )
    expected = reference(scores, tiers, temperature, alpha, beta)
    assert found.item() == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_an_example_by_hand():
    """A reference that shares the code's mistake would prove nothing."""
    scores = torch.tensor([[0.5, 0.5, 0.5, 0.5, 0.5], [0.9, 0.1, 0.2, 0.3, 0.4]])
    tiers = torch.tensor([[POSITIVE, POSITIVE, DISTRACTOR, NEGATIVE, 0], [2, 2, 3, 3, 0]])
    found = tiered_loss(scores, tiers, alpha=2.0, beta=3.0)
    assert found.item() == pytest.approx(np.log(1 + 3 + 2))


def test_each_score_moves_the_way_of_its_tier():
    """With a sign wrong the run would learn to find the distractors."""
    scores = torch.zeros(1, 5, requires_grad=True)
    tiers = torch.tensor([[POSITIVE, POSITIVE, DISTRACTOR, NEGATIVE, 0]])
    (slope,) = torch.autograd.grad(tiered_loss(scores, tiers, alpha=1, beta=3), scores)
    first, second, distractor, negative, stranger = slope[0].tolist()
    assert first == second < 0 < negative < distractor
    assert distractor == pytest.approx(3 * negative)
    assert stranger == 0


@pytest.mark.parametrize("tier", [0, POSITIVE, NEGATIVE])
def test_queries_that_say_nothing_break_nothing(tier: int):
    """No positive, or nothing wrong: one NaN there ends the run's weights."""
    scores = torch.rand(2, 3, requires_grad=True)
    loss = tiered_loss(scores, torch.full((2, 3), tier))
    (slope,) = torch.autograd.grad(loss, scores)
    assert loss.item() == 0
    assert not slope.any()


def test_large_gaps_do_not_overflow():
    """At a temperature of .005 the exponent of a cosine is beyond float32."""
    scores = torch.tensor([[-1.0, 1.0]], requires_grad=True)
    loss = tiered_loss(scores, torch.tensor([[POSITIVE, DISTRACTOR]]), temperature=0.005, beta=1.0)
    loss.backward()
    assert loss.item() == pytest.approx(400)
    assert scores.grad.tolist() == [[-200, 200]]


class Scaled(torch.nn.Module):
    """A model whose vectors are its features, longer by a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((4,), 7.0))

    def forward(self, features):
        return {"sentence_embedding": features["tokens"] * self.weight}


def test_the_module_compares_cosines_and_takes_vectors_as_they_are():
    """A frozen passage that went through the model would move, and need its tokens."""
    torch.manual_seed(0)
    queries, passages = torch.randn(2, 4), torch.randn(3, 4)
    tiers = torch.tensor([[1, 2, 3], [3, 1, 0]])
    model = Scaled()
    loss = TieredLoss(model, temperature=0.2, alpha=0.5, beta=2.0)
    scores = torch.nn.functional.cosine_similarity(queries[:, None], passages[None], dim=-1)
    expected = tiered_loss(scores, tiers, temperature=0.2, alpha=0.5, beta=2.0)
    slopes = []
    for name in ("sentence_embedding", "tokens"):
        found = loss([{"tokens": queries}, {name: passages}], tiers)
        torch.testing.assert_close(found, expected)
        slopes.append(torch.autograd.grad(found, model.weight)[0])
    assert slopes[0].any()
    assert not torch.allclose(*slopes)


@pytest.mark.parametrize("name", ["temperature", "alpha", "beta"])
@pytest.mark.parametrize("value", [0, float("nan")])
def test_a_setting_that_cannot_be_is_refused(name: str, value: float):
    with pytest.raises(ConfigurationError, match=name):
        TieredLoss(torch.nn.Identity(), **{name: value})
