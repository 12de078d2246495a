"""Check the queries and excluded texts that callers pass, and read texts as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import Field

from logic_retrievers.errors import ConfigurationError, EmptyTextError, InputError, shown
from logic_retrievers.policies import Policy, PolicyRouter, resolve_policy
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.queries.parsed_query import check_excluded
from logic_retrievers.text import is_blank, visible_text

Query: TypeAlias = str | ParsedQuery | Expression
CheckedQuery: TypeAlias = str | ParsedQuery
AnyPolicy: TypeAlias = str | Policy | PolicyRouter

# longest query; an encoder reads its first 256 tokens or so
MAX_CHARACTERS = 100_000

# words: a sentence or keywords; expression: a text for Expression.parse
QuerySyntax: TypeAlias = Literal["words", "expression"]

# True: leave out by words and the judge's verdict; words: by words alone. ``strict`` refuses 1.
Hard: TypeAlias = Annotated[bool, Field(strict=True)] | Literal["words"]


def check_query(query: Any) -> CheckedQuery:
    """Check a query; remove invisible characters; turn an expression into a ParsedQuery."""
    if isinstance(query, Expression):
        return ParsedQuery.stating(query)
    if not isinstance(query, str | ParsedQuery):
        raise InputError(
            f"a query is a string, ParsedQuery or Expression, not {type(query).__name__}"
        )
    checked: CheckedQuery = visible_text(query) if isinstance(query, str) else query
    text = checked.text if isinstance(checked, ParsedQuery) else checked
    if is_blank(text):
        raise EmptyTextError("the query is empty; pass a text to search for")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"a query may have at most {MAX_CHARACTERS:,} characters")
    return checked


def check_exclude(exclude: Sequence[str], hard: Any, policy: AnyPolicy) -> tuple[str, ...]:
    """Check a search's excluded texts, and return each once.

    Only a router ranks by these texts. With ``hard``, any policy leaves passages out by them.
    """
    texts = check_excluded(exclude)
    if not isinstance(hard, bool) and not (isinstance(hard, str) and hard == "words"):
        raise ConfigurationError(f"hard is True, False or 'words', not {shown(hard)}")
    resolved = policy if isinstance(policy, Policy | PolicyRouter) else resolve_policy(policy)
    if texts and not hard and not isinstance(resolved, PolicyRouter):
        raise ConfigurationError(
            f"policy {resolved.name!r} ranks by the query alone and cannot use exclude={[*texts]};"
            " take policy 'auto', or leave passages with these words out by hard=True"
        )
    return texts


def check_now(now: Any) -> date:
    """Return the day of a date, a time or ISO 8601 text; today if it is None."""
    if now is None:
        return date.today()
    if isinstance(now, str):
        try:
            now = datetime.fromisoformat(now)
        except ValueError:
            raise ConfigurationError(
                f'now is a date, a datetime or ISO 8601 text such as "2026-03-31", not {shown(now)}'
            ) from None
    if not isinstance(now, date):
        raise ConfigurationError(f"now is a date or a datetime, not {shown(now)}")
    return now.date() if isinstance(now, datetime) else now


def check_syntax(syntax: Any, policy: AnyPolicy) -> None:
    """Refuse an unknown syntax, and expressions under a policy that reads only words."""
    if syntax not in get_args(QuerySyntax):
        raise ConfigurationError(
            f"unknown query_syntax {shown(syntax)}; one of {', '.join(get_args(QuerySyntax))}"
        )
    resolved = resolve_policy(policy)
    if syntax == "expression" and not isinstance(resolved, PolicyRouter):
        raise ConfigurationError(
            f"policy {resolved.name!r} would search for an expression as for a phrase; take 'auto' "
            "or 'boolean', which read its AND, OR and NOT"
        )


def read_query(text: str, syntax: QuerySyntax, policy: AnyPolicy) -> str | Expression:
    """Return a text unchanged, or parsed as an expression.

    Refuses an :class:`Expression`, because frameworks pass queries to tracers, tools and prompts,
    which take only texts.
    """
    check_syntax(syntax, policy)
    if isinstance(text, Expression):
        raise InputError(
            "a query is a text here: pass str(expression), with query_syntax='expression'"
        )
    return Expression.parse(text) if syntax == "expression" else text
