"""Messages of the library in the words of a shell: an option for an argument, a command for a call.

The library's messages name what a Python caller would change; whoever typed a command changes an
option. Each line is a Python idiom that a message of the library may hold.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any

_SAME, _WHOLE, _LEDGER = "\0same\0", "\0whole\0", "\0ledger\0"
_SECOND, _ANOTHER = "\0second\0", "\0another\0"
"""Places in a message for what the command was called with; no argument has a null character."""

_IDIOMS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"(?<![\w.`])(?:index\.)?backfill\(\[['\"](\w+)['\"]\]\)",
            r"`logic-retrievers backfill \1" + _SAME + "`",
        ),
        (
            r"Quarantine\(index, ledger\)\.verify\(accept_ledger=True\)",
            "`logic-retrievers quarantine verify --accept-ledger" + _LEDGER + _SAME + "`",
        ),
        (r"\(ledger=\)", "(--ledger)"),
        (r", or pass create=True|, raise timeout=|, or open it with read_only=True", ""),
        (
            r"Index some passages first",
            f"Index some passages first: `logic-retrievers index PATH{_SAME}`",
        ),
        (r"Pass either tenant= or all_tenants=True", "Take either --tenant or --all-tenants"),
        (r"all_tenants=True", "--all-tenants"),
        (r"Pass a key as api_key=|Pass api_key=", "Give it by --api-key or QDRANT_API_KEY"),
        (r"hard=True", "--hard"),
        (r"exclude=\[['\"](.*?)['\"](?:, ['\"].*['\"])?\]", r"--exclude '\1'"),
        (r"collection_options: ", "--collection-options: "),
        (
            r"Change it with QdrantClient\.update_collection, or leave it out",
            "Change it in Qdrant (PATCH /collections/NAME), or leave it out",
        ),
        (r"index into another \(PassageIndex\.copy_to\)", "index into another by --collection"),
        (r"judge=None", "--no-judge"),
        (
            r"stemmed as ('\w+'), not as '(\w+)'\. Leave lexical= out",
            r"stemmed as \1, not as '\2'. Leave --language out, or make a second collection:"
            r" `logic-retrievers reindex " + _SECOND + r" --language \2" + _WHOLE + "`",
        ),
        (r"pass judge=, a callable \(see [\w.]+\), or leave it out", "leave --no-judge out"),
        (r"base='(\w+)'", r"--base \1"),
        (r"(?<!unknown )policy '(\w+)'", r"--policy \1"),
        (r"; or open this one with client=\S+ and copy it with copy_to\(\)", ""),
        (r" Say which is which with vector_names=\.", ""),
        (
            r"Use the encoder that made it; or open the collection with that one, and make a second"
            r" collection with this one by reindex\(\)\.( Or, for one better head, .*)?",
            _ANOTHER,
        ),
    )
)

_DEFAULTS = {"location": ".logic-retrievers", "collection": "passages"}

_ARGUMENT = re.compile(r"(?<![\w.\"'`-])(tenant|location|threshold|date_key|source_key)=(?!\w)")
"""What is left of arguments that have an option of the same name."""


def in_shell_words(message: str, called_with: Mapping[str, Any] | None = None) -> str:
    """The message with commands and options in place of calls and arguments.

    Args:
        message: of the library.
        called_with: arguments of the command that it ends; those that say where the collection is
            are repeated in the commands of the message.
    """
    for pattern, words in _IDIOMS:
        message = pattern.sub(words, message)
    for place, text in _places(called_with or {}).items():
        message = message.replace(place, text)
    return _ARGUMENT.sub(lambda match: f"--{match[1].replace('_', '-')}", message)


def _places(called_with: Mapping[str, Any]) -> dict[str, str]:
    """Values for the placeholders of a message."""

    def options(*names: str) -> str:
        given = {name: called_with.get(name) for name in names}
        flags = [f" --{n.replace('_', '-')}" for n, value in given.items() if value is True]
        return "".join(flags) + "".join(
            f" --{name} {shlex.quote(str(value))}"
            for name, value in given.items()
            if value not in (None, True, False, _DEFAULTS.get(name))
        )

    bundle, key = called_with.get("bundle"), called_with.get("api_key")
    where = options("location", "collection")
    if key is not None and key != os.environ.get("QDRANT_API_KEY"):
        where += " --api-key ..."
    second = shlex.quote(f"{called_with.get('collection') or 'passages'}-2")
    whole = where + " --all-tenants" * bool(options("tenant", "all_tenants"))
    another = "Name the bundle that made it by --bundle"
    if bundle is not None:
        another = (
            "Name the bundle that made it by --bundle, or leave that out for the shipped one; or"
            f" make a second collection with this one: `logic-retrievers reindex {second}"
            f" --new-bundle {shlex.quote(str(bundle))}{whole}` (with --bundle, where another than"
            " the shipped one made the first), and name that by --collection"
        )
    return {
        _SAME: where + options("bundle", "tenant", "all_tenants"),
        _WHOLE: whole + options("bundle"),
        _LEDGER: options("ledger"),
        _SECOND: second,
        _ANOTHER: f"{another}.",
    }
