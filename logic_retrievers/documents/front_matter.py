"""Front matter of Markdown (YAML between two lines of three dashes), and numbers without a type."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from logic_retrievers.errors import InputError
from logic_retrievers.validation import MAX_DEPTH

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
"""``007``, ``+47`` and numbers that a float cannot hold are texts: their digits are what counts."""
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_KEY = re.compile(r"\s*[\w.-]+:\s")
_TEXT_WITH_COLON = re.compile(r"^([\w.-]+):[ \t]+([^\s\[{\"'|>&*!#].*:[ \t].*)$", re.M)
LONGEST_FRONT_MATTER = 2**14
"""Characters; PyYAML reads some 50,000 a second."""


def read_number(text: str) -> int | float | str:
    """The number that a text is, or the text."""
    if _NUMBER.fullmatch(text) is None:
        return text
    return float(text) if "." in text else int(text)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter and the rest.

    Numbers, ``true`` and ``false`` are such values; ``no``, ``007``, dates and everything else are
    texts, and a key without a value is left out. A text with a colon need not be quoted. What is no
    mapping, is malformed, nested too deeply, or refers to itself (anchors) stays in the
    text, so that nothing is lost.

    Raises:
        InputError: it is longer than ``LONGEST_FRONT_MATTER``.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    source = match[1] or ""
    if len(source) > LONGEST_FRONT_MATTER:
        if _KEY.match(source) is None:
            return {}, text  # prose between two rules
        raise InputError(
            f"front matter of more than {LONGEST_FRONT_MATTER:,} characters; shorten it, or put an "
            "empty line before it, which makes it text"
        )
    for candidate in (source, _TEXT_WITH_COLON.sub(_quoted, source)):
        try:
            values = yaml.load(candidate, _Loader)  # a SafeLoader
            json.dumps(values)  # an explicit tag can make a set, bytes or a date
        except (yaml.YAMLError, ValueError, TypeError, RecursionError):
            continue
        if values is None:
            return {}, text[match.end() :]
        if isinstance(values, dict) and all(isinstance(key, str) for key in values):
            present = {key: value for key, value in values.items() if value is not None}
            return present, text[match.end() :]
    return {}, text


def _quoted(match: re.Match[str]) -> str:
    return f"{match[1]}: {json.dumps(match[2].rstrip(), ensure_ascii=False)}"


class _Loader(yaml.SafeLoader):
    """Texts, JSON's numbers and ``true`` or ``false``; no aliases, which can grow without bound."""

    _depth = 0
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        self._depth += 1  # PyYAML takes a time that grows with the square of the levels
        if self._depth > MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_number(self, node: yaml.ScalarNode) -> int | float | str:
        return read_number(node.value)  # "1:30" is no number of sixties, "010" no octal one


for _tag, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("float", _NUMBER.pattern, [*"-0123456789"]),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_number)
