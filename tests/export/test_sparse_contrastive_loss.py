"""SparseCL's loss against the paper's formula written out, and by its gradient."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra train")
pytest.importorskip("sentence_transformers", reason="the extra train")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from logic_export.losses import SparseContrastiveLoss, sparse_contrastive_loss  # noqa: E402
from logic_export.losses.similarity import pairwise_similarities  # noqa: E402

from logic_retrievers.errors import ConfigurationError  # noqa: E402
from logic_retrievers.scoring import MEASURES, normalise, sparsity  # noqa: E402

ALL = [*MEASURES, "cosine"]


def measured(one, other, measure):
    """Of a pair, by the paper's formulae; None of two copies, of which nothing can be said."""
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    if measure == "cosine":
        return float(one @ other)
    delta = np.abs(one - other)
    l1, l2, root = delta.sum(), np.sqrt((delta**2).sum()), np.sqrt(len(delta))
    if l2 < 1e-3:
        return None
    return float(
        {
            "hoyer": (root - l1 / l2) / (root - 1),
            "l2_l1": l2 / l1,
            "kappa4": (delta**4).sum() / l2**4,
        }[measure]
    )


def reference(texts, groups, sides, temperature, measure):
    """Anchor by anchor, pair by pair, in float64."""
    losses = []
    for i in range(len(texts)):
        right, wrong = [], []
        for j in range(len(texts)):
            value = measured(texts[i], texts[j], measure) if j != i else None
            if value is None:
                continue
            opposed = groups[i] == groups[j] and sides[i] != sides[j]
            (right if opposed else wrong).append(value / temperature)
        if right:
            losses.append(np.mean([np.log(sum(np.exp(n - p) for n in wrong) + 1) for p in right]))
    return float(np.mean(losses)) if losses else 0.0


@st.composite
def batches(draw):
    """Groups with one to three texts a side; some of them copies of another text."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    groups, sides = [], []
    for group in range(draw(st.integers(1, 4))):
        for side in (0, 1):
            count = draw(st.integers(1, 3))
            groups += [group] * count
            sides += [side] * count
    texts = rng.normal(size=(len(groups), 7)) * rng.uniform(0.1, 5, size=(len(groups), 1))
    for row in draw(st.lists(st.integers(1, len(groups) - 1), max_size=2)):
        texts[row] = 2 * texts[0]
    return texts, np.array(groups), np.array(sides)


def loss_of(texts, groups, sides, temperature, measure):
    found = sparse_contrastive_loss(
        torch.from_numpy(texts),
        torch.from_numpy(groups),
        torch.from_numpy(sides),
        temperature=temperature,
        measure=measure,
    )
    return found.item()


@settings(deadline=None, max_examples=80)
@given(batches(), st.sampled_from([0.02, 0.2, 1.0]), st.sampled_from(ALL))
def test_the_loss_is_the_formula(batch, temperature: float, measure: str):
    """A paraphrase among the positives, or a forgotten temperature, still gives a falling loss."""
    assert loss_of(*batch, temperature, measure) == pytest.approx(
        reference(*batch, temperature, measure), rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_what_is_trained_is_what_is_scored_by(measure: str):
    """A head trained for another sparsity than the search uses is a little worse everywhere."""
    vectors = normalise(np.random.default_rng(2).normal(size=(12, 48))).astype(np.float32)
    vectors[1] = normalise(vectors[0] + 0.03 * vectors[2])
    trained = pairwise_similarities(torch.from_numpy(vectors), measure).numpy()
    for row, vector in enumerate(vectors):
        others = np.arange(len(vectors)) != row
        np.testing.assert_allclose(
            trained[row, others], sparsity(vector, vectors[others], measure), atol=2e-5
        )


def test_a_step_against_the_gradient_makes_contradictions_sparser_than_paraphrases():
    """With the sign wrong the encoder learns that paraphrases contradict."""
    rng = np.random.default_rng(5)
    texts = torch.from_numpy(rng.normal(size=(3, 32))).requires_grad_()
    groups, sides = torch.zeros(3, dtype=int), torch.tensor([0, 0, 1])

    def gap() -> float:
        found = pairwise_similarities(
            torch.nn.functional.normalize(texts.detach(), dim=-1), "hoyer"
        )
        return float(found[0, 2] - found[0, 1])

    before = gap()
    sparse_contrastive_loss(texts, groups, sides, temperature=0.1).backward()
    with torch.no_grad():
        texts -= 0.1 * texts.grad
    assert gap() > before


@pytest.mark.parametrize("measure", ALL)
@pytest.mark.parametrize("noise", [0.0, 1e-6])
@pytest.mark.parametrize("copied", [1, 2])
def test_texts_cut_to_the_same_tokens_do_not_decide_the_step(measure, noise, copied):
    """Rounding between two copies has a slope of millions; one such pair, and a batch of real ones
    is cut to nothing by the limit on gradients. A true zero would even be no number.
    """
    rng = np.random.default_rng(6)
    texts = rng.normal(size=(4, 32))
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    groups, sides = torch.tensor([0, 0, 0, 1]), torch.tensor([0, 0, 1, 0])
    texts[copied] = texts[0] + noise * rng.normal(size=32)
    leaf = torch.tensor(texts, dtype=torch.float32, requires_grad=True)
    loss = sparse_contrastive_loss(leaf, groups, sides, temperature=0.05, measure=measure)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(leaf.grad).all()
    assert leaf.grad.norm() < 100


def test_groups_without_negatives_teach_nothing_and_break_nothing():
    """The last batch of a source may hold one pair alone; one NaN there ends the run's weights."""
    pair = torch.tensor([[1.0, 0.0, 0.2], [0.0, 1.0, 0.1]], requires_grad=True)
    loss = sparse_contrastive_loss(pair, torch.tensor([0, 0]), torch.tensor([0, 1]))
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(pair.grad, torch.zeros_like(pair))
    copies = torch.ones(2, 3, requires_grad=True)
    loss = sparse_contrastive_loss(copies, torch.tensor([0, 0]), torch.tensor([0, 1]))
    loss.backward()
    assert loss.item() == 0
    assert torch.equal(copies.grad, torch.zeros_like(copies))


def test_half_precision_is_widened():
    """Differences of bf16 numbers have two digits: their sparsity would be that of rounding."""
    texts = torch.randn(6, 64, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    groups, sides = torch.arange(6) // 2, torch.arange(6) % 2
    narrow, wide = (sparse_contrastive_loss(t, groups, sides) for t in (texts, texts.float()))
    assert narrow.dtype == torch.float32
    assert torch.equal(narrow, wide)


@pytest.mark.parametrize("temperature", [0, float("nan")])
def test_a_temperature_that_cannot_be_is_refused(temperature: float):
    with pytest.raises(ConfigurationError, match="temperature"):
        SparseContrastiveLoss(torch.nn.Identity(), temperature)


def test_an_unknown_measure_is_refused():
    """An hour of training for a misspelt name."""
    with pytest.raises(ConfigurationError, match="no measure"):
        SparseContrastiveLoss(torch.nn.Identity(), measure="l1")


def test_a_batch_in_parts_is_one_batch():
    """Labels that lie in another order than the parts say that strangers contradict."""
    rng = np.random.default_rng(7)
    texts = torch.from_numpy(rng.normal(size=(5, 8)))
    labels = torch.tensor([[0, 1], [1, 0], [0, 0], [1, 1], [1, 1]])

    class Given(torch.nn.Module):
        def forward(self, features):
            return {"sentence_embedding": features["vectors"]}

    loss = SparseContrastiveLoss(Given(), temperature=0.3, measure="kappa4")
    found = loss([{"vectors": texts[:2]}, {"vectors": texts[2:]}], labels)
    expected = reference(texts.numpy(), *labels.numpy().T, 0.3, "kappa4")
    assert found.item() == pytest.approx(expected, rel=1e-9)
