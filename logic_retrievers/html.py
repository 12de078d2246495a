"""Safe output for reports: CSV cells that run nothing, HTML templates, content policies."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.text import show_hidden

if TYPE_CHECKING:
    from jinja2 import Environment

_FORMULA = re.compile(
    r"""^(?=[\t\n])|(?:^|(?<=[;\t\n]))(?=(?:[^\S\t\n]|["'])*[=+\-@＝＋－＠﹦﹢﹣﹫])"""  # noqa: RUF001
)
"""Where a spreadsheet may begin to read a formula: at the start of a cell, and behind what may
start another one, as a semicolon does in Excel of many countries (OWASP: CSV Injection)."""

LONGEST_CELL = 32_000
"""Characters of a cell: Excel takes 32,767, and moves the rest into other cells. Files for programs
have the whole text."""


def csv_cell(value: Any) -> Any:
    """The value as a CSV cell that no spreadsheet runs as a formula and every one can hold."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    shown = show_hidden(text)
    if len(shown) > LONGEST_CELL:
        shown = f"{shown[:LONGEST_CELL]} [{len(shown) - LONGEST_CELL} more characters]"
    return _FORMULA.sub("'", shown)


def template_environment(package: str, extra: str) -> Environment:
    """A jinja2 environment for the folder ``templates`` of a package; output is HTML-escaped.

    Its filter ``visible`` is :func:`~logic_retrievers.text.show_hidden`.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", extra) from error
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["visible"] = lambda value: show_hidden(str(value))
    return environment


@cache
def read_asset(package: str, name: str) -> str:
    """A style sheet or script from the folder ``templates`` of a package."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """The hash with which a page's content security policy allows this style or script alone."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
