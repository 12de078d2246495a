"""Errors in other processes: copied, pickled and rebuilt."""

from __future__ import annotations

import copy
import pickle

import pytest

from logic_retrievers import errors


@pytest.mark.parametrize(
    "error",
    [
        errors.LogicRetrieversError("wrong"),
        errors.MissingVectorError("wrong", "mend it", names=["lexical"]),
        errors.ConfigurationError("wrong", "mend it", names=["tenant"]),
        errors.ExpressionError("wrong", text="a AND", position=5),
        errors.ReadError("wrong", file="a.csv", line=3),
        errors.MissingExtraError("torch", "train"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_copy_keeps_the_message_and_the_remedy(error):
    """An error that cannot be pickled breaks its worker's pool."""
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
