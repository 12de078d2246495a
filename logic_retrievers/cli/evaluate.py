"""``logic-retrievers evaluate DIR``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cli.figures import figures_table, side_by_side, write_figures
from logic_retrievers.cli.options import Bundle, PolicyName, open_encoder
from logic_retrievers.cli.outcome import out, reports_errors, say
from logic_retrievers.cli.progress import progress
from logic_retrievers.documents import Splitter
from logic_retrievers.encoders import Encoder, QueryEncoder, read_query_encoder
from logic_retrievers.encoders.query_encoder import SUFFIX
from logic_retrievers.engine import Engine
from logic_retrievers.errors import ConfigurationError, LongTextWarning
from logic_retrievers.evaluation import Dataset, load_dataset
from logic_retrievers.evaluation import evaluate as measure
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import (
    AutoPolicy,
    Chooser,
    Policy,
    SequentialPolicy,
    UnionPolicy,
    resolve_policy,
)
from logic_retrievers.types import Hit, Passage

CHUNKS_A_DOCUMENT = 4
BASE = "base"
"""In place of a query encoder's file: the bundle's own query side."""


class LongTexts(StrEnum):
    """What happens to a document that is longer than the encoder reads."""

    CUT = "cut"
    SPLIT = "split"


@reports_errors
def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Holds corpus.jsonl[.gz], queries.jsonl and, for qrels, qrels.tsv."
        ),
    ],
    policy: PolicyName = "auto",
    split: Annotated[str, typer.Option(help="Which part: train, dev or test.")] = "test",
    depth: Annotated[int, typer.Option(help="Length of the lists.")] = 100,
    cut: Annotated[
        bool,
        typer.Option(help="Leave out what a policy's filter did not pass, as the paper does."),
    ] = False,
    long_texts: Annotated[
        LongTexts,
        typer.Option(
            help="Long documents: cut (as published figures do), or split (best chunk counts)."
        ),
    ] = LongTexts.CUT,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures here.")
    ] = None,
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="FILE", help="Write a TREC run here.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep vectors here for the next time.")
    ] = None,
    bundle: Bundle = None,
    query_encoder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|base",
            help="Reads the queries; base: the bundle's own. Given again: compared with the first.",
        ),
    ] = None,
) -> None:
    """Searches with labelled queries and prints the figures with 95 % intervals."""
    chosen = _policy(policy, cut=cut)
    sides = _query_encoders(query_encoder or [BASE])
    if run_file is not None and len(sides) > 1:
        raise ConfigurationError("--run writes one run: give one --query-encoder")
    dataset = load_dataset(folder, split)
    encoder = open_encoder(bundle, cache)
    with PassageIndex.open("evaluation", encoder) as index:
        for source in sides.values():
            _use(index, source)  # one that does not fit is refused before documents are encoded
        _fill(index, dataset, encoder, long_texts)
        engine = Engine(index, chosen)

        def ranked(texts: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
            wanted = k if long_texts is LongTexts.CUT else CHUNKS_A_DOCUMENT * k
            return [_by_document(hits)[:k] for hits in engine.search_many(texts, wanted)]

        results = {}
        for side, source in sides.items():
            _use(index, source)
            results[side] = measure(
                dataset, ranked, depth, policy=f"{policy}{'-cut' if cut else ''}"
            )
    first = next(iter(results.values()))
    if json_file is not None:
        write_figures(json_file, results)
    if run_file is not None:
        first.write_trec_run(run_file)
    out.print(figures_table(first) if len(results) == 1 else side_by_side(results))


def _query_encoders(given: Sequence[str]) -> dict[str, QueryEncoder | None]:
    """Short name -> query encoder, read before anything is encoded; None for the bundle's own."""
    short = [Path(one).name.removesuffix(SUFFIX) for one in given]
    names = short if len(set(short)) == len(given) else given
    found = {
        name: None if one == BASE else read_query_encoder(one)
        for name, one in zip(names, given, strict=True)
    }
    if len(found) < len(given):
        raise ConfigurationError("--query-encoder names one twice, so there is nothing to compare")
    return found


def _use(index: PassageIndex, source: QueryEncoder | None) -> None:
    """This query encoder alone, whatever was used before."""
    index.use_query_encoder(None)
    if source is not None:
        index.use_query_encoder(source)


def _policy(name: str, *, cut: bool) -> Policy | Chooser:
    policy = resolve_policy(name)
    if not cut:
        return policy
    if isinstance(policy, AutoPolicy):
        return replace(policy, mode="hard", cut=True)
    if not isinstance(policy, SequentialPolicy | UnionPolicy):
        raise ConfigurationError(f"policy {name!r} filters nothing, so there is nothing to cut")
    return replace(policy, cut=True)


def _fill(index: PassageIndex, dataset: Dataset, encoder: Encoder, long_texts: LongTexts) -> None:
    passages = [Passage(id, text) for id, text in dataset.documents.items()]  # noqa: A001
    splitter = Splitter.for_encoder(encoder)
    long = sum(len(encoder.token_spans(p.text)) > splitter.max_tokens for p in passages)
    if long_texts is LongTexts.SPLIT:
        passages = list(splitter.split(passages))
        say("documents", f"{len(dataset.documents)}, in {len(passages)} chunks")
    elif long:
        say("documents", f"{long} of {len(passages)} are longer than the encoder reads, and cut")
    with progress("documents", len(passages)) as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # it has been said
        index.add(passages, progress=advance)


def _by_document(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    """The best hit of every document."""
    best: dict[str, float] = {}
    for hit in hits:
        best.setdefault(hit.passage.source or hit.passage.id, hit.score)
    return list(best.items())
