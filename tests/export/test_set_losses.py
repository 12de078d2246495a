"""LogiCoL's losses against the paper's formulae written out, and by their gradients."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra train")
pytest.importorskip("sentence_transformers", reason="the extra train")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from logic_export.losses import (  # noqa: E402
    LogicallyInformedLoss,
    exclusion_loss,
    pack_labels,
    set_contrastive_loss,
    subset_loss,
)

from logic_retrievers.errors import ConfigurationError  # noqa: E402


def cosine(one, other):
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def contrastive(queries, documents, positives, counted, temperature, reduction):
    """Query by query, positive by positive, in float64."""
    losses = []
    for i, query in enumerate(queries):
        known = [j for j in range(len(documents)) if counted[i, j]]
        own = [j for j in known if positives[i, j]]
        if own:
            e = {j: np.exp(cosine(query, documents[j]) / temperature) for j in known}
            losses.append(-np.mean([np.log(e[p] / sum(e.values())) for p in own]))
    if not losses:
        return 0.0
    return float(np.sum(losses) if reduction == "sum" else np.mean(losses))


def exclusion(queries, documents, pairs, margin, temperature):
    losses = []
    for pair in pairs:
        one, other = (
            np.exp([cosine(queries[q], d) / temperature for d in documents]) for q in pair
        )
        one, other = one / one.sum(), other / other.sum()
        divergence = ((one * np.log(one / other)).sum() + (other * np.log(other / one)).sum()) / 2
        losses.append(max(margin - divergence, 0))
    return float(np.mean(losses)) if losses else 0.0


def subset(queries, documents, pairs, margin, reduction):
    losses = []
    for narrow, wide in pairs:
        terms = [
            max(
                np.log((cosine(queries[narrow], d) + 1) / 2)
                - np.log((cosine(queries[wide], d) + 1) / 2)
                + margin,
                0,
            )
            for d in documents
        ]
        losses.append(sum(terms) if reduction == "sum" else np.mean(terms))
    return float(np.mean(losses)) if losses else 0.0


@st.composite
def batches(draw):
    """Vectors of any length, labels of any kind, pairs of queries; none of it at times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
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


def tensors(*arrays):
    return [torch.from_numpy(array) for array in arrays]


def indices(pairs):
    return torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)


REDUCTIONS = st.sampled_from(["sum", "mean"])


@settings(deadline=None, max_examples=80)
@given(batches(), st.sampled_from([0.05, 0.1, 1.0]), REDUCTIONS)
def test_the_contrastive_loss_is_the_formula(batch, temperature, reduction):
    """A second positive in the denominator alone would be pushed away as a negative."""
    queries, documents, positives, doubtful, _ = batch
    found = set_contrastive_loss(
        *tensors(queries, documents, positives),
        counted=torch.from_numpy(~doubtful),
        temperature=temperature,
        reduction=reduction,
    )
    expected = contrastive(queries, documents, positives, ~doubtful, temperature, reduction)
    assert found.item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=80)
@given(batches(), st.sampled_from([0.0, 0.2, 3.0]), st.sampled_from([0.1, 1.0]))
def test_the_exclusion_loss_is_the_formula(batch, margin, temperature):
    queries, documents, _, _, pairs = batch
    found = exclusion_loss(
        *tensors(queries, documents), indices(pairs), margin=margin, temperature=temperature
    )
    expected = exclusion(queries, documents, pairs, margin, temperature)
    assert found.item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=80)
@given(batches(), st.sampled_from([0.0, 0.2, 1.0]), REDUCTIONS)
def test_the_subset_loss_is_the_formula(batch, margin, reduction):
    """Narrow and wide the wrong way round, it would teach that A lies in A AND B."""
    queries, documents, _, _, pairs = batch
    found = subset_loss(
        *tensors(queries, documents), indices(pairs), margin=margin, reduction=reduction
    )
    expected = subset(queries, documents, pairs, margin, reduction)
    assert found.item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


class Given(torch.nn.Module):
    """A model whose features are its vectors."""

    def forward(self, features):
        return {"sentence_embedding": features["vectors"]}


def joint(queries, documents, labels, **chosen):
    loss = LogicallyInformedLoss(Given(), **chosen)
    return loss([{"vectors": queries}, {"vectors": documents}], labels)


@settings(deadline=None, max_examples=60)
@given(batches(), REDUCTIONS, st.data())
def test_the_joint_loss_is_the_weighted_sum(batch, reduction, data):
    """Labels that change places in the one tensor train something, and the loss still falls."""
    queries, documents, positives, doubtful, pairs = batch
    exclusive = [p for p in pairs if data.draw(st.booleans())]
    subsets = [p for p in pairs if p not in exclusive]
    labels = pack_labels(*tensors(positives, doubtful), subsets, exclusive)
    terms = joint(
        *tensors(queries, documents),
        labels,
        temperature=0.2,
        exclusion_weight=0.3,
        subset_weight=0.7,
        exclusion_margin=1.5,
        subset_margin=0.1,
        exclusion_temperature=0.4,
        reduction=reduction,
    )
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(
        {
            "contrastive": contrastive(queries, documents, positives, ~doubtful, 0.2, reduction),
            "exclusion": 0.3 * exclusion(queries, documents, exclusive, 1.5, 0.4),
            "subset": 0.7 * subset(queries, documents, subsets, 0.1, reduction),
        },
        rel=1e-9,
        abs=1e-9,
    )


def test_terms_without_weight_are_left_out():
    vectors, labels = (
        torch.randn(2, 4),
        pack_labels(torch.eye(2).bool(), torch.zeros(2, 2).bool(), [], []),
    )
    terms = joint(vectors, vectors, labels, exclusion_weight=0, subset_weight=0)
    assert set(terms) == {"contrastive"}


def example():
    """Two queries of which the second excludes the first and lies in the third."""
    rng = np.random.default_rng(0)
    positives = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 1, 1]]).bool()
    doubtful = torch.tensor([[0, 0, 1], [0, 0, 0], [0, 0, 0]]).bool()
    labels = pack_labels(positives, doubtful, [(1, 2)], [(0, 1)])
    return (
        torch.from_numpy(rng.normal(size=(3, 6))),
        torch.from_numpy(rng.normal(size=(3, 6))),
        labels,
    )


def symmetric_divergence(queries, documents):
    return 10 - exclusion(queries, documents, [(0, 1)], 10, 1.0)


def test_a_step_against_the_gradient_drives_exclusive_queries_apart():
    """With the sign wrong they learn to find the same documents."""
    queries, documents, _ = example()
    before = symmetric_divergence(queries.numpy(), documents.numpy())
    queries.requires_grad_()
    exclusion_loss(queries, documents, indices([(0, 1)]), margin=5).backward()
    with torch.no_grad():
        queries -= 0.1 * queries.grad
    assert symmetric_divergence(queries.detach().numpy(), documents.numpy()) > before


def test_what_holds_already_has_no_slope():
    """Beyond the margin nothing is to be gained, or the terms would never leave the rest alone."""
    queries = torch.tensor([[1.0, 0.0], [-1.0, 0.1]], requires_grad=True)
    documents = torch.eye(2)
    for loss in (
        exclusion_loss(queries, documents, indices([(0, 1)]), margin=0.01),
        subset_loss(queries, documents[:1], indices([(1, 0)]), margin=0.01),
    ):
        (slope,) = torch.autograd.grad(loss, queries)
        assert loss.item() == 0
        assert not slope.any()


def test_batches_that_say_nothing_break_nothing():
    """One query alone, no positive, nothing but doubt: one NaN there ends the run's weights."""
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
    """(cosine + 1) / 2 is 0 there, whose logarithm is no number."""
    queries = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], requires_grad=True)
    loss = subset_loss(queries, torch.tensor([[1.0, 0.0]]), indices([(0, 1)]))
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(queries.grad).all()


def test_half_precision_is_widened():
    """Products of bf16 numbers have two digits, and differences of their logarithms none."""
    queries, documents, labels = example()
    narrow = [one.to(torch.bfloat16) for one in (queries, documents)]
    found, expected = (joint(*some, labels) for some in (narrow, [one.float() for one in narrow]))
    assert all(torch.equal(found[name], expected[name]) for name in expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 0),
        ("exclusion_temperature", float("nan")),
        ("exclusion_weight", -0.1),
        ("subset_margin", float("nan")),
        ("reduction", "max"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(name: str, value):
    with pytest.raises(ConfigurationError, match=name):
        LogicallyInformedLoss(torch.nn.Identity(), **{name: value})
