"""The command that builds Boolean questions; imports wait for its call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from logic_export.endpoint_options import Answers, KeyVariable, Sampling, rewriter
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors
from logic_retrievers.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from logic_export.data.rewriter import ChatRewriter


@reports_errors
def boolean_questions(
    corpus: Annotated[Path, typer.Argument(help="corpus.jsonl[.gz] with _id, title and text.")],
    folder: Annotated[Path, typer.Argument(help="The data set's folder; new.")],
    endpoint: Annotated[
        str, typer.Option(help="What /chat/completions is appended to: http://HOST:PORT/v1.")
    ],
    model: Annotated[str, typer.Option(help="Words the questions; as the endpoint calls it.")],
    answer_model: Annotated[
        str | None, typer.Option(help="Answers them, for the filter.", show_default="the same")
    ] = None,
    per_type: Annotated[int, typer.Option(min=1, help="Questions with AND, OR and NOT each.")] = 50,
    key_variable: KeyVariable = None,
    sampling: Sampling = True,
    cache: Answers = None,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Encoder that clusters.", show_default="the one that is shipped"),
    ] = None,
    others: Annotated[
        bool, typer.Option(help="Passages that should not answer a question must not.")
    ] = True,
    seed: Annotated[int, typer.Option(help="The same seed asks for the same questions.")] = 0,
) -> None:
    """Builds AND, OR and NOT questions over your passages, worded by a language model."""
    try:
        from logic_export.data.boolean_questions.building import build
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sklearn", "train") from error
    from logic_export.data.boolean_questions.answering import answered_by
    from logic_export.data.boolean_questions.questions import TYPES
    from logic_export.data.boolean_questions.writing import check_new, write_questions
    from logic_retrievers.cli.options import open_encoder
    from logic_retrievers.cli.progress import progress
    from logic_retrievers.evaluation.corpus import read_corpus

    check_new(folder)
    documents = read_corpus(corpus).documents

    def asked(name: str) -> ChatRewriter:
        return rewriter(endpoint, name, key_variable, cache, folder, sampling=sampling, seed=seed)

    counts = dict.fromkeys(TYPES, per_type)
    with progress("questions", sum(counts.values())) as tell:
        built = build(
            documents,
            open_encoder(bundle),
            asked(model),
            counts,
            answerer=answered_by(asked(answer_model or model)),
            others=others,
            seed=seed,
            progress=tell,
        )
    table = Table("left out", "times")
    for reason, times in built.reasons.items():
        table.add_row(reason, str(times))
    out.print(table)
    if not built.questions:
        raise InputError(f"no question stood the checks, of {built.groups} groups of passages")
    write_questions(folder, corpus, built.questions)
    made = ", ".join(f"{built.count(kind)} {kind}" for kind in TYPES)
    out.print(f"{made}, of {built.groups} groups of passages", markup=False)
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)
    if len(built.questions) < sum(counts.values()):
        raise typer.Exit(ExitCode.PARTIAL)
