"""``logic-retrievers evaluate DIR``."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.table import Table
from typer import Argument, Option

from logic_retrievers.cli.console import (
    AsJson,
    make_table,
    out,
    print_json,
    print_status,
    progress_bar,
    report_errors,
)
from logic_retrievers.cli.judge_options import AUTO, JUDGE, NONE, RerankerSpec, open_judge
from logic_retrievers.cli.judged import check_fit_file, fit, print_changes, warn_if_fitted_on
from logic_retrievers.cli.options import (
    BaseName,
    Bundle,
    CacheFile,
    open_encoder,
    open_policy,
)
from logic_retrievers.errors import ConfigurationError, LongTextWarning
from logic_retrievers.policies.registry import POLICIES
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.encoders import Encoder, QueryEncoder
    from logic_retrievers.evaluation import (
        Changes,
        Comparison,
        Dataset,
        Estimate,
        EvaluationResult,
    )
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.search import Engine

BASE = "base"  # value that selects the bundle's own query side


@report_errors
def evaluate(
    folder: Annotated[
        Path,
        Argument(
            metavar="DIR", help="Holds corpus.jsonl[.gz], queries.jsonl and, for qrels, qrels.tsv."
        ),
    ],
    policies: Annotated[
        list[str] | None,
        Option(
            "--policy",
            "-p",
            help=f"One of {', '.join(POLICIES)}. Repeat to compare with the first.",
            show_default="auto",
        ),
    ] = None,
    base: BaseName = "auto",
    split: Annotated[str, Option(help="Which part: train, dev or test.")] = "test",
    depth: Annotated[int, Option(help="Number of hits for each query.")] = 100,
    as_json: AsJson = False,
    per_query: Annotated[
        Path | None, Option(metavar="FILE", help="Write every query's figures here, as CSV.")
    ] = None,
    cache: CacheFile = None,
    judge: Annotated[str | None, JUDGE] = None,
    reranker: RerankerSpec = NONE,
    fit_file: Annotated[
        Path | None,
        Option(
            "--fit",
            metavar="FILE",
            help="Choose how the judge is asked, and its weights, on these queries; write them here"
            " for --judge. Prints the gain, measured on queries held out of the choice.",
        ),
    ] = None,
    bundle: Bundle = None,
    query_encoder: Annotated[
        list[str] | None,
        Option(
            metavar="FILE|base",
            help="Query encoder; base: the bundle's own. Repeat to compare with the first.",
        ),
    ] = None,
) -> None:
    """Search with labelled queries and print the figures with 95 % intervals.

    With --judge or --reranker it also searches without, and prints which queries get worse.
    """
    from logic_retrievers.encoders import RecentEncoder
    from logic_retrievers.evaluation import compare, load_dataset
    from logic_retrievers.evaluation.metrics import import_ir_measures
    from logic_retrievers.evaluation.remembering import remembering
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.search import Engine

    resolved = {name: open_policy(name, base) for name in policies or ["auto"]}
    query_encoders = _read_query_encoders(query_encoder or [BASE])
    if len(resolved) > 1 and len(query_encoders) > 1:
        raise ConfigurationError("compare several --policy, or several --query-encoder, not both")
    if per_query and len(resolved) + len(query_encoders) > 2:
        raise ConfigurationError(
            "--per-query writes one run: give one --policy and one --query-encoder"
        )
    given = {"judge": judge or NONE, "reranker": reranker}
    given = {name: spec for name, spec in given.items() if spec != NONE}
    if fit_file is not None:
        check_fit_file(fit_file)
        if "judge" not in given or per_query or len(resolved) + len(query_encoders) > 2:
            raise ConfigurationError(
                "--fit chooses settings of a judge for one search: name the judge with --judge, and"
                " give one --policy, one --query-encoder and no --per-query"
            )
    dataset = load_dataset(folder, split)
    import_ir_measures()  # raises before the documents are encoded
    models: dict[str, Any] = {"judge": open_judge(judge or AUTO), "reranker": open_judge(reranker)}
    if judge is not None:
        warn_if_fitted_on(judge, dataset)
    encoder = open_encoder(bundle, cache)
    if given:
        encoder = RecentEncoder(encoder)  # the same queries are searched for several times
    with PassageIndex.open("evaluation", encoder) as index:
        for source in query_encoders.values():
            # refuse an unfit query encoder before the documents are encoded
            _set_query_encoder(index, source)
        _add_documents(index, dataset, encoder)

        if fit_file is not None:
            asked_once = remembering(models["reranker"], index)
            engine = Engine(index, *resolved.values(), reranker=asked_once)
            command = {"folder": str(folder), "split": split}
            fit(dataset, engine, models["judge"], fit_file, command=command, as_json=as_json)
            return
        results, changes = {}, {}
        with progress_bar("judged pairs") if given else nullcontext() as progress:
            if given:
                models = {name: remembering(m, index, progress) for name, m in models.items()}
            for name, policy in resolved.items():
                for query_encoder_name, source in query_encoders.items():
                    _set_query_encoder(index, source)
                    engine = Engine(index, policy, **models)
                    run = name if len(resolved) > 1 else query_encoder_name
                    shown = name if base == "auto" else f"{name}, base {base}"
                    results[run] = _run(dataset, engine, depth, shown)
                    changes[run] = {
                        name: _changes_by(name, dataset, engine, depth, results[run])
                        for name in given
                    }
    first, *others = results
    comparisons = compare(results[first], results)
    figures = {run: result.to_json() for run, result in results.items()}
    for run, by_model in changes.items():
        if by_model:
            found = {name: change.to_json() for name, change in by_model.items()}
            figures[run]["changes"] = found
    if not as_json:
        out.print(_table(results, comparisons))
        for run, by_model in changes.items():
            for name, change in by_model.items():
                print_changes(f"{run}, {name}" if others else name, change)
    elif others:
        differences = {
            f"{name} less {first}": {
                metric: comparison.difference._asdict()
                for metric, comparison in comparisons[name].items()
            }
            for name in others
        }
        print_json({"results": figures, "differences": differences})
    else:
        print_json(figures[first])
    if per_query is not None:
        results[first].write_per_query(per_query)


def _run(
    dataset: Dataset, engine: Engine, depth: int, policy: str, **settings: int
) -> EvaluationResult:
    from logic_retrievers.evaluation import evaluate as run_evaluation

    return run_evaluation(dataset, partial(_search, engine), depth, policy=policy, **settings)


def _changes_by(
    model: str, dataset: Dataset, engine: Engine, depth: int, result: EvaluationResult
) -> Changes:
    """Search without the ``judge`` or ``reranker``, and compare."""
    from logic_retrievers.evaluation import compare_queries
    from logic_retrievers.policies import TopicalPolicy

    without = copy.copy(engine)
    setattr(without, model, None)
    if model == "judge" and engine.policy.name == "judge":
        without.policy = TopicalPolicy()  # whose candidates the judge orders
    return compare_queries(dataset, _run(dataset, without, depth, "", resamples=1), result)


def _search(engine: Engine, texts: Sequence[str], k: int) -> list[list[tuple[str, float]]]:
    return [[(hit.passage.id, hit.score) for hit in hits] for hits in engine.search_many(texts, k)]


def _table(
    results: Mapping[str, EvaluationResult], comparisons: Mapping[str, Mapping[str, Comparison]]
) -> Table:
    """Build a table of means: intervals for one result, differences for several."""
    from logic_retrievers.evaluation.metrics import MEANINGS

    first, *others = results
    result = results[first]
    policies = ", ".join(dict.fromkeys(each.policy for each in results.values()))
    title = f"{result.dataset}, {policies}: {result.queries} queries, {result.documents} documents"
    notes = ["* the 95 % interval of the paired difference lies on one side of 0"] if others else []
    names = dict.fromkeys(metric.partition("@")[0] for metric in result.estimates)
    notes += [f"{name}: {MEANINGS[name]}" for name in names]
    if result.short_lists:
        notes.append(f"{result.short_lists} lists are shorter than they could be")
    titles = ["n", "mean", "95 % interval"]
    if others:
        titles = [*results, *(f"{name} less {first}" for name in others)]
    table = make_table("metric", *titles, title=title, caption="\n".join(notes))
    for metric, (mean, low, high) in result.estimates.items():
        cells = [str(len(result.per_query[metric])), f"{mean:.4f}", f"{low:.4f} to {high:.4f}"]
        if others:
            cells = [f"{each.estimates[metric].mean:.4f}" for each in results.values()]
            cells += [_format_gain(comparisons[name][metric].difference) for name in others]
        table.add_row(metric, *cells)
    return table


def _format_gain(gain: Estimate) -> str:
    mark = "" if gain.low <= 0 <= gain.high else " *"
    return f"{gain.mean:+.4f} ({gain.low:+.4f} to {gain.high:+.4f}){mark}"


def _read_query_encoders(paths: Sequence[str]) -> dict[str, QueryEncoder | None]:
    """Return name -> query encoder, or None for the bundle's own query side.

    Names are short; if two short names are equal, all names are the given paths.
    """
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
    index.use_query_encoder(None)
    if source is not None:
        index.use_query_encoder(source)


def _add_documents(index: PassageIndex, dataset: Dataset, encoder: Encoder) -> None:
    from logic_retrievers.documents import Splitter

    passages = [Passage(id, text) for id, text in dataset.documents.items()]  # noqa: A001
    longest = Splitter.for_encoder(encoder).max_tokens
    if long := sum(len(encoder.token_spans(p.text)) > longest for p in passages):
        print_status(
            "documents",
            f"{long} of {len(passages)} are longer than the encoder reads and truncated",
        )
    with progress_bar("documents") as advance, warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # printed above
        index.add(passages, progress=advance)
