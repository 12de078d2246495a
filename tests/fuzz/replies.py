"""Replies of a server that are not what Qdrant says: an error of the package, or a result."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from random import Random
from typing import Any

from doubles import WireDouble
from doubles.operations import Call
from doubles.replies import StrangeReply
from pydantic_core import to_json

from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

from .harness import Target, accepted
from .workplace import VECTORS, inns, small_encoder

VALUES = (
    *(None, True, 0, -1, 1.5, 1e308, 10**30, float("nan"), "", "x", "\ud800", "2024", [], {}),
    *([[]], [None], ["x"], [1, 2], [{"id": 1}], {"a": 1}, {"logic": 5}, {"points": []}),
)
CALLS: dict[str, Callable[[PassageIndex], Any]] = {
    "open": lambda index: None,
    "count": lambda index: index.count(),
    "get": lambda index: index.get(["inn-1", "inn-2"]),
    "scroll": lambda index: list(index.scroll()),
    "search": lambda index: _search(index, "topical"),
    "exclude": lambda index: _search(index, "auto"),
    "hybrid": lambda index: _search(index, "hybrid"),
    "add": lambda index: index.add([Passage("inn-0", "changed"), Passage("new", "new")]),
    "delete": lambda index: index.delete(["inn-3"]),
    "source": lambda index: index.delete(source="guide-1"),
    "backfill": lambda index: index.backfill(["topical"]),
    "hide": lambda index: index.run(index.hide(["inn-2"])),
    "unhide": lambda index: index.run(index.unhide(["inn-2"])),
    "vectors": lambda index: index.run(index.fetch_vectors(["topical"], [point_id("inn-1", None)])),
    "fingerprints": lambda index: index.run(index.fingerprints(["inn-2"])),
    "quarantined": lambda index: index.run(index.quarantined_page()),
}

WRITING = ("add", "delete", "source", "backfill", "hide", "unhide")


class _ChangingDouble(WireDouble):
    """Keeps what it answers, and answers one request with something else."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: dict[str, bytes] = {}
        self.changed: tuple[str, bytes] | None = None

    def answer(self, protocol: str, call: Call, parse: Callable[[], Any], api_key: Any) -> Any:
        """The answer of the double, unless it is the one to change; the work is done before."""
        result = super().answer(protocol, call, parse, api_key)
        if self.changed and self.changed[0] == call.endpoint:
            _, body = self.changed
            self.changed = None
            raise StrangeReply(body)
        envelope = {"result": result, "status": "ok", "time": 0.0}
        self.replies[call.endpoint] = to_json(envelope, by_alias=True, exclude_none=True)
        return result


@dataclass(frozen=True, slots=True)
class Reply:
    """A call, and what one endpoint answers it."""

    call: str
    endpoint: str
    body: str


class Replies(Target):
    """Every request of an index over REST, with one reply changed."""

    name = "replies"
    share = 6

    def __init__(self) -> None:
        self._double = _ChangingDouble()
        self._double.__enter__()
        self._endpoints: dict[str, list[str]] = {}
        for name, call in CALLS.items():
            self._restore()
            self._double.requests.clear()
            with closing(self._open()) as index:
                call(index)
            self._endpoints[name] = sorted({endpoint for _, endpoint in self._double.requests})
        self._restore()
        replies = sorted(self._double.replies.items())
        self._bodies = {endpoint: json.loads(reply) for endpoint, reply in replies}

    def _open(self) -> PassageIndex:
        return PassageIndex.open(
            *("fuzz", small_encoder()),
            **{"location": self._double.url, "vectors": VECTORS, "retries": 0, "timeout": 2},
        )

    def generate(self, random: Random) -> Reply:
        """A call, and a changed reply to one of the requests that it makes."""
        call = random.choice(list(CALLS))
        endpoint = random.choice(self._endpoints[call])
        body = _changed(random, deepcopy(self._bodies[endpoint]))
        return Reply(call, endpoint, json.dumps(body))

    def run(self, value: Reply) -> None:
        """Opens the index and makes the call; then nothing is left of what it wrote."""
        self._double.changed = (value.endpoint, value.body.encode())
        try:
            with closing(self._open()) as index:
                CALLS[value.call](index)
        finally:
            self._double.changed = None
            if value.call in WRITING:
                self._restore()

    def _restore(self) -> None:
        with closing(self._open()) as index:
            index.add(inns())
            hidden = [passage.id for passage in index.scroll() if passage.quarantined]
            if hidden:
                index.run(index.unhide(hidden))
            index.delete(["new"])

    def close(self) -> None:
        """Ends the server."""
        self._double.__exit__(None, None, None)


def _search(index: PassageIndex, policy: str) -> None:
    hits = Engine(index, policy, judge=None).search("quiet inns without a river", 3)
    with accepted("found"):
        json.dumps([hit.to_dict() for hit in hits], allow_nan=False)


def _changed(random: Random, body: Any) -> Any:
    """The body with up to three of its values changed, dropped or put in."""
    box = {"body": body}  # the whole of it is a value, too
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if changes := _changes(box):
            random.choice(changes)(deepcopy(random.choice(VALUES)))
    return box.get("body")


def _changes(container: Any) -> list[Callable[[Any], Any]]:
    """All that can be done with one value to a container and to those inside it."""
    places = list(container) if isinstance(container, dict) else range(len(container))
    changes: list[Callable[[Any], Any]] = []
    for place in places:
        changes.append(lambda value, place=place: container.__setitem__(place, value))
        if isinstance(container, dict):
            changes.append(lambda _, place=place: container.pop(place))
        if isinstance(container[place], dict | list):
            changes += _changes(container[place])
    if isinstance(container, list):
        changes += [container.append, lambda _: container.clear()]
    return changes
