"""Messages of the library in the words of a shell: an option for an argument, a command for a call.

The library's messages name what a Python caller would change; whoever typed a command changes an
option. Each line is a Python idiom that a message of the library may hold.
"""

from __future__ import annotations

import re

_IDIOMS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"(?<![\w.`])(?:index\.)?backfill\(\[['\"](\w+)['\"]\]\)",
            r"`logic-retrievers backfill \1` (with the same --collection and --location)",
        ),
        (
            r"Quarantine\(index, ledger\)\.verify\(accept_ledger=True\)",
            "`logic-retrievers quarantine verify --accept-ledger` (with the same --collection,"
            " --location and --ledger)",
        ),
        (r"\(ledger=\)", "(--ledger)"),
        (r", or pass create=True|, raise timeout=|, or open it with read_only=True", ""),
        (r"Index some passages first", "Index some passages first: `logic-retrievers index PATH`"),
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
        (r"Leave lexical= out", "Leave --language out"),
        (r"pass judge=, a callable \(see [\w.]+\), or leave it out", "leave --no-judge out"),
        (r"base='(\w+)'", r"--base \1"),
        (r"(?<!unknown )policy '(\w+)'", r"--policy \1"),
        (r"; or open this one with client=\S+ and copy it with copy_to\(\)", ""),
        (r" Say which is which with vector_names=\.", ""),
        (r"Use that encoder; or open with vectors= without", "Take it by --bundle; or, without"),
    )
)

_ARGUMENT = re.compile(r"(?<![\w.\"'`-])(tenant|location|threshold|date_key|source_key)=(?!\w)")
"""What is left of arguments that have an option of the same name."""


def in_shell_words(message: str) -> str:
    """The message with commands and options in place of calls and arguments."""
    for pattern, words in _IDIOMS:
        message = pattern.sub(words, message)
    return _ARGUMENT.sub(lambda match: f"--{match[1].replace('_', '-')}", message)
