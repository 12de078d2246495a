"""Commands that build training data and diagnostics; heavy imports wait for the call."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from logic_export.cli.options import (
    AnswerCache,
    KeyVariable,
    Sampling,
    Seed,
    open_rewriter,
    parse_builder_options,
    training_imports,
)
from logic_retrievers.cli.console import ExitCode, out, report_errors
from logic_retrievers.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from logic_export.data.rewriting import ChatRewriter

data = typer.Typer(help="Builds training data.", no_args_is_help=True)

Builder = Annotated[str, typer.Argument(help="A builder's name; an unknown one lists them all.")]
RowFile = Annotated[Path, typer.Option("--out", help="JSON lines; .gz is compressed.")]
BuilderOptions = Annotated[
    list[str] | None,
    typer.Option("--option", help="NAME=VALUE, for the builder; may be repeated."),
]
NewFolder = Annotated[Path, typer.Argument(help="The data set's folder; new.")]


class DiagnosticKind(StrEnum):
    """How the two queries of a CoDeR diagnostic differ."""

    ANTONYM = "antonym"
    NEGATION = "negation"
    EXCLUSION = "exclusion"


@data.command()
@report_errors
def triplets(
    builder: Builder, file: RowFile, option: BuilderOptions = None, seed: Seed = 0
) -> None:
    """Builds training triplets from a data set or a corpus."""
    from logic_export.data.triplet_builders import build_triplets
    from logic_export.data.triplets import write_triplets

    rows = build_triplets(builder, parse_builder_options(option), seed)
    write_triplets(file, rows)
    out.print(f"{len(rows)} triplets are in {file}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def contradiction_groups(
    builder: Builder, file: RowFile, option: BuilderOptions = None, seed: Seed = 0
) -> None:
    """Builds groups of two contradicting sides from a data set or a corpus."""
    from logic_export.data.contradictions.builders import build_groups
    from logic_export.data.contradictions.groups import write_groups

    groups = build_groups(builder, parse_builder_options(option), seed)
    write_groups(file, groups)
    out.print(f"{len(groups)} groups are in {file}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def set_queries(
    films: Annotated[
        Path, typer.Argument(metavar="DATA", help="A folder with the films' corpus.jsonl.gz.")
    ],
    folder: NewFolder,
    train: Annotated[int, typer.Option(help="Training queries, without variants.")] = 3500,
    dev: Annotated[int, typer.Option(help="Development queries.")] = 350,
    test: Annotated[int, typer.Option(help="Test queries.")] = 2100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    variants: Annotated[bool, typer.Option(help="Also the same atoms in other forms.")] = True,
) -> None:
    """Builds queries whose answers are sets of films (AND, OR, NOT), with computed truth."""
    from logic_export.data.sets.films.films_table import load_films_table
    from logic_export.data.sets.generation import generate_queries, write_set_queries

    table = load_films_table(films)
    counts = {"train": train, "dev": dev, "test": test}
    parts = generate_queries(table, counts, seed=seed, variants=variants)
    write_set_queries(folder, table.items, parts)
    for part, queries in parts.items():
        variant_count = sum(query.variant for query in queries)
        out.print(f"{part}: {len(queries) - variant_count} queries and {variant_count} variants")
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def boolean_questions(
    corpus: Annotated[Path, typer.Argument(help="corpus.jsonl[.gz] with _id, title and text.")],
    folder: NewFolder,
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
    cache: AnswerCache = None,
    bundle: Annotated[
        Path | None,
        typer.Option(help="Encoder for the clustering.", show_default="the packaged one"),
    ] = None,
    others: Annotated[
        bool, typer.Option(help="Passages that should not answer a question must not.")
    ] = True,
    seed: Annotated[int, typer.Option(help="The same seed asks for the same questions.")] = 0,
) -> None:
    """Builds AND, OR and NOT questions over your passages, worded by a language model."""
    with training_imports():
        from logic_export.data.boolean_questions.generation import generate_questions
    from logic_export.data.boolean_questions.checks import make_answerer
    from logic_export.data.boolean_questions.questions import (
        TYPES,
        require_new_folder,
        write_questions,
    )
    from logic_retrievers.cli.console import progress_bar
    from logic_retrievers.cli.options import open_encoder
    from logic_retrievers.evaluation.corpus import read_corpus

    require_new_folder(folder)
    documents = read_corpus(corpus).documents

    def rewriter(name: str) -> ChatRewriter:
        return open_rewriter(
            endpoint, name, key_variable, cache, folder, sampling=sampling, seed=seed
        )

    counts = dict.fromkeys(TYPES, per_type)
    with progress_bar("questions") as show:
        built = generate_questions(
            documents,
            open_encoder(bundle),
            rewriter(model),
            counts,
            answerer=make_answerer(rewriter(answer_model or model)),
            others=others,
            seed=seed,
            progress=show,
        )
    table = Table("rejected", "times")
    for reason, times in built.reasons.items():
        table.add_row(reason, str(times))
    out.print(table)
    if not built.questions:
        raise InputError(f"no question passed the checks, of {built.groups} groups of passages")
    write_questions(folder, corpus, built.questions)
    per_kind = ", ".join(f"{built.count(kind)} {kind}" for kind in TYPES)
    out.print(f"{per_kind}, of {built.groups} groups of passages", markup=False)
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)
    if len(built.questions) < sum(counts.values()):
        raise typer.Exit(ExitCode.PARTIAL)


@data.command()
@report_errors
def distractor_queries(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Folders with labelled questions; name sets that share passages together.",
        ),
    ],
    folder: NewFolder,
    train: Annotated[float, typer.Option(help="Share of the questions for training.")] = 0.7,
    dev: Annotated[float, typer.Option(help="For development; the rest is the test.")] = 0.1,
    copies: Annotated[
        int, typer.Option(help="Training queries made of each question, all different.")
    ] = 6,
    distractors: Annotated[int, typer.Option(help="Passages in one clause, at most.")] = 2,
    candidates: Annotated[int, typer.Option(help="Passages of a question, mined if need be.")] = 10,
    endpoint: Annotated[
        str | None,
        typer.Option(help="What /chat/completions is appended to.", show_default="templates"),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Words the training queries; as the endpoint calls it.")
    ] = None,
    key_variable: KeyVariable = None,
    sampling: Sampling = True,
    cache: AnswerCache = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
) -> None:
    """Adds clauses about wrong passages to questions, to train a query encoder (LORE)."""
    from logic_export.data.tiers.distractor_queries import (
        build_parts,
        common_passages,
        read_parts,
        require_new_folder,
        write_parts,
    )
    from logic_export.data.tiers.relation_rewriting import RelationRewriter

    require_new_folder(folder)
    if (endpoint is None) != (model is None):
        raise ConfigurationError("--endpoint and --model belong together")
    relation_rewriter = None
    if endpoint is not None and model is not None:
        relation_rewriter = RelationRewriter(
            open_rewriter(
                endpoint, model, key_variable, cache, folder, sampling=sampling, seed=seed
            )
        )
    parts = read_parts(folders, {"train": train, "dev": dev, "test": round(1 - train - dev, 9)})
    built = build_parts(
        parts,
        copies={"train": copies},
        distractors=distractors,
        candidates=candidates,
        rewriter=relation_rewriter,
        seed=seed,
    )
    table = Table("part", "left out or replaced", "times")
    for part, disturbed in built.items():
        for reason, times in disturbed.reasons.items():
            table.add_row(part, reason, str(times))
    if table.row_count:
        out.print(table)
    write_parts(folder, built)
    for part, disturbed in built.items():
        questions = len({example.original for example in disturbed.examples})
        out.print(f"{part}: {len(disturbed.examples)} queries of {questions} questions")
    out.print(f"passages in both train and test: {common_passages(built, 'train', 'test')}")
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)


@report_errors
def diagnose(
    kind: Annotated[DiagnosticKind, typer.Argument(help="How the two queries of a pair differ.")],
    corpus: Annotated[Path, typer.Argument(help="corpus.jsonl[.gz] with _id, title and text.")],
    folder: Annotated[
        Path, typer.Option("--out", help="A folder for `logic-retrievers evaluate`.")
    ],
    count: Annotated[int, typer.Option(help="Sets of documents, two queries each.")] = 50,
    seed: Seed = 0,
) -> None:
    """Makes a small benchmark over your own corpus: antonyms, negations or exclusions (CoDeR)."""
    from logic_export.data import diagnostics
    from logic_export.data.wordnet import load_wordnet
    from logic_retrievers.evaluation.rows import json_rows

    documents = {
        row.id(): f"{row.text('title')} {row.text('text')}".strip() for row in json_rows(corpus)
    }
    if kind is DiagnosticKind.ANTONYM:
        sets = diagnostics.antonym_diagnostic(documents, load_wordnet(), count=count, seed=seed)
    elif kind is DiagnosticKind.NEGATION:
        sets = diagnostics.negation_diagnostic(documents, count=count, seed=seed)
    else:
        sets = diagnostics.exclusion_diagnostic(documents, count=count, seed=seed)
    diagnostics.write_diagnostic(folder, sets)
    out.print(
        f"{count} sets are in {folder}; `logic-retrievers evaluate {folder}` measures on them",
        markup=False,
        soft_wrap=True,
    )
