"""The report as one page of HTML, which asks for nothing from anywhere else."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import get_args

from logic_retrievers.cleaning.findings import Kind, Severity
from logic_retrievers.cleaning.report.cards import WOULD_BE, cards
from logic_retrievers.cleaning.report.figures import bars, columns, counts, probabilities
from logic_retrievers.cleaning.result import Action, Cleaned
from logic_retrievers.pages.templates import environment, part, policy_hash

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
    style, script = part(HERE, "report.css"), part(HERE, "report.js")
    return (
        environment(HERE, "cli")
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
            style_hash=policy_hash(style),
            script_hash=policy_hash(script),
        )
    )
