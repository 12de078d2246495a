"""The commands ``search``, ``contradictions`` and ``parse``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from logic_retrievers.cli.console import AsJson, out, print_json, shorten
from logic_retrievers.cli.field_options import FieldOptions, SearchSettings
from logic_retrievers.cli.judge_options import (
    JudgeSpec,
    PairJudgeSpec,
    RerankerSpec,
    open_judge,
    open_pair_judge,
)
from logic_retrievers.cli.options import (
    BaseName,
    Filters,
    PolicyName,
    QueryEncoders,
    StoredCollection,
    as_command,
    open_policy,
    parse_filter,
)
from logic_retrievers.errors import CollectionError, ConfigurationError
from logic_retrievers.types import Hit

if TYPE_CHECKING:
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.queries import Expression


@as_command
def search(
    words: Annotated[
        list[str] | None, Argument(metavar="QUERY", help="What to search for, quoted or not.")
    ] = None,
    expression: Annotated[
        str | None,
        Option(
            "--expression",
            "-e",
            metavar="EXPRESSION",
            help='In place of QUERY: texts joined by AND, OR and NOT: \'"wool" AND NOT "silk"\'.',
        ),
    ] = None,
    k: Annotated[int, Option("-k", help="How many hits.")] = 5,
    policy: PolicyName = "auto",
    base: BaseName = "auto",
    filters: Filters = None,
    min_score: Annotated[float | None, Option(help="Least score under the policy.")] = None,
    exclude: Annotated[
        list[str] | None,
        Option(metavar="TEXT", help="What the hits are to be without; may be repeated."),
    ] = None,
    hard: Annotated[
        bool,
        Option(
            "--hard",
            help="Leave out passages that name an excluded text; a judge that is sure overrules the"
            " words, both ways.",
        ),
    ] = False,
    hard_words: Annotated[bool, Option("--hard-words", help="As --hard, by words alone.")] = False,
    judge: JudgeSpec = "auto",
    reranker: RerankerSpec = "none",
    explain: Annotated[bool, Option(help="Show scores, ranks and reasons.")] = False,
    as_json: AsJson = False,
    query_encoder: QueryEncoders = None,
    *,
    settings: SearchSettings,
    stored: StoredCollection,
) -> None:
    """Print the best passages for a query or a Boolean expression."""
    from logic_retrievers.ranking.query_input import read_query
    from logic_retrievers.search import Engine

    query = " ".join(words) if words else None
    if (query is None) == (expression is None):
        raise ConfigurationError("give a query, or an expression with --expression")
    if query is not None and not query.strip():
        raise ConfigurationError("the query is empty; pass a text to search for")
    resolved = settings.declare(open_policy(policy, base))
    text_or_expression: str | Expression = (
        str(query) if expression is None else read_query(expression, "expression", resolved)
    )
    of_engine: dict[str, Any] = {
        "validity": settings.validity_fields(),
        "judge": open_judge(judge),
        "reranker": open_judge(reranker),
    }
    with stored.open(reads=True) as passages:
        base_specs = passages.encoder.specs
        for file in query_encoder or []:
            passages.use_query_encoder(file)
        specs = passages.encoder.specs
        changed = [name for name in specs if specs[name] != base_specs[name]]
        if len(changed) < len(query_encoder or []):
            raise ConfigurationError("two --query-encoder read the queries of one vector")
        engine = Engine(passages, resolved, **of_engine)
        hits = engine.search(
            text_or_expression,
            k,
            filter=parse_filter(filters or []),
            min_score=min_score,
            exclude=exclude or (),
            hard="words" if hard_words else hard,
            **settings.options(),
        )
        asked = str(text_or_expression)
        _print_hits(passages, hits, explain=explain, as_json=as_json, query=asked)


@as_command
def contradictions(
    text: Annotated[str | None, Argument(help="A statement.")] = None,
    like: Annotated[
        str | None, Option(metavar="ID", help="A stored passage, instead of TEXT.")
    ] = None,
    k: Annotated[int, Option("-k", help="How many hits.")] = 5,
    filters: Filters = None,
    min_probability: Annotated[
        float | None, Option(help="Least probability of a contradiction, 0 to 1.")
    ] = None,
    judge: PairJudgeSpec = "none",
    explain: Annotated[bool, Option(help="Show reasons, scores and ranks.")] = True,
    as_json: AsJson = False,
    *,
    stored: StoredCollection,
) -> None:
    """Print the passages that contradict a statement, or a stored passage, most.

    The collection needs the contradiction vector: `index --contradictions`.
    """
    from logic_retrievers.conflicts import ContradictionSearch

    if (text is None) == (like is None):
        raise ConfigurationError("give a statement, or --like with the id of a stored passage")
    if text is not None and not text.strip():
        raise ConfigurationError("the statement is empty; pass a text to contradict")
    pair_judge = open_pair_judge(judge)
    with stored.open(reads=True) as passages:
        searcher = ContradictionSearch(passages, min_probability=min_probability, judge=pair_judge)
        condition = parse_filter(filters or [])
        if text is not None:
            hits = searcher.search(text, k, filter=condition)
        else:
            hits = searcher.search_like(str(like), k, filter=condition)
        _print_hits(passages, hits, explain=explain, as_json=as_json)


@as_command
def parse(
    query: Annotated[str, Argument(help="A query.")],
    as_json: AsJson = False,
    *,
    settings: FieldOptions,
) -> None:
    """Show what a query wants and excludes, or the expression that it states.

    With --field also what it says of these fields; the rest of it is then what is read.
    """
    from logic_retrievers.policies import AutoPolicy
    from logic_retrievers.queries import ConstraintParser
    from logic_retrievers.ranking.query_input import check_now

    policy, now = settings.declare(AutoPolicy()), check_now(settings.now)
    reading = policy.read_fields(query, now) if isinstance(policy, AutoPolicy) else None
    parsed = ConstraintParser().parse(query if reading is None else reading.rest)
    if as_json:
        read: dict[str, Any] = {}
        if reading is not None:
            read["fields"] = [condition.to_dict() for condition in reading.conditions]
            read["remains"] = reading.rest
        print_json({**parsed.to_dict(), **read})
        return
    out.print_line((query, "bold"), soft_wrap=False)
    if reading is not None:
        for condition in reading.conditions:
            out.print_line("   field      ", (str(condition), "green"), soft_wrap=False)
        out.print_line("   remains    ", (reading.rest, "green"), soft_wrap=False)
    cue = (f" ({parsed.cue})" if parsed.cue else "", "dim")
    if parsed.kind == "none":
        unsure = "it may have a constraint"
        out.print_line(f"   {unsure if parsed.constraint else 'nothing is excluded'}")
    elif parsed.kind == "negated_fact":
        out.print_line("   the wanted fact is negative")
    elif parsed.kind == "expression":
        meaning = (str(parsed.expression), "green")
        out.print_line("   means      ", meaning, cue, soft_wrap=False)
        out.print_line(f"   confidence {parsed.confidence:g}")
    else:
        out.print_line("   wanted     ", (parsed.wanted, "green"), soft_wrap=False)
        excluded = ("; ".join(parsed.excluded), "red")
        out.print_line("   excluded   ", excluded, cue, soft_wrap=False)
    out.print_line(f"   constraint {parsed.constraint:.2f}")


def _print_hits(
    index: PassageIndex, hits: Sequence[Hit], *, explain: bool, as_json: bool, query: str = ""
) -> None:
    """Print rank, score, id, text and evidence of each hit. An empty collection is an error.

    ``query`` gives the words to explain.
    """
    if not hits and not index.count():
        tenant = "" if index.tenant is None else f" of tenant {index.tenant!r}"
        raise CollectionError(
            f"collection {index.collection!r} holds no passage{tenant}: index some first"
        )
    if as_json:
        print_json([hit.to_dict() for hit in hits])
        return
    if not hits:
        out.print_line("no passage found")
    elif left_out := hits[0].evidence.details.get("left_out"):
        out.print_line((f"{left_out} passages were left out", "dim"))
    for hit in hits:
        score, name = (f" {hit.score:.3f} ", "cyan"), (hit.passage.id, "dim")
        out.print_line((f"{hit.rank}.", "bold"), score, name)
        out.print_line(f"   {shorten(hit.passage.text, 300)}", soft_wrap=False)
        if explain:
            words = _explain_words(hit, query, index.language) if query else []
            for line in [*_explain_hit(hit), *words]:
                out.print_line((f"   {line}", "green"), soft_wrap=False)


def _explain_hit(hit: Hit) -> list[str]:
    """Return one line per atom of an expression, else the reason; then scores and ranks."""
    evidence = hit.evidence
    scores = [
        f"{name} {'-' if score is None else f'{score:.3f}'} (rank {evidence.ranks[name] or '-'})"
        for name, score in evidence.scores.items()
    ]
    note = "" if evidence.passed_filter else "behind those that passed the filter; "
    atoms = [
        f"{atom['verdict']:<11} {atom['score']:6.2f}  {atom['text']}"
        for atom in evidence.details.get("atoms", [])
    ]
    if atoms:
        return [*atoms, f"{note}{'; '.join(scores)}"]
    return [f"{note}{evidence.reason}", *_explain_sum(hit), "; ".join(scores)]


def _explain_words(hit: Hit, query: str, language: str) -> list[str]:
    """Name the words that a passage shares with the query, if the policy reads words."""
    from logic_retrievers.index import lexical

    # "lexical: orchids" is a score by words; "excluded: lexical analysis" is an excluded text's
    if not any(name.partition(":")[0] == lexical.NAME for name in hit.evidence.scores):
        return []
    details = hit.evidence.details
    excluded = [
        *details.get("query", {}).get("excluded", []),
        *(a["text"] for a in details.get("atoms", []) if a["verdict"] in {"violated", "avoided"}),
    ]
    unwanted = lexical.shared_words(" ".join(excluded), hit.passage.text, language)
    words = lexical.shared_words(query, hit.passage.text, language)
    wanted = ", ".join(word for word in words if word not in unwanted) or "none"
    ruled_out = f"; ruled out: {', '.join(unwanted)}" if unwanted else ""
    return [f"words of the query: {wanted}{ruled_out}"]


def _explain_sum(hit: Hit) -> list[str]:
    """Explain a score as the sum of similarity, penalty and what models added."""
    details = hit.evidence.details
    models = ("reranker", "judge")
    added = {name: details[name]["added"] for name in models if "added" in details.get(name, {})}
    penalty = details.get("penalty")
    if not added and penalty is None:
        return []
    similarity = hit.score + (penalty or 0) - sum(added.values())
    parts = [f"score {hit.score:.3f} = similarity {similarity:.3f}"]
    if penalty is not None:
        parts.append(f"- penalty {penalty:.3f} (violation {details['violation']:.3f})")
    parts += [f"{'-' if gain < 0 else '+'} {name} {abs(gain):.3f}" for name, gain in added.items()]
    return [" ".join(parts)]
