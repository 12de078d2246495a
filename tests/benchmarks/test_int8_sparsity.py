"""Sparsity of the differences of int8 codes against that of the vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.common.int8_sparsity import code_sparsity, int8_codes
from logic_retrievers.scoring import MEASURES, normalise, sparsity


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_codes_give_nearly_the_same(measure):
    """Codes save three quarters of the memory; they must not order the candidates anew."""
    generator = np.random.default_rng(3)
    vectors = normalise(generator.normal(size=(500, 384))).astype(np.float32)
    vectors[1:250] = vectors[0]  # a tenth of the coordinates differ, as in a contradiction
    vectors[1:250, :40] += generator.normal(size=(249, 40)).astype(np.float32) * 0.05
    vectors = normalise(vectors).astype(np.float32)
    codes, scale = int8_codes(vectors)
    assert codes.dtype == np.int8
    exact = sparsity(vectors[0], vectors, measure)
    found = code_sparsity(codes[0], codes, scale, measure)
    assert math.isnan(found[0])
    assert math.isnan(exact[0])
    tolerance = {"hoyer": 0.03, "l2_l1": 0.01, "kappa4": 0.01}[measure]
    np.testing.assert_allclose(found[1:], exact[1:], atol=tolerance)
    assert found[1:250].min() > found[250:].max()
    assert np.corrcoef(found[1:], exact[1:])[0, 1] > 0.99


def test_a_copy_whose_code_was_rounded_the_other_way_is_still_one():
    """One code more or less is a difference in one coordinate: the sparsest that there is."""
    vector = normalise(np.random.default_rng(4).normal(size=384))
    codes, scale = int8_codes(vector)
    other = codes.copy()
    other[[3, 70]] += 1
    real = codes.copy()
    real[:20] += 20
    found = code_sparsity(codes, np.stack([codes, other, real]), scale)
    assert np.isnan(found).tolist() == [True, True, False]
    assert found[2] > 0.7


def test_codes_of_a_given_scale():
    """A value that the scale does not reach would wrap round to the other sign."""
    codes, scale = int8_codes(np.array([[0.5, -2.0, 3.0]]), 0.01)
    assert (codes.tolist(), scale) == ([[50, -127, 127]], 0.01)
    assert int8_codes(np.zeros((2, 3)))[1] == 1.0
