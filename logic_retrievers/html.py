"""Safe output for reports: hidden characters shown, CSV cells that run nothing, HTML templates."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from logic_retrievers.errors import MissingExtraError

if TYPE_CHECKING:
    from jinja2 import Environment

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, except tab and line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions of writing
    "\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, or no glyph
    "\ud800-\udfff\ufffe\uffff"  # no characters: half a pair cannot even be stored as UTF-8
    "\U000e0000-\U000e007f"  # tags: can hold a message for a model that no reader sees
    "]"
)
"""Characters that cannot be seen or that reverse a line. The two joiners are not among them: many
scripts, and emoji, are written with them."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters of a cell that a spreadsheet may run as a formula."""

LONGEST_CELL = 32_000
"""Characters of a cell: Excel takes 32,767, and moves the rest into other cells. Files for programs
have the whole text."""


def show_hidden(text: str) -> str:
    """The text with hidden characters as ⟦U+202E⟧, and all line ends as a line feed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def escape_hidden(line: str) -> str:
    """A line of JSON with hidden characters escaped: the same values, and safe on a terminal."""
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], line)


def csv_cell(value: Any) -> Any:
    """The value as a CSV cell that no spreadsheet runs as a formula and every one can hold."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    shown = show_hidden(text)
    if len(shown) > LONGEST_CELL:
        shown = f"{shown[:LONGEST_CELL]} [{len(shown) - LONGEST_CELL} more characters]"
    return f"'{shown}" if text.startswith(FORMULA_STARTS) else shown


def template_environment(package: str, extra: str) -> Environment:
    """A jinja2 environment for the folder ``templates`` of a package; output is HTML-escaped.

    Its filter ``visible`` is :func:`show_hidden`.

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
