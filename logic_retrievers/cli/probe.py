"""``logic-retrievers probe run DIR`` and ``logic-retrievers probe template OUT``."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table
from typer import Argument, Option

from logic_retrievers.cli.console import (
    AsJson,
    ExitCode,
    make_table,
    out,
    print_json,
    print_status,
    progress_bar,
    report_errors,
)
from logic_retrievers.cli.options import Bundle, CacheFile, open_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.files import exists, is_file, is_folder
from logic_retrievers.policies.registry import POLICIES

if TYPE_CHECKING:
    from logic_retrievers.encoders import Encoder
    from logic_retrievers.evaluation import Estimate
    from logic_retrievers.probe import AccuracyComparison, ProbeResult, Reader

probe = typer.Typer(
    help="Compare the answers that different policies lead to.", no_args_is_help=True
)

EXTRACTIVE = "extractive"
# metric -> column title in the second table
_SHARES = {
    "gold": "names right",
    "wrong": "names wrong",
    "abstained": "abstains",
    "top_satisfying": "top satisfies",
    "top_violating": "top violates",
}


@probe.command()
@report_errors
def template(
    folder: Annotated[Path, Argument(metavar="OUT", help="A folder that does not exist yet.")],
) -> None:
    """Write a set of two worked questions to fill in, with a README that explains its files."""
    from logic_retrievers.probe.questions import write_template

    write_template(folder)
    out.print_line(f"template in {folder}")


@probe.command()
@report_errors
def run(
    folder: Annotated[
        Path, Argument(metavar="DIR", help="Holds questions.jsonl and corpus.jsonl[.gz].")
    ],
    policy: Annotated[
        list[str] | None,
        Option(
            "--policy",
            "-p",
            help=f"One of {', '.join(POLICIES)}, alone or with a resolution of contradictions as "
            "in topical+drop_both. Repeat to compare with the first.",
            show_default="topical and auto",
        ),
    ] = None,
    lexical: Annotated[
        bool, Option(help="Store a vector of words too, for the policies that read it.")
    ] = True,
    threshold: Annotated[
        float | None,
        Option(help="Least probability of a contradiction.", show_default="the encoder's"),
    ] = None,
    reader: Annotated[
        str,
        Option(
            metavar="extractive|URL",
            help="The sentence nearest to the question, or a model's endpoint as "
            "http://127.0.0.1:8000/v1.",
        ),
    ] = EXTRACTIVE,
    model: Annotated[str | None, Option(help="Name of the model at the endpoint.")] = None,
    api_key_variable: Annotated[
        str | None, Option(help="Environment variable with the endpoint's key.")
    ] = None,
    max_tokens: Annotated[int, Option(help="Longest answer of a model.")] = 64,
    depth: Annotated[
        int, Option(help="Passages a question; for the extractive reader better 1.")
    ] = 5,
    seed: Annotated[int, Option(help="Seed of the prompts and the intervals.")] = 0,
    grading: Annotated[
        Literal["containment", "support"],
        Option(help="Short answers: containment; long ones: support."),
    ] = "containment",
    traces: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write a JSON line for each answer to this new file."),
    ] = None,
    answers: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="Keep a model's answers here, so that a run that stopped goes on."
        ),
    ] = None,
    as_json: AsJson = False,
    cache: CacheFile = None,
    bundle: Bundle = None,
) -> None:
    """Answer questions from what each policy retrieves, and compare how many are right."""
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.probe import CachedReader, fill_index, read_probe, resolve_configurations
    from logic_retrievers.probe import probe as run_probe

    if traces is not None:
        _check_new_file(traces)
    questions = read_probe(folder)
    encoder = open_encoder(bundle, cache)
    answering_reader = _open_reader(reader, encoder, model, api_key_variable, max_tokens)
    if answers is not None:
        answering_reader = CachedReader(answering_reader, answers)
    with PassageIndex.open("probe", encoder, lexical=lexical) as index:
        configurations = resolve_configurations(
            policy or ["topical", "auto"], index, questions, threshold=threshold
        )
        with progress_bar("passages") as advance:
            fill_index(index, questions, advance)
        with progress_bar("answers") as advance:
            result = run_probe(
                questions,
                configurations,
                answering_reader,
                depth=depth,
                seed=seed,
                grading=grading,
                progress=advance,
            )
    if as_json:
        print_json(result.to_json())
    else:
        out.print(_accuracy_table(result))
        out.print(_answers_table(result))
        if any(result.kinds.values()):
            out.print(_kinds_table(result))
    if traces is not None:
        result.write_traces(traces)
    failed = {name: errors for name in configurations if (errors := result.failed(name))}
    for name, errors in failed.items():
        question, error = next(iter(errors.items()))
        print_status("warning", f"{name}: {len(errors)} without an answer, as {question}: {error}")
    if failed:
        raise typer.Exit(ExitCode.PARTIAL)


def _check_new_file(path: Path) -> None:
    """Check that the traces can be written before any question is asked. A pipe may exist."""
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:  # too long a name, a null character
        raise ConfigurationError(f"--traces: {path} cannot be written: {error}") from error
    if is_file(path) or is_folder(path):
        raise ConfigurationError(f"--traces: {path} is there already; name a new file")
    folder = path.absolute().parent
    if not exists(path) and not (is_folder(folder) and os.access(folder, os.W_OK)):
        raise ConfigurationError(
            f"--traces: {path} cannot be written; name a file in a folder that is there"
        )


def _open_reader(
    name: str, encoder: Encoder, model: str | None, api_key_variable: str | None, max_tokens: int
) -> Reader:
    from logic_retrievers.chat import ChatEndpoint
    from logic_retrievers.probe import EndpointReader, ExtractiveReader

    is_endpoint = name.startswith(("http://", "https://"))
    if not is_endpoint and (model is not None or api_key_variable is not None):
        raise ConfigurationError("--model and --api-key-variable go with --reader URL")
    if name == EXTRACTIVE:
        return ExtractiveReader(encoder)
    if is_endpoint:
        if model is None:
            raise ConfigurationError("an endpoint needs --model: the name of a model there")
        endpoint = ChatEndpoint(name, model, api_key_variable=api_key_variable)
        return EndpointReader(endpoint, max_tokens=max_tokens)
    raise ConfigurationError(f"--reader is {EXTRACTIVE} or a URL, not {name!r}")


def _accuracy_table(result: ProbeResult) -> Table:
    comparisons = result.comparisons()
    first = next(iter(result.traces))
    table = make_table(
        *("configuration", "accuracy", f"less {first}", "gained/lost", "p", "failed"),
        min_width=13,
        title=f"{result.set}: {len(result.kinds)} questions at depth {result.depth}, "
        f"read by {result.reader}",
        caption=f"right by {result.grading}; 95 % intervals; p of McNemar's exact test, after Holm",
    )
    for name in result.traces:
        cell = "-"
        if accuracy := result.figures(name).get("accuracy"):
            cell = f"{accuracy.mean:.3f} ({accuracy.low:.3f} to {accuracy.high:.3f})"
        failed = str(len(result.failed(name)))
        table.add_row(name, cell, *_format_comparison(comparisons.get(name)), failed)
    return table


def _answers_table(result: ProbeResult) -> Table:
    figures = {name: result.figures(name) for name in result.traces}
    shown = [metric for metric in _SHARES if any(metric in own for own in figures.values())]
    titles = ("configuration", *(_SHARES[metric] for metric in shown), "seconds")
    table = make_table(*titles, min_width=13, title="answers and first passages")
    for name, own in figures.items():
        seconds = "-"
        if own:
            seconds = f"{own['retrieval_seconds'].mean + own['reader_seconds'].mean:.2f}"
        table.add_row(name, *(_format_share(own.get(metric)) for metric in shown), seconds)
    return table


def _kinds_table(result: ProbeResult) -> Table:
    first, *others = result.traces
    titles = ("kind", "questions", *result.traces, *(f"{name} less {first}" for name in others))
    table = make_table(*titles, title="accuracy by kind of question")
    figures = [result.figures_by_kind(name) for name in result.traces]
    for kind, count in Counter(filter(None, result.kinds.values())).items():
        shares = [_format_share(own.get(kind, {}).get("accuracy")) for own in figures]
        comparisons = result.comparisons(kind)
        gains = [_format_comparison(comparisons.get(name))[0] for name in others]
        table.add_row(kind, str(count), *shares, *gains)
    return table


def _format_share(estimate: Estimate | None) -> str:
    return "-" if estimate is None else f"{estimate.mean:.3f}"


def _format_comparison(comparison: AccuracyComparison | None) -> tuple[str, str, str]:
    if comparison is None:
        return "", "", ""
    gain = comparison.difference
    return (
        f"{gain.mean:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})",
        f"{comparison.gained}/{comparison.lost}",
        f"{comparison.p_corrected:.3g}",
    )
