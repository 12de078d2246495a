"""Settings of the public classes: a wrong value is refused, any other is kept and works."""

from __future__ import annotations

import shutil
import traceback
from numbers import Real
from random import Random
from typing import Any

from logic_retrievers.errors import LogicRetrieversError

from .arguments import PLAUSIBLE, SECRET
from .constructors import OPEN, constructors
from .harness import Target, accepted, expect
from .values import hostile
from .workplace import inns, open_index

KEPT = ("count", "number", "text", "flag", "mode")
"""Kinds of values that an object has as they were given."""
USERS_CODE = ("documents", "queries", "ask", "token_spans", "resolution")
"""Arguments that are code of a user: what goes wrong in it is not the package's."""


class Settings(Target):
    """Every public class with settings, with one or two of them hostile."""

    name = "settings"
    share = 25

    def __init__(self) -> None:
        self._index = open_index()
        self._index.add(inns())
        self._entries = constructors(self._index)

    def generate(self, random: Random) -> tuple[str, dict[str, Any]]:
        """The name of a constructor, and its arguments."""
        name = random.choice(sorted(self._entries))
        kinds = self._entries[name].kinds
        chosen = random.sample(sorted(kinds), min(len(kinds), random.choice((1, 1, 2))))
        arguments = {}
        for argument in chosen:
            plausible = PLAUSIBLE[kinds[argument]]
            odd = not plausible or (random.random() < 0.3 and argument != "threads")
            value = hostile(random) if odd else random.choice(plausible)
            if argument not in USERS_CODE or not callable(value):
                arguments[argument] = value
        return name, arguments

    def run(self, value: tuple[str, dict[str, Any]]) -> None:
        """Constructs it, compares what it has with what it was given, and uses it."""
        name, arguments = value
        entry = self._entries[name]
        shutil.rmtree("folder", ignore_errors=True)
        try:
            made = entry.make(**{**entry.always, **arguments})
            entry.use(made)
        except LogicRetrieversError as error:
            printed = "".join(traceback.format_exception(error))
            expect(name != OPEN or SECRET not in printed, "an error shows the API key")
            raise
        with accepted(f"{name} works"):
            for argument, given in arguments.items():
                kind = entry.kinds[argument]
                expect(_is_of_kind(given, kind), f"{name}({argument}=) takes a wrong {kind}")
                kept = getattr(made, argument, given) if kind in KEPT and given else given
                expect(kept is given or kept == given, f"{name}.{argument} is another value")

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def _is_of_kind(value: Any, kind: str) -> bool:
    if value is None:
        return True
    if kind == "flag":
        return isinstance(value, bool)
    if kind in ("text", "keys"):
        return isinstance(value, str)
    if kind in ("count", "number"):
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        return bool(value == (value if kind == "number" else value // 1))  # NaN equals nothing
    if kind == "texts":
        return not isinstance(value, str) and all(isinstance(text, str) for text in value)
    return True
