"""``logic-retrievers evaluate DIR``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_retrievers.cli.options import Bundle, PolicyName, open_encoder
from logic_retrievers.cli.outcome import out, reports_errors, say
from logic_retrievers.cli.progress import progress
from logic_retrievers.documents import Splitter
from logic_retrievers.encoders import Encoder
from logic_retrievers.engine import Engine
from logic_retrievers.errors import ConfigurationError, LongTextWarning
from logic_retrievers.evaluation import Dataset, Result, load_dataset
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
) -> None:
    """Searches with labelled queries and prints the figures with 95 % intervals."""
    chosen = _policy(policy, cut=cut)
    dataset = load_dataset(folder, split)
    encoder = open_encoder(bundle, cache)
    with PassageIndex.open("evaluation", encoder) as index:
        _fill(index, dataset, encoder, long_texts)
        engine = Engine(index, chosen)

        def ranked(texts: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
            wanted = k if long_texts is LongTexts.CUT else CHUNKS_A_DOCUMENT * k
            return [_by_document(hits)[:k] for hits in engine.search_many(texts, wanted)]

        result = measure(dataset, ranked, depth, policy=f"{policy}{'-cut' if cut else ''}")
    if json_file is not None:
        result.write_json(json_file)
    if run_file is not None:
        result.write_trec_run(run_file)
    out.print(_table(result))


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


def _table(result: Result) -> Table:
    table = Table(
        title=f"{result.dataset}, {result.policy}: {result.queries} queries, "
        f"{result.documents} documents",
        title_justify="left",
    )
    table.add_column("metric")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name, estimate in result.estimates.items():
        table.add_row(name, f"{estimate.mean:.4f}", f"{estimate.low:.4f} to {estimate.high:.4f}")
    if result.short_lists:
        table.caption = f"{result.short_lists} lists are shorter than they could be"
    return table
