"""What a search of a server costs in the client's process, by parts.

python -m benchmarks.client_cost [--queries 60] [--rounds 3] [--location URL --grpc-port PORT]

Users' queries over their own passages (dev part), with words and without a judge: those that
exclude a thing, and those without a constraint. Without --location the server is the tests' wire
double in a process of its own, which has searched before: "wire" says nothing of Qdrant's speed.
With --location a collection `bench-client-cost` is made there and deleted again.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.common.output import cached_encoder, percentiles, publish
from benchmarks.user_queries import USERS
from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.effects import ClientCall, Effect
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.queries import RuleParser

COLLECTION = "bench-client-cost"
K = 10


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--location")
    parser.add_argument("--grpc-port", type=int, default=6334)
    options = parser.parse_args()
    warnings.simplefilter("ignore", LongTextWarning)
    dataset = load_dataset(USERS, "dev")
    parsed = [RuleParser().parse(query.text) for query in dataset.queries]
    excluding = [q.text for q in parsed if q.kind == "exclusion" and q.reading == "thing"]
    plain = [q.text for q in parsed if q.kind == "none"]
    rows = []
    with ExitStack() as stack:
        location, port = options.location, options.grpc_port
        if location is None:
            location, port = stack.enter_context(_wire_double())
        places: dict[str, dict[str, Any]] = {
            "REST": {"location": location},
            "gRPC": {"location": location, "prefer_grpc": True, "grpc_port": port},
            "embedded": {},
        }
        for protocol, place in places.items():
            with PassageIndex.open(COLLECTION, cached_encoder(), lexical=True, **place) as filled:
                filled.add(Passage(name, text) for name, text in dataset.documents.items())
                index = PassageIndex.open(COLLECTION, default_encoder(), client=filled.client)
                parts = _Parts(index)
                engine = Engine(index, judge=None)
                for kind, texts in (("plain", plain), ("excluding", excluding)):
                    for collects in (True, False):
                        queries = texts[: options.queries] * options.rounds
                        measured = _measure(engine, parts, queries, collects=collects)
                        rows.append(
                            {
                                "protocol": protocol,
                                "queries": kind,
                                "n": len(queries),
                                "garbage collector": "on" if collects else "off",
                                **measured,
                            }
                        )
                if protocol == "gRPC":
                    filled.client.delete_collection(COLLECTION)  # type: ignore[union-attr]
    publish("client cost", rows, passages=len(dataset.documents), k=K)


class _Parts:
    """Seconds of one search: in the encoder, and in the client before, on and behind the wire.

    Args:
        index: whose encoder and client are timed.
    """

    def __init__(self, index: PassageIndex) -> None:
        self.clear()
        encoder, connection = index.encoder, index.connection
        encoder.encode_queries = self._timed("encoder", encoder.encode_queries)  # type: ignore[method-assign]
        self._perform = connection.handle
        connection.handle = self._handle  # type: ignore[method-assign]
        if connection.embedded:
            return
        httpx.Client.send = self._timed("wire", _SEND)  # type: ignore[method-assign]
        turns = [connection.client.grpc_points for _ in range(10)]  # type: ignore[union-attr]
        for stub in {id(stub): stub for stub in turns}.values():  # those of a pool of channels
            for method in ("QueryBatch", "Get"):
                setattr(stub, method, self._timed("wire", getattr(stub, method)))

    def clear(self) -> None:
        """Before a search."""
        self.encoder = self.wire = self.building = self.reading = 0.0
        self._wire_ended: float | None = None

    def _handle(self, effect: Effect) -> Any:
        if not isinstance(effect, ClientCall):
            return self._perform(effect)
        self._begun, self._wire_ended = time.perf_counter(), None
        result = self._perform(effect)
        ended = time.perf_counter()
        if self._wire_ended is None:  # embedded: no wire
            self.wire += ended - self._begun
        else:
            self.reading += ended - self._wire_ended
        return result

    def _timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            begun = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                ended = time.perf_counter()
                setattr(self, part, getattr(self, part) + ended - begun)
                if part == "wire":
                    self.building += begun - self._begun
                    self._wire_ended = ended

        return timed


_SEND = httpx.Client.send


def _measure(
    engine: Engine, parts: _Parts, queries: Sequence[str], *, collects: bool
) -> dict[str, float]:
    """Percentiles of searches, with and without encoding; means of the parts; milliseconds."""
    for query in dict.fromkeys(queries):  # the wire double answers at once from here on
        engine.search(query, K)
    gc.collect()
    if not collects:
        gc.disable()
    searches = []
    try:
        for query in queries:
            parts.clear()
            cpu, begun = time.process_time(), time.perf_counter()
            engine.search(query, K)
            total, cpu = time.perf_counter() - begun, time.process_time() - cpu
            searches.append((total, cpu, parts.encoder, parts.building, parts.wire, parts.reading))
    finally:
        gc.enable()
    totals, cpus, encoder, building, wire, reading = np.array(searches).T
    means = {
        "encoding": encoder,
        "this package": totals - encoder - building - wire - reading,
        "client, building": building,
        "wire": wire,
        "client, reading": reading,
    }
    return {
        **percentiles(totals.tolist()),
        **percentiles((totals - encoder).tolist(), "without encoding, "),
        "CPU ms": round(1000 * float(np.median(cpus)), 2),
        **{f"{name} ms": round(1000 * float(each.mean()), 2) for name, each in means.items()},
    }


@contextmanager
def _wire_double() -> Iterator[tuple[str, int]]:
    """Address and gRPC port of the tests' server, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def _serve(pipe: Connection) -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from fault_injection import Store, WireDouble  # type: ignore[import-not-found]

    warnings.simplefilter("ignore")
    really, answers = Store.run, {}

    def run(store: Any, call: Any) -> Any:
        """A batch of searches that was answered before gets the same answer: it costs no time."""
        if call.endpoint != "points/query/batch":
            return really(store, call)
        key = call.collection, call.body.model_dump_json()
        if key not in answers:
            answers[key] = really(store, call)
        return answers[key]

    Store.run = run
    with WireDouble() as double:
        pipe.send((double.url, double.grpc_port))
        pipe.recv()


if __name__ == "__main__":
    main()
