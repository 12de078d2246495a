"""Indexes the example corpus and shows plain search beside `auto`, with the evidence.

Run it with `make demo`, or `python examples/demo.py [--policy union] [-k 3]`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from logic_retrievers import Engine, Hit, OnnxEncoder, PassageIndex, Splitter, read_documents
from logic_retrievers.cli.console import escape_unencodable, out, shorten

HERE = Path(__file__).parent
LOCATION = HERE.parent / ".demo" / "index"


def main() -> None:
    """Index, search, explain."""
    parser = argparse.ArgumentParser(description="Plain search beside `auto`, with the evidence.")
    parser.add_argument("--policy", default="auto", help="what stands beside plain search")
    parser.add_argument("-k", type=int, default=3)
    options = parser.parse_args()
    escape_unencodable()

    encoder = OnnxEncoder()
    name = "-".join(["demo", *(spec.fingerprint[:6] for spec in encoder.specs.values())])
    with PassageIndex.open(name, encoder, location=LOCATION) as index:  # a new one for new vectors
        begun = time.perf_counter()
        report = index.add(Splitter.for_encoder(encoder).split(read_documents(HERE / "corpus")))
        out.print_line(
            f"{report.added} passages added, {report.unchanged} were there already "
            f"({time.perf_counter() - begun:.1f} s). They stay in {LOCATION.parent.name}/."
        )
        lines = (HERE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        queries = [json.loads(line) for line in lines]
        violations = [show(query, Engine(index, options.policy), options.k) for query in queries]
    plain, chosen = map(sum, zip(*violations, strict=True))
    out.print_line(
        f"\nViolating passages in the first {options.k} of {len(queries)} queries: "
        f"plain search {plain}, {options.policy} {chosen}.\n",
        (
            "✓ satisfies the query, ✗ violates it, · is only about the same things (hand-made "
            "labels; the search does not see them).",
            "dim",
        ),
        soft_wrap=False,
    )


def show(query: dict[str, object], engine: Engine, k: int) -> tuple[int, int]:
    """One query under plain search and under the engine's policy; how many hits violate it."""
    text = str(query["text"])
    plain = engine.search(text, k, policy="topical")
    begun = time.perf_counter()
    chosen = engine.search(text, k)
    milliseconds = 1000 * (time.perf_counter() - begun)
    out.print_line("\n", (text, "bold"), (f" {milliseconds:.0f} ms", "dim"))
    if [hit.passage.id for hit in plain] != [hit.passage.id for hit in chosen]:
        out.print_line(("  plain search", "dim"))
        for hit in plain:
            print_hit(hit, query)
        out.print_line((f"  {chosen[0].evidence.policy}", "dim"))
    for hit in chosen:
        print_hit(hit, query)
        out.print_line((f"        {hit.evidence.reason}", "green"), soft_wrap=False)
    return sum(violates(hit, query) for hit in plain), sum(violates(hit, query) for hit in chosen)


def print_hit(hit: Hit, query: dict[str, object]) -> None:
    """The hit's label, rank and the beginning of its text."""
    text = shorten(hit.passage.text, 110)
    out.print_line("    ", mark(hit, query), f" {hit.rank}. {text}", soft_wrap=False)


def violates(hit: Hit, query: dict[str, object]) -> bool:
    """Whether the hand-made labels say so."""
    return hit.passage.id.split("#")[0] in query["violating"]  # type: ignore[operator]


def mark(hit: Hit, query: dict[str, object]) -> tuple[str, str]:
    """How the hit stands to the query, by the hand-made labels, and the style of this mark."""
    for label, sign in (("satisfying", ("✓", "green")), ("violating", ("✗", "red"))):
        if hit.passage.id.split("#")[0] in query[label]:  # type: ignore[operator]
            return sign
    return "·", "dim"


if __name__ == "__main__":
    main()
