"""Spans of OpenTelemetry: what they hold, what they do not, and whose children they are."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from hotel_town import QUERY, TEXTS
from openinference.semconv.trace import (
    DocumentAttributes,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)
from opentelemetry import trace
from opentelemetry.trace import StatusCode
from recorded_spans import recorded  # noqa: F401 - a fixture

from logic_retrievers import (
    ContradictionFilter,
    ContradictionSearch,
    CorpusCleaner,
    Engine,
    ParsedQuery,
    Passage,
    PassageIndex,
    Reranker,
)
from logic_retrievers.errors import MissingVectorError, PairJudgeWarning
from logic_retrievers.tracing import MAX_DOCUMENTS
from logic_retrievers.tracing import TEXTS as SWITCH

ID, SCORE = DocumentAttributes.DOCUMENT_ID, DocumentAttributes.DOCUMENT_SCORE
CONTENT = DocumentAttributes.DOCUMENT_CONTENT
PASSAGES = [Passage(name, text) for name, text in TEXTS.items()]
PAIR = [
    Passage("open", "The pool is open on Sundays."),
    Passage("closed", "The pool is not open on Sundays."),
]


def sure_judge(pairs):
    return [(0.5, 0.25, 0.25)] * len(pairs)


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open(vectors=("topical", "compatibility", "contradiction")) as index:
        index.add([*PASSAGES, *PAIR])
        yield index


def known_keys():
    """The keys of OpenInference's conventions, without the number of a document."""
    names = (SpanAttributes, RerankerAttributes, DocumentAttributes)
    return {v for each in names for k, v in vars(each).items() if k.isupper()}


def use_everything(index):
    Engine(index, judge=sure_judge, reranker=sure_judge).search(QUERY, k=3, exclude=["lorries"])
    Engine(index, judge=None).search_many([QUERY, "cheap beds"], k=2)
    Reranker(index=index, judge=sure_judge).rerank(QUERY, PASSAGES, k=2)
    search = ContradictionSearch(index, judge=lambda pairs: [0.5] * len(pairs))
    search.search(PAIR[0].text, k=2)
    search.search_like("open", k=2)
    ContradictionFilter(index=index, judge=None).filter([*PASSAGES, *PAIR], k=4, query=QUERY)
    CorpusCleaner(index, judge=None).clean(dry_run=True)


def test_a_search_tells_ids_scores_and_how_the_query_was_read(index, recorded):  # noqa: F811
    engine = Engine(index, judge=sure_judge, reranker=sure_judge)
    hits = engine.search(QUERY, k=3, exclude=["lorries"])
    spans = {span.name: span for span in recorded()}
    search = spans["logic_retrievers.search"].attributes
    assert search[SpanAttributes.OPENINFERENCE_SPAN_KIND] == "RETRIEVER"
    prefix = SpanAttributes.RETRIEVAL_DOCUMENTS
    for number, hit in enumerate(hits):
        assert search[f"{prefix}.{number}.{ID}"] == hit.passage.id
        assert search[f"{prefix}.{number}.{SCORE}"] == hit.score
    own = {k.partition(".")[2]: v for k, v in search.items() if k.startswith("logic_retrievers.")}
    assert own == {"policy": "auto", "ranked_by": "constraint", "k": 3, "hits": 3, "excluded": 1}
    read = spans["logic_retrievers.read_query"].attributes
    parsed = engine.policy.parse(QUERY)
    assert read["logic_retrievers.kind"] == "exclusion"
    assert read["logic_retrievers.excluded"] == len(parsed.excluded) == 1
    assert read["logic_retrievers.constraint"] == parsed.constraint > 0.5
    judges = [span.attributes for span in recorded() if span.name == "logic_retrievers.judge"]
    assert [each["logic_retrievers.role"] for each in judges] == ["reranker", "pair judge"]
    for each in judges:
        assert each[SpanAttributes.OPENINFERENCE_SPAN_KIND] == "RERANKER"
        assert each[RerankerAttributes.RERANKER_MODEL_NAME] == "sure_judge"
        assert each["logic_retrievers.pairs"] == each["logic_retrievers.answered"] == 10
        assert each[f"{RerankerAttributes.RERANKER_INPUT_DOCUMENTS}.0.{ID}"] in {*TEXTS, "open"}
        assert each[f"{RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS}.9.{SCORE}"] == 0.25
    parents = {span.parent.span_id for span in recorded() if span.parent}
    assert parents == {spans["logic_retrievers.search"].context.span_id}


def test_every_key_and_kind_is_one_of_openinference(index, recorded, monkeypatch):  # noqa: F811
    monkeypatch.setenv(SWITCH, "1")
    use_everything(index)
    kinds = {kind.value for kind in OpenInferenceSpanKindValues}
    names = {span.name.partition(".")[2] for span in recorded()}
    assert names >= {"search", "search_many", "rerank", "contradiction_search", "clean"}
    assert names >= {"contradiction_filter", "judge", "read_query"}
    for span in recorded():
        assert span.attributes[SpanAttributes.OPENINFERENCE_SPAN_KIND] in kinds
        assert len(span.attributes) < 128  # more, and OpenTelemetry drops the first
        for key in span.attributes:
            if not key.startswith("logic_retrievers."):
                documents, _, rest = key.partition(".document.")
                whole = f"document.{rest}" if rest else documents
                assert whole in known_keys()
                assert not rest or documents.rpartition(".")[0] in known_keys()


def test_no_text_is_told_unless_it_is_switched_on(index, recorded, monkeypatch):  # noqa: F811
    """A tracing service is another place that keeps what it is sent."""
    use_everything(index)
    with pytest.raises(ValueError, match="policy"):
        Engine(index, "topical").search(QUERY, exclude=["lorries"])

    def told():
        return repr([(s.attributes, s.status.description, s.events) for s in recorded()]).lower()

    words = ["nightclub", "lorries", "beds", "quiet", "sundays"]
    assert [word for word in words if word in told()] == []
    monkeypatch.setenv(SWITCH, "1")
    use_everything(index)
    assert [word for word in words if word in told()] == words
    search = next(s for s in reversed(recorded()) if s.name == "logic_retrievers.search")
    assert search.attributes[SpanAttributes.INPUT_VALUE] == QUERY
    first = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.0"
    assert search.attributes[f"{first}.{CONTENT}"] == TEXTS[search.attributes[f"{first}.{ID}"]]


def test_a_long_list_keeps_its_best_hits(index, recorded):  # noqa: F811
    """OpenTelemetry drops the attributes that were set first."""
    passages = [Passage(str(n), f"room {n} of the inn") for n in range(90)]
    hits = Reranker(index=index, judge=None).rerank("room 7", passages)
    (span,) = (span for span in recorded() if span.name == "logic_retrievers.rerank")
    prefix = RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS
    told = [span.attributes.get(f"{prefix}.{number}.{ID}") for number in range(90)]
    assert told[:MAX_DOCUMENTS] == [hit.passage.id for hit in hits[:MAX_DOCUMENTS]]
    assert not any(told[MAX_DOCUMENTS:])
    assert span.attributes["logic_retrievers.hits"] == 90


def test_a_cleaning_tells_counts(index, recorded):  # noqa: F811
    result = CorpusCleaner(index, judge=None, trusted=PAIR[:1]).clean(dry_run=True)
    (span,) = (span for span in recorded() if span.name == "logic_retrievers.clean")
    own = {k.partition(".")[2]: v for k, v in span.attributes.items()}
    assert own["examined"] == len(TEXTS) + 2
    assert own["compared"] == result.compared
    assert own["hidden"] == len(result.quarantined)
    counted = sum(count for name, count in own.items() if name.startswith("action."))
    assert counted == len(result.decisions) > 0


async def test_an_error_is_told_and_raised(recorded):  # noqa: F811
    with PassageIndex.open(vectors=("topical",)) as index:
        index.add(PASSAGES)
        for search in (Engine(index, "compatibility").search, Engine(index, "union").search):
            with pytest.raises(MissingVectorError):
                search("quiet")
        with pytest.raises(MissingVectorError):
            await Engine(index, "compatibility").asearch("quiet")

        def failing(pairs):
            raise RuntimeError("key-12345")

        with pytest.warns(PairJudgeWarning):
            Engine(index, judge=failing).search(ParsedQuery.excluding("hotel", ["bar"]))
    errors = [span for span in recorded() if span.status.status_code is StatusCode.ERROR]
    assert [span.attributes["error.type"] for span in errors] == [
        *["MissingVectorError"] * 3,
        "PairJudgeWarning",
    ]
    assert "backfill" in errors[0].status.description
    assert "key-12345" not in repr([(s.attributes, s.status.description) for s in recorded()])


@pytest.mark.parametrize("judge", ["blocking", "awaiting"])
async def test_each_of_many_searches_has_its_own_children(index, recorded, judge):  # noqa: F811
    """A span that stays attached after an await becomes the parent of another task's."""

    async def awaiting(pairs):
        await asyncio.sleep(0.001 * (len(pairs[0][1]) % 5))
        return sure_judge(pairs)

    tracer = trace.get_tracer("application")
    engine = Engine(index, judge=sure_judge if judge == "blocking" else awaiting)
    roots = {}

    async def ask(number):
        with tracer.start_as_current_span(f"question {number}") as span:
            roots[number] = span.get_span_context()
            await asyncio.sleep(0.001 * (number % 3))
            query = f"hotel{'s' * (number % 4)} without a bar"
            task = asyncio.create_task(engine.asearch(query, k=number + 1))
            if number % 5 == 4:
                await asyncio.sleep(0.002)
                task.cancel()  # abandons the operation where it waits
            await asyncio.wait([task])
            assert trace.get_current_span() is span

    await asyncio.gather(*(ask(number) for number in range(30)))
    assert not trace.get_current_span().get_span_context().is_valid
    by_id = {span.context.span_id: span for span in recorded()}
    searches = {}
    for span in recorded():
        if span.name == "logic_retrievers.search" and "logic_retrievers.k" in span.attributes:
            number = span.attributes["logic_retrievers.k"] - 1
            searches[span.context.span_id] = number
            assert span.parent.span_id == roots[number].span_id
            assert span.context.trace_id == roots[number].trace_id
    assert {number for number in range(30) if number % 5 != 4} <= set(searches.values())
    # a thread of a cancelled search may end its span after the search, and after this test
    children = [s for s in recorded() if s.parent and s.parent.span_id in searches]
    assert len(children) == 2 * len(searches)
    for span in children:
        parent = by_id[span.parent.span_id]
        assert parent.context.trace_id == span.context.trace_id
        assert parent.start_time <= span.start_time <= span.end_time <= parent.end_time


def test_without_a_tracer_opentelemetry_is_not_even_imported():
    code = (
        "import sys, logic_retrievers as lr\n"
        "index = lr.PassageIndex.open()\n"
        "index.add([lr.Passage('a', 'a quiet inn')])\n"
        "assert lr.Engine(index).search('inn', k=1)[0].passage.id == 'a'\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
        "import opentelemetry.trace\n"
        "assert lr.Engine(index).search('inn', k=1)[0].passage.id == 'a'\n"
        "index.close()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
