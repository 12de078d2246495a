"""Losses compared with their papers' formulae, computed term by term in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from logic_export.losses import (
    DISTRACTOR,
    NEGATIVE,
    POSITIVE,
    LogicallyInformedLoss,
    SparseContrastiveLoss,
    TieredLoss,
    compatibility_loss,
    pack_labels,
    sparse_contrastive_loss,
    subset_loss,
    tiered_loss,
)
from logic_export.recipe import (
    LogicallyInformedSettings,
    SparseContrastiveSettings,
    TieredSettings,
)

from logic_retrievers.scoring import MEASURES, normalise

SEEDS = st.integers(0, 2**31)
ALL_MEASURES = [*MEASURES, "cosine"]


class Given(torch.nn.Module):
    """A model that returns the given vectors, scaled by a weight."""

    def __init__(self, factor: float = 1.0) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((1,), factor, dtype=torch.float64))

    def forward(self, features):
        return {"sentence_embedding": features["vectors"] * self.weight}


def cosine(one, other):
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def tensors(*arrays):
    return [torch.from_numpy(array) for array in arrays]


def mean(losses):
    return float(np.mean(losses)) if losses else 0.0


# --- CoDeR


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 5), st.integers(2, 9), st.sampled_from([1, 20, 60]))
def test_coder_is_the_formula(seed: int, count: int, others: int, beta: float):
    """With a forgotten temperature or normalisation the loss would be wrong but still fall."""
    rng = np.random.default_rng(seed)
    queries, documents = rng.normal(size=(count, 6)) * 3, rng.normal(size=(others, 6)) * 0.2
    positives = rng.integers(others, size=count)
    expected = []
    for query, own in zip(queries, positives, strict=True):
        powers = [np.exp(beta * cosine(query, document)) for document in documents]
        expected.append(-np.log(powers[own] / sum(powers)))
    found = compatibility_loss(*tensors(queries, documents, positives), beta=beta)
    assert found.item() == pytest.approx(mean(expected), rel=1e-9, abs=1e-12)


# --- LogiCoL


def contrastive(queries, documents, positives, counted, temperature, reduction):
    losses = []
    for i, query in enumerate(queries):
        known = [j for j in range(len(documents)) if counted[i, j]]
        own = [j for j in known if positives[i, j]]
        if own:
            e = {j: np.exp(cosine(query, documents[j]) / temperature) for j in known}
            losses.append(-np.mean([np.log(e[p] / sum(e.values())) for p in own]))
    return float(np.sum(losses)) if reduction == "sum" else mean(losses)


def exclusion(queries, documents, pairs, margin, temperature):
    losses = []
    for pair in pairs:
        one, other = (
            np.exp([cosine(queries[q], d) / temperature for d in documents]) for q in pair
        )
        one, other = one / one.sum(), other / other.sum()
        divergence = ((one * np.log(one / other)).sum() + (other * np.log(other / one)).sum()) / 2
        losses.append(max(margin - divergence, 0))
    return mean(losses)


def subset(queries, documents, pairs, margin, reduction):
    losses = []
    for pair in pairs:
        narrow, wide = (np.log([(cosine(queries[q], d) + 1) / 2 for d in documents]) for q in pair)
        terms = np.maximum(narrow - wide + margin, 0)
        losses.append(terms.sum() if reduction == "sum" else terms.mean())
    return mean(losses)


@st.composite
def set_batches(draw):
    """Draw vectors of any length, labels of any kind and pairs of queries; any may be empty."""
    rng = np.random.default_rng(draw(SEEDS))
    count, documents = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    positives = rng.random((count, documents)) < draw(st.sampled_from([0.0, 0.3, 0.9]))
    doubtful = rng.random((count, documents)) < draw(st.sampled_from([0.0, 0.4, 1.0]))
    places = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(places, places).filter(lambda p: p[0] != p[1]), max_size=4))
    return (
        rng.normal(size=(count, 5)) * rng.uniform(0.1, 9),
        rng.normal(size=(documents, 5)) * rng.uniform(0.1, 9),
        positives,
        doubtful & ~positives,
        list(dict.fromkeys(pairs)) if count > 1 else [],
    )


def indices(pairs):
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


def joint(queries, documents, labels, **chosen):
    loss = LogicallyInformedLoss(Given(), LogicallyInformedSettings(**chosen))
    parts = [queries, documents]
    return loss([{"sentence_embedding": vectors} for vectors in parts], labels)


@settings(max_examples=60)
@given(
    set_batches(),
    st.sampled_from(["sum", "mean"]),
    st.tuples(*(st.sampled_from(values) for values in ([0.05, 0.2, 1.0], [0.0, 0.2, 3.0]))),
    st.sampled_from([0.1, 1.0]),
    st.data(),
)
def test_logicols_joint_loss_is_the_weighted_sum(batch, reduction, chosen, softness, data):
    """With labels misplaced in the packed tensor the loss would be wrong but still fall."""
    queries, documents, positives, doubtful, pairs = batch
    temperature, margin = chosen
    exclusive = [p for p in pairs if data.draw(st.booleans())]
    subsets = [p for p in pairs if p not in exclusive]
    labels = pack_labels(*tensors(positives, doubtful), subsets, exclusive)
    terms = joint(
        *tensors(queries, documents),
        labels,
        temperature=temperature,
        exclusion_weight=0.3,
        subset_weight=0.7,
        exclusion_margin=margin,
        subset_margin=margin / 2,
        exclusion_temperature=softness,
        reduction=reduction,
    )
    known = ~doubtful
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(
        {
            "contrastive": contrastive(
                queries, documents, positives, known, temperature, reduction
            ),
            "exclusion": 0.3 * exclusion(queries, documents, exclusive, margin, softness),
            "subset": 0.7 * subset(queries, documents, subsets, margin / 2, reduction),
        },
        rel=1e-9,
        abs=1e-9,
    )
    alone = joint(*tensors(queries, documents), labels, exclusion_weight=0, subset_weight=0)
    assert set(alone) == {"contrastive"}


def test_set_queries_that_say_nothing_break_nothing():
    """Without positives, or with only unknown labels, a NaN would destroy the run's weights."""
    queries, documents = (torch.randn(n, 4, requires_grad=True) for n in (2, 3))
    nothing = torch.zeros(2, 3, dtype=torch.bool)
    for reduction in ("sum", "mean"):
        for doubtful in (nothing, ~nothing):
            labels = pack_labels(nothing, doubtful, [], [])
            terms = joint(queries, documents, labels, reduction=reduction)
            found = torch.autograd.grad(sum(terms.values()), (queries, documents))
            assert all(term.item() == 0 for term in terms.values())
            assert not any(slope.any() for slope in found)


def test_opposite_vectors_have_a_logarithm():
    """(cosine + 1) / 2 is 0 for opposite vectors; its logarithm must not become infinite."""
    queries = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], requires_grad=True)
    loss = subset_loss(queries, torch.tensor([[1.0, 0.0]]), indices([(0, 1)]))
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(queries.grad).all()


def test_half_precision_is_widened():
    """Products in bf16 have two digits, so differences of their logarithms would have none."""
    vectors = torch.randn(6, 64, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    queries, documents = vectors.split(3)
    labels = pack_labels(torch.eye(3).bool(), torch.zeros(3, 3).bool(), [(1, 2)], [(0, 1)])
    narrow, wide = joint(queries, documents, labels), joint(queries.float(), documents, labels)
    assert all(torch.equal(narrow[name], wide[name]) for name in wide)
    groups, sides = torch.arange(6) // 2, torch.arange(6) % 2
    found = sparse_contrastive_loss(vectors, groups, sides)
    assert found.dtype == torch.float32
    assert torch.equal(found, sparse_contrastive_loss(vectors.float(), groups, sides))


# --- SparseCL


def measured(one, other, measure):
    """Compute the paper's measures of a pair; None for copies, where they are undefined."""
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    if measure == "cosine":
        return float(one @ other)
    delta = np.abs(one - other)
    l1, l2, root = delta.sum(), np.sqrt((delta**2).sum()), np.sqrt(len(delta))
    if l2 < 1e-3:
        return None
    values = {
        "hoyer": (root - l1 / l2) / (root - 1),
        "l2_l1": l2 / l1,
        "kappa4": (delta**4).sum() / l2**4,
    }
    return float(values[measure])


def sparse(texts, groups, sides, temperature, measure):
    """Compute the loss anchor by anchor, pair by pair."""
    losses = []
    for i in range(len(texts)):
        right, wrong = [], []
        for j in range(len(texts)):
            value = measured(texts[i], texts[j], measure) if j != i else None
            if value is not None:
                opposed = groups[i] == groups[j] and sides[i] != sides[j]
                (right if opposed else wrong).append(value / temperature)
        if right:
            losses.append(np.mean([np.log(sum(np.exp(n - p) for n in wrong) + 1) for p in right]))
    return mean(losses)


@st.composite
def group_batches(draw):
    """Draw groups with one to three texts per side, some of which are copies."""
    rng = np.random.default_rng(draw(SEEDS))
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


@settings(max_examples=80)
@given(group_batches(), st.sampled_from([0.02, 0.2, 1.0]), st.sampled_from(ALL_MEASURES))
def test_sparsecl_is_the_formula(batch, temperature: float, measure: str):
    """With paraphrases as positives, or no temperature, the loss would be wrong but still fall."""
    found = sparse_contrastive_loss(*tensors(*batch), temperature=temperature, measure=measure)
    expected = sparse(*batch, temperature, measure)
    assert found.item() == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("measure", ALL_MEASURES)
def test_texts_cut_to_the_same_tokens_do_not_decide_the_step(measure: str):
    """Rounding between two copies has a slope of millions. If it counted, gradient clipping would
    shrink the rest of the batch to nothing. An exact zero would give NaN.
    """
    groups, sides = torch.tensor([0, 0, 0, 1]), torch.tensor([0, 0, 1, 0])
    for noise in (0.0, 1e-6):
        for copied in (1, 2):
            rng = np.random.default_rng(6)
            texts = normalise(rng.normal(size=(4, 32)))
            texts[copied] = texts[0] + noise * rng.normal(size=32)
            leaf = torch.tensor(texts, dtype=torch.float32, requires_grad=True)
            loss = sparse_contrastive_loss(leaf, groups, sides, temperature=0.05, measure=measure)
            loss.backward()
            assert torch.isfinite(loss)
            assert torch.isfinite(leaf.grad).all()
            assert leaf.grad.norm() < 100


def test_groups_without_negatives_teach_nothing_and_break_nothing():
    """A source's last batch may hold a single pair; a NaN there would destroy the run's weights."""
    for pair in ([[1.0, 0.0, 0.2], [0.0, 1.0, 0.1]], [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]):
        texts = torch.tensor(pair, requires_grad=True)
        loss = sparse_contrastive_loss(texts, torch.tensor([0, 0]), torch.tensor([0, 1]))
        loss.backward()
        assert loss.item() == 0
        assert torch.equal(texts.grad, torch.zeros_like(texts))


def test_a_batch_in_parts_is_one_batch():
    """Labels in a different order than the parts would mark unrelated texts as contradictions."""
    texts = torch.from_numpy(np.random.default_rng(7).normal(size=(5, 8)))
    labels = torch.tensor([[0, 1], [1, 0], [0, 0], [1, 1], [1, 1]])
    chosen = SparseContrastiveSettings(temperature=0.3, measure="kappa4")
    found = SparseContrastiveLoss(Given(), chosen)(
        [{"vectors": texts[:2]}, {"vectors": texts[2:]}], labels
    )
    expected = sparse(texts.numpy(), *labels.numpy().T, 0.3, "kappa4")
    assert found.item() == pytest.approx(expected, rel=1e-9)


# --- LORE


def tiered(scores, tiers, temperature, alpha, beta):
    """Compute the loss per query and positive, adding log beta and log alpha as printed."""
    losses = []
    for row, stand in zip(scores / temperature, tiers, strict=True):
        wrong = sum(
            np.exp(s + np.log(beta if tier == DISTRACTOR else alpha))
            for s, tier in zip(row, stand, strict=True)
            if tier in (DISTRACTOR, NEGATIVE)
        )
        own = [np.exp(s) for s, tier in zip(row, stand, strict=True) if tier == POSITIVE]
        if own:
            losses.append(np.mean([-np.log(s / (wrong + s)) for s in own]))
    return mean(losses)


@st.composite
def tier_batches(draw):
    """Draw cosines and tiers; some queries lack one tier or all."""
    rng = np.random.default_rng(draw(SEEDS))
    shape = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    kinds = draw(st.lists(st.sampled_from([0, POSITIVE, DISTRACTOR, NEGATIVE]), min_size=1))
    return rng.uniform(-1, 1, shape), rng.choice(kinds, shape)


WEIGHTS = st.sampled_from([0.3, 1.0, 3.0])


@settings(max_examples=150)
@given(tier_batches(), st.sampled_from([0.05, 0.5]), WEIGHTS, WEIGHTS)
def test_lore_is_the_formula(batch, temperature, alpha, beta):
    """Other positives in the denominator would be pushed away from their query."""
    found = tiered_loss(*tensors(*batch), temperature=temperature, alpha=alpha, beta=beta)
    expected = tiered(*batch, temperature, alpha, beta)
    assert found.item() == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("tier", [0, POSITIVE, NEGATIVE])
def test_tiers_that_say_nothing_break_nothing(tier: int):
    """Without positives, or without wrong passages, a NaN would destroy the run's weights."""
    scores = torch.rand(2, 3, requires_grad=True)
    loss = tiered_loss(scores, torch.full((2, 3), tier))
    (slope,) = torch.autograd.grad(loss, scores)
    assert loss.item() == 0
    assert not slope.any()


def test_large_gaps_do_not_overflow():
    """At a temperature of .005 the exponential of a cosine exceeds float32."""
    scores = torch.tensor([[-1.0, 1.0]], requires_grad=True)
    loss = tiered_loss(scores, torch.tensor([[POSITIVE, DISTRACTOR]]), temperature=0.005, beta=1.0)
    loss.backward()
    assert loss.item() == pytest.approx(400)
    assert scores.grad.tolist() == [[-200, 200]]


def test_passages_given_as_vectors_stay_as_they_are():
    """Frozen passages must not go through the model: their vectors would move."""
    queries, passages = tensors(*np.random.default_rng(0).normal(size=(2, 3, 4)))
    tiers = torch.tensor([[1, 2, 3], [3, 1, 0], [1, 3, 3]])
    seen: list[torch.Tensor] = []

    class Watched(Given):
        def forward(self, features):
            seen.append(features["vectors"])
            return super().forward(features)

    loss = TieredLoss(Watched(7.0), TieredSettings(temperature=0.2, alpha=0.5, beta=2.0))
    scores = torch.nn.functional.cosine_similarity(queries[:, None], passages[None], dim=-1)
    expected = tiered_loss(scores, tiers, temperature=0.2, alpha=0.5, beta=2.0)
    for name, encoded in (("sentence_embedding", 1), ("vectors", 2)):
        seen.clear()
        torch.testing.assert_close(loss([{"vectors": queries}, {name: passages}], tiers), expected)
        assert len(seen) == encoded
