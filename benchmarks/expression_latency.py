"""Latency of a Boolean query against the number of its atoms, at 10,000 points.

python -m benchmarks.expression_latency [--points 10000] [--atoms 8] [--queries 50]
"""

from __future__ import annotations

import argparse
import time
from random import Random

import numpy as np

from benchmarks.common.output import percentiles, publish
from benchmarks.common.timing import Stopwatch, film_passages
from logic_retrievers import Atom, Engine, Expression, Or, PassageIndex
from logic_retrievers.effects import ClientCall, Effect
from logic_retrievers.encoders import default_encoder
from logic_retrievers.queries import And


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--atoms", type=int, default=8)
    parser.add_argument("--queries", type=int, default=50)
    options = parser.parse_args()
    rows = []
    with PassageIndex.open("latency", default_encoder()) as index:
        films = film_passages(options.points)
        index.add(films)
        watch, engine = Stopwatch(index), Engine(index, "boolean")
        calls = _counted(index)
        random = Random(0)
        titles = [f"films like {film.id.replace('_', ' ')}" for film in films]
        for count in range(1, options.atoms + 1):
            seconds, watch.encoder, watch.qdrant = [], 0.0, 0.0
            calls.clear()
            for _ in range(options.queries):
                query = _expression([Atom(title) for title in random.sample(titles, count)])
                begun = time.perf_counter()
                engine.search(query, 10)
                seconds.append(time.perf_counter() - begun)
            rows.append(
                {
                    "atoms": count,
                    **percentiles(seconds),
                    "encoding, ms": round(1000 * watch.encoder / options.queries, 2),
                    "Qdrant, ms": round(1000 * watch.qdrant / options.queries, 2),
                    "requests": len(calls) / options.queries,
                }
            )
    p50 = [row["p50 ms"] for row in rows]
    growth = float(np.polyfit([row["atoms"] for row in rows], p50, 1)[0])
    publish(
        "expression latency",
        rows,
        points=options.points,
        linear=f"{growth:.2f} ms an atom, r2 {_fit([row['atoms'] for row in rows], p50):.3f}",
    )


def _expression(atoms: list[Atom]) -> Expression:
    """Half of the atoms joined by AND, the others by OR; the last of three or more is excluded."""
    *wanted, last = atoms
    if not wanted:
        return last
    if len(wanted) == 1:
        return wanted[0] & last
    middle = (len(wanted) + 1) // 2
    joined = And(tuple(wanted[:middle])) if middle > 1 else wanted[0]
    rest = wanted[middle:]
    return (joined | (Or(tuple(rest)) if len(rest) > 1 else rest[0])) & ~last


def _counted(index: PassageIndex) -> list[str]:
    """Counts all further calls of the client."""
    calls: list[str] = []
    handle = index.connection.handle

    def noted(effect: Effect) -> object:
        if isinstance(effect, ClientCall):
            calls.append(effect.method)
        return handle(effect)

    index.connection.handle = noted  # type: ignore[method-assign]
    return calls


def _fit(x: list[int], y: list[float]) -> float:
    """R squared of a linear fit."""
    return float(np.corrcoef(x, y)[0, 1] ** 2)


if __name__ == "__main__":
    main()
