"""``logic-retrievers parse`` of queries that join things."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from logic_retrievers import Atom, Expression
from logic_retrievers.cli.app import app


def parsed(*arguments):
    result = CliRunner().invoke(app, ["parse", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_expression_and_confidence_are_shown():
    shown = parsed("orchids of Laos or orchids of Burma")
    assert '"orchids of Laos" OR "orchids of Burma" (or)' in shown
    assert "confidence 0.95" in shown
    assert "confidence" not in parsed("hotels except hostels")


def test_as_json():
    told = json.loads(parsed("orchids of Laos or orchids of Burma", "--json"))
    assert (told["kind"], told["confidence"]) == ("expression", 0.95)
    assert told["expression"] == {
        "op": "or",
        "args": [
            {"op": "atom", "text": "orchids of Laos"},
            {"op": "atom", "text": "orchids of Burma"},
        ],
    }
    assert Expression.from_dict(told["expression"]) == Atom("orchids of Laos") | Atom(
        "orchids of Burma"
    )
    assert json.loads(parsed("quiet inns", "--json"))["expression"] is None
