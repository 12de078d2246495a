"""Rows of the constraint question, and their builders by the name that a recipe gives them.

The question reads a query alone: whether it rules something out, which words are excluded, and
which words its wanted part omits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

from pydantic import TypeAdapter, ValidationError

from logic_export.data.exclusion_queries import word_exclusion
from logic_export.data.files import first_of_each, write_json_lines
from logic_export.data.triplet_builders import find_data_file
from logic_export.judge.rows import Part, judge_format, read_clusters
from logic_retrievers.evaluation.rows import Row, json_rows, read_qrels

Span: TypeAlias = tuple[int, int]  # characters of the query: start, and end after the last one
Kind: TypeAlias = Literal["none", "exclusion", "negated_fact"]

KINDS: tuple[Kind, ...] = get_args(Kind)

# written for this project: see the README in this folder
_QUERIES = Path(__file__).parent / "marked_queries.jsonl.gz"
_HOTPOTQA = "hotpotqa_train1000_pairs/questions.jsonl.gz"
_FIELDS = ("brand", "site", "color", "author", "lang", "type", "tag", "city", "year", "genre")
_PUNCTUATION = ' ,.;:!?()"-'
# words like "unusual" are left out, since "university" and "under" begin alike
_NEGATION = re.compile(
    r"\b(?:not|cannot|no|never|none|nobody|nothing|nor|neither|without|lack\w*|except|non)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """A query and what it rules out: things (``exclusion``), or the negation of a fact."""

    query: str
    kind: Kind
    excluded: tuple[Span, ...] = ()  # words for the excluded thing; the wanted part omits them
    # further words that the wanted part omits, like "without"; None if unknown
    dropped: tuple[Span, ...] | None = ()


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Tell whether a span shares a character with one of the others."""
    return any(span[0] < end and span[1] > start for start, end in others)


def marked_clusters(
    part: Part = "train", files: Sequence[str] = ("clusters", "marked_clusters")
) -> list[ConstraintRow]:
    """Read the queries of clusters whose excluded words are marked.

    ``files`` are names of this project's files, or paths of JSON lines ``{domain, queries: [{q,
    kind, excluded, leaves}]}``. 15 % of the domains, by their hash, are ``dev``.
    """
    rows = []
    for row in read_clusters(part, files):
        try:
            rows += [_cluster_row(query) for query in row.fields["queries"]]
        except (KeyError, TypeError, ValueError) as error:
            raise row.error(
                "a cluster has a domain, and queries with q, kind and the words of q that are "
                f"excluded ({error!r})"
            ) from error
    return rows


def marked_queries(part: Part = "train", path: str | None = None) -> list[ConstraintRow]:
    """Read queries whose excluded words and wanted part are marked; every eighth is ``dev``.

    ``path`` is JSON lines ``{q, kind, excluded, wanted}``, where the kind is ``exclusion``,
    ``negated_fact`` or ``nothing``; None takes this project's queries.
    """
    rows = []
    for row in _rows_of_part(_QUERIES if path is None else Path(path), part):
        try:
            query, kind = row.text("q"), row.text("kind").replace("nothing", "none")
            dropped = _removed_words(query, row.text("wanted")) if kind == "exclusion" else ()
            excluded = tuple(_find_words(query, words, dropped) for words in row.fields["excluded"])
            rows.append(_checked_row(query, kind, excluded, dropped))
        except (KeyError, TypeError, ValueError) as error:
            raise row.error(
                "a row has q, kind (exclusion, negated_fact or nothing), the words of q that are "
                f"excluded, and wanted ({error!r})"
            ) from error
    return rows


def worded_exclusions(
    path: str = _HOTPOTQA, part: Part = "train", *, seed: int = 0
) -> list[ConstraintRow]:
    """Add exclusions of a neighbour's name to HotpotQA's questions; every eighth is ``dev``."""
    random = Random(seed)
    rows = []
    for row in _rows_of_part(Path(path), part):
        question, name = row.text("text"), row.text("hard_negative_title").rstrip(" .?!")
        if len(name) < 3 or name in question:
            continue
        query = word_exclusion(question, name, random)
        start = query.index(name)
        body = question.rstrip(" .?!")[1:]  # without the first letter, whose case may change
        left = query.index(body) - 1
        around = ((0, left), (left + 1 + len(body), len(query)))
        dropped = tuple(span for span in around if span[0] < span[1])
        rows.append(ConstraintRow(query, "exclusion", ((start, start + len(name)),), dropped))
    return rows


def operators(part: Part = "train", *, seed: int = 0) -> list[ConstraintRow]:
    """Rewrite this project's short exclusions as a search box's "-word", "-field:word", "NOT word".

    The queries are those of :func:`marked_clusters` and :func:`marked_queries` that exclude one or
    two single words.
    """
    random = Random(seed)
    rows = []
    for row in (*marked_clusters(part), *marked_queries(part)):
        words = [row.query[start:end] for start, end in row.excluded]
        short = len(row.query) < 70 and len(words) <= 2 and not any(" " in word for word in words)
        if not (short and row.dropped):
            continue
        gone = (*row.dropped, *row.excluded)
        kept = (" " if overlaps((i, i + 1), gone) else c for i, c in enumerate(row.query))
        query = wanted = " ".join("".join(kept).split()).strip(_PUNCTUATION)
        if len(wanted) < 5:
            continue
        form, excluded = random.random(), []
        for word in words:
            field = f" -{random.choice(_FIELDS)}:"
            query += " NOT " if form < 0.25 else field if form < 0.4 else " -"
            excluded.append((len(query), len(query) + len(word)))
            query += word
        rows.append(
            ConstraintRow(query, "exclusion", tuple(excluded), ((len(wanted), len(query)),))
        )
    return rows


def plain_queries(
    path: str = _HOTPOTQA, qrels: str | None = None, part: Part = "all"
) -> list[ConstraintRow]:
    """Read ordinary queries, which rule nothing out; every eighth is ``dev``.

    ``path`` is JSON lines with ``_id`` and ``text``. ``qrels`` is a file of judgements; only its
    queries are read. None reads all.
    """
    judged = qrels and {row.query for row in read_qrels(find_data_file(Path(qrels)))}
    return [
        ConstraintRow(row.text("text"), "none")
        for row in _rows_of_part(Path(path), part)
        if not judged or row.id() in judged
    ]


def nevir_queries(split: str = "train") -> list[ConstraintRow]:
    """Read NevIR's questions: ``negated_fact`` with a word of negation, else ``none``."""
    texts = [row.text("text") for row in _rows_of_part(Path("nevir", split, "queries.jsonl"))]
    return [
        ConstraintRow(text, "negated_fact" if _NEGATION.search(text) else "none") for text in texts
    ]


CONSTRAINT_BUILDERS: Mapping[str, Callable[..., list[ConstraintRow]]] = {
    builder.__name__: builder
    for builder in (
        marked_clusters,
        marked_queries,
        worded_exclusions,
        operators,
        plain_queries,
        nevir_queries,
    )
}


def write_constraint_rows(path: Path, rows: Iterable[ConstraintRow]) -> None:
    """Write JSON lines, see :func:`~logic_export.data.files.write_json_lines`."""
    write_json_lines(path, map(asdict, rows))


_ROW = TypeAdapter(ConstraintRow)


def read_constraint_rows(path: Path) -> list[ConstraintRow]:
    """Read rows; a malformed one is a :class:`ReadError`."""
    rows = []
    for row in json_rows(path):
        try:
            rows.append(_ROW.validate_python(row.fields))
        except ValidationError as error:
            raise row.error("a row needs query, kind, excluded and dropped") from error
    return rows


def _unique_queries(rows: Iterable[ConstraintRow]) -> list[ConstraintRow]:
    return first_of_each(rows, lambda row: row.query)


CONSTRAINT_ROWS = judge_format(
    CONSTRAINT_BUILDERS, _unique_queries, write_constraint_rows, read_constraint_rows
)


def _cluster_row(query: Mapping[str, Any]) -> ConstraintRow:
    text, leaves = query["q"], query.get("leaves")
    dropped = None if leaves is None else _spans(leaves)
    excluded = tuple(_find_words(text, words, dropped or ()) for words in query["excluded"])
    if excluded:
        return _checked_row(text, "exclusion", excluded, dropped)
    return _checked_row(text, "negated_fact" if query["kind"] == "negated_fact" else "none", (), ())


def _checked_row(
    query: str, kind: str, excluded: tuple[Span, ...], dropped: tuple[Span, ...] | None
) -> ConstraintRow:
    """Make a row from a file's values; raise ValueError if they do not fit together."""
    for name in KINDS:
        if name == kind and query.strip() and bool(excluded) == (kind == "exclusion"):
            return ConstraintRow(query, name, excluded, dropped)
    raise ValueError(f"{kind} {query!r}")


def _spans(pairs: Iterable[Sequence[int]]) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in pairs)


def _find_words(query: str, words: str, leaving: Iterable[Span]) -> Span:
    """Find the occurrence of ``words`` that is excluded; raise ValueError if there is none.

    Among several it prefers one that the wanted part omits, then a whole word, then the last.
    """

    def rank(span: Span) -> tuple[bool, bool, int]:
        start, end = span
        inside = query[start - 1 : start].isalnum() or query[end : end + 1].isalnum()
        return overlaps(span, leaving), not inside, start

    return max((match.span() for match in re.finditer(re.escape(words), query)), key=rank)


def _removed_words(query: str, wanted: str) -> tuple[Span, ...]:
    """Find the words of a query that its wanted part lacks."""
    spans = [match.span() for match in re.finditer(r"\S+", query)]
    words = [query[start:end].strip(_PUNCTUATION).lower() for start, end in spans]
    others = [word.strip(_PUNCTUATION).lower() for word in wanted.split()]
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    kept = {place for start, _, size in blocks for place in range(start, start + size)}
    return tuple(span for place, span in enumerate(spans) if place not in kept)


def _rows_of_part(path: Path, part: Part = "all") -> Iterator[Row]:
    """Read one part of JSON lines; every eighth line, from the first, is ``dev``."""
    for number, row in enumerate(json_rows(find_data_file(path))):
        if part in ("all", "train" if number % 8 else "dev"):
            yield row
