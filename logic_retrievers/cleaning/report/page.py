"""The report as one page of HTML, which asks for nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from datetime import UTC
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, get_args

from logic_retrievers.cleaning.findings import Kind, Severity
from logic_retrievers.cleaning.report.cards import WOULD_BE, cards
from logic_retrievers.cleaning.report.figures import bars, columns, counts, probabilities
from logic_retrievers.cleaning.report.visible import visible
from logic_retrievers.cleaning.result import Action, Cleaned
from logic_retrievers.errors import MissingExtraError

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = "logic_retrievers.cleaning.report"


def page(cleaned: Cleaned, title: str) -> str:
    """The page.

    Args:
        cleaned: what was found and done.
        title: of the page.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    table = counts(cleaned)
    likely = probabilities(cleaned)
    severities = Counter(one.finding.severity for one in cleaned.decisions)
    filters = {
        "kind": {kind: sum(actions.values()) for kind, actions in table.items()},
        "severity": {name: severities[name] for name in get_args(Severity)},
        "action": {
            action: sum(actions[action] for actions in table.values())
            for action in table[Kind.CONTRADICTION.value]
        },
    }
    done = {action: action for action in get_args(Action)}
    if cleaned.dry_run:
        done["quarantined"] = WOULD_BE
    style, script = _part("report.css"), _part("report.js")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            title=title,
            cleaned=cleaned,
            begun=cleaned.begun.astimezone(UTC),
            quarantined=cleaned.quarantined,
            cards=cards(cleaned),
            filters=filters,
            done=done,
            table=table,
            bars=bars(table, left=92, width=200, step=28),
            columns=columns(likely, left=28, width=300, height=112),
            likely=len(likely),
            style=style,
            script=script,
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", "cli") from error
    made = Environment(
        loader=PackageLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["visible"] = lambda value: visible(str(value))
    return made


@cache
def _part(name: str) -> str:
    return (files(HERE) / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the page's own policy lets run: this script and this style, and no other."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
