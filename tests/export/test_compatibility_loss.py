"""CoDeR's loss against the formula written out, and by its gradient."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra train")
pytest.importorskip("sentence_transformers", reason="the extra train")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from logic_export.losses import CompatibilityLoss, compatibility_loss  # noqa: E402

from logic_retrievers.errors import ConfigurationError  # noqa: E402


def reference(queries, documents, positives, beta):
    """Eq. 6, term by term, in float64."""
    total = 0.0
    for query, own in zip(queries, positives, strict=True):
        cosines = [
            float(query @ d / (np.linalg.norm(query) * np.linalg.norm(d))) for d in documents
        ]
        others = sum(np.exp(beta * c) for i, c in enumerate(cosines) if i != own)
        total += -beta * cosines[own] + np.log(np.exp(beta * cosines[own]) + others)
    return total / len(queries)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.integers(1, 5), st.integers(2, 9), st.sampled_from([1, 20, 60]))
def test_the_loss_is_the_formula(seed: int, queries: int, documents: int, beta: float):
    """A forgotten temperature or an unscaled vector trains something else, and still goes down."""
    rng = np.random.default_rng(seed)
    q, d = rng.normal(size=(queries, 6)) * 3, rng.normal(size=(documents, 6)) * 0.2
    own = rng.integers(documents, size=queries)
    found = compatibility_loss(
        torch.from_numpy(q), torch.from_numpy(d), torch.from_numpy(own), beta=beta
    )
    assert found.item() == pytest.approx(reference(q, d, own, beta), rel=1e-9, abs=1e-12)


def test_a_step_against_the_gradient_separates_the_violating_document():
    """With the sign wrong the encoder learns to find what is ruled out."""
    rng = np.random.default_rng(1)
    q = torch.from_numpy(rng.normal(size=(1, 8))).requires_grad_()
    d = torch.from_numpy(rng.normal(size=(2, 8)))

    def gap() -> float:
        cosines = torch.nn.functional.cosine_similarity(q.detach(), d)
        return float(cosines[0] - cosines[1])

    before = gap()
    compatibility_loss(q, d, torch.tensor([0])).backward()
    with torch.no_grad():
        q -= 0.01 * q.grad
    assert gap() > before


@pytest.mark.parametrize("beta", [0, -1, float("nan")])
def test_a_temperature_that_cannot_be_is_refused(beta: float):
    with pytest.raises(ConfigurationError, match="beta"):
        CompatibilityLoss(torch.nn.Identity(), beta)
