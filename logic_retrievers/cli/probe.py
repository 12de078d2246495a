"""``logic-retrievers probe FOLDER``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.cli.options import Bundle, open_encoder
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors, say
from logic_retrievers.cli.probe_figures import probe_tables
from logic_retrievers.cli.progress import progress
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies.registry import POLICIES
from logic_retrievers.probe import (
    CachedReader,
    EndpointReader,
    ExtractiveReader,
    GgufReader,
    Progress,
    Reader,
    fill_index,
    read_probe,
    resolve_configurations,
)
from logic_retrievers.probe import probe as run
from logic_retrievers.probe.grading import checked_grading

EXTRACTIVE = "extractive"
"""In place of a model: the nearest sentence."""
REPORT_EVERY = 60.0
"""Seconds between two lines about the progress, where no terminal shows a bar."""


@reports_errors
def probe(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Holds questions.jsonl and corpus.jsonl[.gz].")
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "-p",
            help=f"One of {', '.join(POLICIES)}, alone or with a rule about contradictions as in "
            "topical+drop_both. Repeat to compare with the first.",
            show_default="topical and auto",
        ),
    ] = None,
    lexical: Annotated[
        bool, typer.Option(help="Store a vector of words too, for the policies that read it.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(help="Least probability of a contradiction.", show_default="the encoder's"),
    ] = None,
    reader: Annotated[
        str,
        typer.Option(
            metavar="extractive|FILE.gguf|URL",
            help="The sentence nearest to the question, a local model, or an endpoint as "
            "http://127.0.0.1:8000/v1.",
        ),
    ] = EXTRACTIVE,
    model: Annotated[str | None, typer.Option(help="As the endpoint calls it.")] = None,
    api_key_variable: Annotated[
        str | None, typer.Option(help="Environment variable with the endpoint's key.")
    ] = None,
    context: Annotated[int, typer.Option(help="Of a local model, in tokens.")] = 4096,
    threads: Annotated[int | None, typer.Option(help="Of a local model.")] = None,
    max_tokens: Annotated[int, typer.Option(help="Longest answer of a model.")] = 64,
    depth: Annotated[
        int, typer.Option(help="Passages a question; for the extractive reader better 1.")
    ] = 5,
    seed: Annotated[int, typer.Option(help="Of the prompts and the intervals.")] = 0,
    grading: Annotated[
        str, typer.Option(help="Short answers: containment; long ones: support.")
    ] = "containment",
    traces: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A JSON line an answer; a run cut off goes on there."),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep a model's answers here.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the figures here.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep vectors here for the next time.")
    ] = None,
    bundle: Bundle = None,
) -> None:
    """Answers questions from what each policy retrieves, and compares how many are right."""
    counted = checked_grading(grading)
    questions = read_probe(folder)
    encoder = open_encoder(bundle, cache)
    reads = _reader(
        reader,
        encoder,
        model=model,
        api_key_variable=api_key_variable,
        context=context,
        threads=threads,
        max_tokens=max_tokens,
    )
    if answers is not None:
        reads = CachedReader(reads, answers)
    with PassageIndex.open("probe", encoder, lexical=lexical) as index:
        ways = resolve_configurations(
            policy or ["topical", "auto"], index, questions, threshold=threshold
        )
        with progress("passages", len(questions.passages)) as advance:
            fill_index(index, questions, advance)
        with progress("answers", len(questions.questions) * len(ways)) as advance:
            result = run(
                questions,
                ways,
                reads,
                depth=depth,
                seed=seed,
                grading=counted,
                traces=traces,
                progress=_watched(advance),
            )
    for table in probe_tables(result):
        out.print(table)
    if json_file is not None:
        result.write_json(json_file)
    failed = {name: errors for name in ways if (errors := result.failed(name))}
    for name, errors in failed.items():
        question, error = next(iter(errors.items()))
        say("warning", f"{name}: {len(errors)} without an answer, as {question}: {error}")
    if failed:
        raise typer.Exit(ExitCode.PARTIAL)


def _reader(
    named: str,
    encoder: Encoder,
    *,
    model: str | None,
    api_key_variable: str | None,
    context: int,
    threads: int | None,
    max_tokens: int,
) -> Reader:
    """The reader that the options name.

    Raises:
        ConfigurationError: an endpoint without a model, a model or key without an endpoint, or what
            is no reader.
        MissingExtraError, ReadError: as :class:`GgufReader`.
    """
    endpoint_named = named.startswith(("http://", "https://"))
    if not endpoint_named and (model is not None or api_key_variable is not None):
        raise ConfigurationError("--model and --api-key-variable go with --reader URL")
    if named == EXTRACTIVE:
        return ExtractiveReader(encoder)
    if endpoint_named:
        if model is None:
            raise ConfigurationError("an endpoint needs --model, as it calls it")
        endpoint = ChatEndpoint(named, model, api_key_variable=api_key_variable)
        return EndpointReader(endpoint, max_tokens=max_tokens)
    if named.endswith(".gguf"):
        return GgufReader(Path(named), context=context, max_tokens=max_tokens, threads=threads)
    raise ConfigurationError(f"--reader is {EXTRACTIVE}, FILE.gguf or a URL, not {named!r}")


def _watched(advance: Callable[[int], None] | None) -> Callable[[Progress], None]:
    """The bar where there is one, else a line now and then: a run may take hours."""
    said_at = time.monotonic()

    def watch(told: Progress) -> None:
        nonlocal said_at
        if advance is not None:
            advance(told.done)
        elif time.monotonic() - said_at > REPORT_EVERY and told.seconds_left is not None:
            said_at = time.monotonic()
            minutes = math.ceil(told.seconds_left / 60)
            say("answers", f"{told.done} of {told.total}, about {minutes} minutes left")

    return watch
