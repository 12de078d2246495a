"""``logic-retrievers evaluate DIR``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from logic_retrievers.cli.console import (
    AsJson,
    out,
    print_json,
    print_status,
    progress_bar,
    report_errors,
)
from logic_retrievers.cli.options import (
    BaseName,
    Bundle,
    CacheFile,
    UseJudge,
    open_encoder,
    open_policy,
)
from logic_retrievers.errors import ConfigurationError, LongTextWarning
from logic_retrievers.policies.registry import POLICIES
from logic_retrievers.types import Hit, Passage

if TYPE_CHECKING:
    from logic_retrievers.encoders import Encoder, QueryEncoder
    from logic_retrievers.evaluation import Dataset, Estimate, EvaluationResult
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.policies import Policy, PolicyRouter

CHUNKS_PER_DOCUMENT = 4
"""Times k: how many chunks are searched for, for k documents."""
BASE = "base"
"""In place of a query encoder's file: the bundle's own query side."""


class LongTexts(StrEnum):
    """What happens to a document that is longer than the encoder reads."""

    CUT = "cut"
    SPLIT = "split"


@report_errors
def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Holds corpus.jsonl[.gz], queries.jsonl and, for qrels, qrels.tsv."
        ),
    ],
    policies: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            help=f"One of {', '.join(POLICIES)}. Given again: compared with the first.",
            show_default="auto",
        ),
    ] = None,
    base: BaseName = "topical",
    split: Annotated[str, typer.Option(help="Which part: train, dev or test.")] = "test",
    depth: Annotated[int, typer.Option(help="Length of the lists.")] = 100,
    backfill: Annotated[
        bool,
        typer.Option(
            help="Put what a policy's filter did not pass behind the rest, or leave it out."
        ),
    ] = True,
    long_texts: Annotated[
        LongTexts,
        typer.Option(
            help="Long documents: cut (as published figures do), or split (best chunk counts)."
        ),
    ] = LongTexts.CUT,
    as_json: AsJson = False,
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="FILE", help="Write a TREC run here.")
    ] = None,
    per_query: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every query's figures here, as CSV."),
    ] = None,
    cache: CacheFile = None,
    judge: UseJudge = True,
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
    from logic_retrievers.evaluation import evaluate as run_evaluation
    from logic_retrievers.evaluation import load_dataset
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.search import Engine

    resolved = {
        name: _with_backfill(open_policy(name, base), backfill=backfill)
        for name in policies or ["auto"]
    }
    query_encoders = _read_query_encoders(query_encoder or [BASE])
    if len(resolved) > 1 and len(query_encoders) > 1:
        raise ConfigurationError("compare several --policy, or several --query-encoder, not both")
    if (run_file or per_query) and len(resolved) + len(query_encoders) > 2:
        raise ConfigurationError(
            "--run and --per-query write one run: give one --policy and one --query-encoder"
        )
    dataset = load_dataset(folder, split)
    encoder = open_encoder(bundle, cache)
    with PassageIndex.open("evaluation", encoder) as index:
        for source in query_encoders.values():
            # one that does not fit is refused before documents are encoded
            _set_query_encoder(index, source)
        _add_documents(index, dataset, encoder, long_texts)

        def search(engine: Engine, texts: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
            hits_per_query = k if long_texts is LongTexts.CUT else CHUNKS_PER_DOCUMENT * k
            return [
                _best_per_document(hits)[:k] for hits in engine.search_many(texts, hits_per_query)
            ]

        results = {}
        for (name, policy), (query_encoder_name, source) in product(
            resolved.items(), query_encoders.items()
        ):
            _set_query_encoder(index, source)
            engine = Engine(index, policy, judge="auto" if judge else None)
            label = name if base == "topical" else f"{name}, base {base}"
            results[name if len(resolved) > 1 else query_encoder_name] = run_evaluation(
                dataset,
                partial(search, engine),
                depth,
                policy=label if backfill else f"{label}-no-backfill",
            )
    first = next(iter(results.values()))
    if run_file is not None:
        first.write_trec_run(run_file)
    if per_query is not None:
        first.write_per_query(per_query)
    if as_json:
        print_json(all_figures(results))
    else:
        out.print(metrics_table(first) if len(results) == 1 else comparison_table(results))


def metrics_table(result: EvaluationResult) -> Table:
    """Metric, number of queries, mean and interval."""
    table = _new_table(result)
    for title in ("n", "mean", "95 % interval"):
        table.add_column(title, justify="right")
    for name, estimate in result.estimates.items():
        interval = f"{estimate.low:.4f} to {estimate.high:.4f}"
        table.add_row(name, str(len(result.per_query[name])), f"{estimate.mean:.4f}", interval)
    return table


def comparison_table(results: Mapping[str, EvaluationResult]) -> Table:
    """Means of several runs, paired differences from the first; intervals without 0 are marked."""
    from logic_retrievers.evaluation import compare

    names, first = list(results), next(iter(results.values()))
    table = _new_table(*results.values())
    for title in (*names, *(f"{name} less {names[0]}" for name in names[1:])):
        table.add_column(title, justify="right", overflow="fold")
    comparisons = compare(first, results)
    for metric in first.estimates:
        means = [f"{result.estimates[metric].mean:.4f}" for result in results.values()]
        table.add_row(
            metric,
            *means,
            *(_format_gain(comparisons[name][metric].difference) for name in names[1:]),
        )
    note = "* the 95 % interval of the paired difference lies on one side of 0"
    table.caption = f"{note}\n{table.caption}"
    return table


def all_figures(results: Mapping[str, EvaluationResult]) -> dict[str, Any]:
    """The figures of one result; of several, with their differences from the first."""
    from logic_retrievers.evaluation import compare

    first_name, first = next(iter(results.items()))
    if len(results) == 1:
        return first.to_json()
    differences = {
        f"{name} less {first_name}": {
            metric: comparison.difference._asdict() for metric, comparison in comparisons.items()
        }
        for name, comparisons in compare(first, results).items()
    }
    figures = {name: result.to_json() for name, result in results.items()}
    return {"results": figures, "differences": differences}


def _new_table(*results: EvaluationResult) -> Table:
    from logic_retrievers.evaluation.metrics import MEANINGS

    result = results[0]
    policies = ", ".join(dict.fromkeys(each.policy for each in results))
    table = Table(
        title=f"{result.dataset}, {policies}: {result.queries} queries, "
        f"{result.documents} documents",
        title_justify="left",
        caption_justify="left",
    )
    table.add_column("metric")
    names = dict.fromkeys(metric.partition("@")[0] for metric in result.estimates)
    notes = [f"{name}: {MEANINGS[name]}" for name in names]
    if result.short_lists:
        notes.append(f"{result.short_lists} lists are shorter than they could be")
    table.caption = "\n".join(notes)
    return table


def _format_gain(gain: Estimate) -> str:
    mark = "" if gain.low <= 0 <= gain.high else " *"
    return f"{gain.mean:+.4f} ({gain.low:+.4f} to {gain.high:+.4f}){mark}"


def _read_query_encoders(paths: Sequence[str]) -> dict[str, QueryEncoder | None]:
    """Short name -> query encoder, read before anything is encoded; None for the bundle's own."""
    from logic_retrievers.encoders import read_query_encoder
    from logic_retrievers.encoders.query_encoder import SUFFIX

    short = [Path(path).name.removesuffix(SUFFIX) for path in paths]
    names = short if len(set(short)) == len(paths) else paths
    query_encoders = {
        name: None if path == BASE else read_query_encoder(path)
        for name, path in zip(names, paths, strict=True)
    }
    if len(query_encoders) < len(paths):
        raise ConfigurationError("--query-encoder names one twice, so there is nothing to compare")
    return query_encoders


def _set_query_encoder(index: PassageIndex, source: QueryEncoder | None) -> None:
    """This query encoder alone, whatever was used before."""
    index.use_query_encoder(None)
    if source is not None:
        index.use_query_encoder(source)


def _with_backfill(policy: Policy | PolicyRouter, *, backfill: bool) -> Policy | PolicyRouter:
    from logic_retrievers.policies import SequentialPolicy, UnionPolicy

    if backfill:
        return policy
    if not isinstance(policy, SequentialPolicy | UnionPolicy):
        raise ConfigurationError(
            f"policy {policy.name!r} filters nothing, so --no-backfill would change nothing"
        )
    return replace(policy, backfill=False)


def _add_documents(
    index: PassageIndex, dataset: Dataset, encoder: Encoder, long_texts: LongTexts
) -> None:
    from logic_retrievers.documents import Splitter

    passages = [Passage(id, text) for id, text in dataset.documents.items()]  # noqa: A001
    splitter = Splitter.for_encoder(encoder)
    long = sum(len(encoder.token_spans(p.text)) > splitter.max_tokens for p in passages)
    if long_texts is LongTexts.SPLIT:
        passages = list(splitter.split(passages))
        print_status("documents", f"{len(dataset.documents)}, in {len(passages)} chunks")
    elif long:
        print_status(
            "documents",
            f"{long} of {len(passages)} are longer than the encoder reads and truncated",
        )
    with progress_bar("documents") as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # printed above already
        index.add(passages, progress=advance)


def _best_per_document(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    """The best hit of every document."""
    best: dict[str, float] = {}
    for hit in hits:
        best.setdefault(hit.passage.source or hit.passage.id, hit.score)
    return list(best.items())
