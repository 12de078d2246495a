"""Texts read as words or as expressions: what is read, and what is refused at once."""

from __future__ import annotations

import pytest

from logic_retrievers import Atom, UnionPolicy
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    UnknownPolicyError,
)
from logic_retrievers.ranking.query_input import check_syntax, read_query


def test_what_cannot_be_read_is_refused():
    """A policy that does not see the expression would search for it as for any phrase."""
    for syntax in ("sql", None):
        with pytest.raises(ConfigurationError, match="query_syntax"):
            read_query("inns", syntax, "auto")
    for policy in ("topical", UnionPolicy()):
        check_syntax("words", policy)
        with pytest.raises(ConfigurationError, match="boolean"):
            read_query("inns", "expression", policy)
    with pytest.raises(UnknownPolicyError):
        check_syntax("expression", "onion")
    for syntax in ("words", "expression"):  # a tracer would write an object without its operators
        with pytest.raises(InputError, match="str"):
            read_query(Atom("inns"), syntax, "auto")
