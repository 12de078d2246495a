"""What the demo shows, as data: lists of passages with a mark, and a sentence about them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logic_retrievers import (
    ContradictionFilter,
    Encoder,
    Engine,
    Expression,
    Hit,
    PassageIndex,
    Splitter,
    read_documents,
)
from logic_retrievers.conflicts import CorpusCleaner

SATISFIES, VIOLATES, NEITHER = "✓", "✗", "·"
_ALL = 1000
"""More than the corpus has: a passage that left the first hits is somewhere."""


@dataclass(frozen=True, slots=True)
class Row:
    """One passage: its mark by hand-made labels, its text, and a remark on it."""

    mark: str
    text: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of passages under a title."""

    title: str
    rows: tuple[Row, ...]

    @property
    def violating(self) -> int:
        """How many of its passages are marked as violating."""
        return sum(row.mark == VIOLATES for row in self.rows)


@dataclass(frozen=True, slots=True)
class Scene:
    """Two or three listings of one query or corpus, and the reason in a sentence."""

    title: str
    query: str
    listings: tuple[Listing, ...]
    reason: str


def build_scenes(folder: Path, encoder: Encoder, location: Path, k: int = 3) -> list[Scene]:
    """All scenes over the texts in ``folder``; the index of the corpus stays at ``location``."""
    searches = json.loads((folder / "scenes" / "searches.json").read_text("utf-8"))
    notices = list(read_documents(folder / "scenes" / "notices.jsonl", on_error="raise"))
    name = "-".join(["demo", *(spec.fingerprint[:6] for spec in encoder.specs.values())])
    with PassageIndex.open(name, encoder, location=location) as index:  # a new one for new vectors
        chunks = Splitter.for_encoder(encoder).split(read_documents(folder / "corpus"))
        index.add(chunks, replace_sources=True)
        engine = Engine(index)
        *wins, loss = [search_scene(engine, search, k) for search in searches]
    vectors = ("topical", "compatibility", "contradiction")
    with PassageIndex.open("notices", encoder, vectors=vectors) as index:
        index.add(notices)
        scenes = [contradiction_scene(index, "may I bring my dog to the office?", k)]
        scenes.append(cleaning_scene(index))
    return [*wins, *scenes, loss]


def search_scene(engine: Engine, search: dict[str, Any], k: int) -> Scene:
    """Plain search and ours; where ours loses, also the query that the advice gives."""
    text = search["query"]
    query = Expression.parse(text) if " AND " in text else text
    plain = engine.search(text.replace('"', ""), k, policy="topical")
    ours = engine.search(query, k)
    everything = engine.search(query, _ALL)
    listings = [
        listing("plain search", plain, search),
        listing("logic-retrievers", ours, search),
    ]
    if search["advice"]:
        better = engine.search(search["advice"], k)
        listings.append(
            listing(f"what to do: say what is wanted: {search['advice']}", better, search)
        )
    return Scene(search["title"], text, tuple(listings), _moved(plain, everything, search))


def contradiction_scene(index: PassageIndex, query: str, k: int) -> Scene:
    """What a prompt would hold, and what is left when the newer of two that conflict stays."""
    hits = Engine(index).search(query, k)
    kept = ContradictionFilter(index=index, resolution="prefer_newest").filter(
        [hit.passage for hit in hits]
    )
    dropped = {one.passage.id: one.evidence.reason for one in kept.dropped}
    before = Listing("a prompt from plain search", _rows(hits, dropped))
    after = Listing("with the contradiction filter", _rows(kept.hits, ()))
    return Scene(
        "A contradiction, kept out of a prompt", query, (before, after), "; ".join(dropped.values())
    )


def cleaning_scene(index: PassageIndex) -> Scene:
    """A corpus cleaned by date, and one passage given back."""
    cleaner = CorpusCleaner(index, resolution="prefer_newest")
    found = cleaner.clean()
    hidden = {one: by.reason for by in found.decisions for one in by.quarantined}
    rows = [Row(VIOLATES, found.passages[name].text, why) for name, why in hidden.items()]
    first = next(iter(hidden))
    cleaner.quarantine.restore([first])
    again = Engine(index).search(found.passages[first].text, 1, policy="topical")
    return Scene(
        "A corpus cleaned, and a passage restored",
        f"{found.examined} notices, {found.compared} pairs compared",
        (
            Listing("hidden from every search, not deleted", tuple(rows)),
            Listing(f"{first} restored: a search finds it again", _rows(again, ())),
        ),
        f"{first}: {hidden[first]}",
    )


def listing(title: str, hits: Sequence[Hit], search: dict[str, Any]) -> Listing:
    """Hits with their marks; a chunk counts as its document."""
    return Listing(
        title,
        tuple(Row(_mark(hit.passage.id, search), hit.passage.text) for hit in hits),
    )


def _mark(name: str, search: dict[str, Any]) -> str:
    document = name.split("#")[0]
    marks = {SATISFIES: search["satisfying"], VIOLATES: search["violating"]}
    return next((mark for mark, ids in marks.items() if document in ids), NEITHER)


def _rows(hits: Iterable[Hit], violating: Collection[str]) -> tuple[Row, ...]:
    return tuple(
        Row(VIOLATES if hit.passage.id in violating else SATISFIES, hit.passage.text)
        for hit in hits
    )


def _moved(plain: Sequence[Hit], ours: Sequence[Hit], search: dict[str, Any]) -> str:
    """The rank of one passage before and now, and why: of a violating one, or one that fell."""
    before = {hit.passage.id: hit.rank for hit in plain}
    now = {hit.passage.id: hit for hit in ours}
    fell = [
        hit.passage.id
        for mark in (VIOLATES, SATISFIES)
        for hit in plain
        if _mark(hit.passage.id, search) == mark and now[hit.passage.id].rank > hit.rank
    ]
    name = fell[0] if fell else ours[0].passage.id
    rank = before.get(name, f"over {len(plain)}")
    return f"{name}, rank {rank} -> {now[name].rank}: {now[name].evidence.reason}"
