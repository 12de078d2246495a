"""Pages of HTML from the templates of a package, which ask for nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.pages.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str, extra: str) -> Environment:
    """Templates in the folder ``templates`` of a package; what they show is escaped and visible.

    Args:
        package: by its import name.
        extra: of this distribution, that installs jinja2.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", extra) from error
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["visible"] = lambda value: visible(str(value))
    return made


@cache
def part(package: str, name: str) -> str:
    """A style or script beside the templates of a package."""
    return (files(package) / "templates" / name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """What a page's own policy lets run or style it: this text, and no other."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
