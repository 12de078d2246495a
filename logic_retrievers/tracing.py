"""Spans of OpenTelemetry for searches, rerankings, readings and cleanings.

Names and values follow OpenInference's semantic conventions, as Phoenix, Langfuse and others read
them; what these do not know begins with ``logic_retrievers.``. Spans hold ids, scores, numbers and
names. They hold texts of queries and passages only if ``LOGIC_RETRIEVERS_TRACE_TEXTS=1``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import iscoroutinefunction
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar, cast

from logic_retrievers.errors import ConfigurationError, InputError, LogicRetrieversError
from logic_retrievers.types import Hit, Passage

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

T = TypeVar("T")
P = ParamSpec("P")
SpanKind: TypeAlias = Literal["RETRIEVER", "RERANKER", "CHAIN"]
Attributes: TypeAlias = dict[str, Any]

TEXTS = "LOGIC_RETRIEVERS_TRACE_TEXTS"
# OpenTelemetry keeps 128 attributes of a span and drops the earliest, which are the best hits'
MAX_DOCUMENTS = 20

OWN = "logic_retrievers"
SPAN_KIND = "openinference.span.kind"
INPUT = "input.value"
RETRIEVED = "retrieval.documents"
RERANKER_QUERY = "reranker.query"
RERANKER_MODEL = "reranker.model_name"
RERANKER_TOP_K = "reranker.top_k"
RERANKER_INPUT = "reranker.input_documents"
RERANKER_OUTPUT = "reranker.output_documents"
# of OpenTelemetry's own conventions: its presence says that the operation failed
ERROR_TYPE = "error.type"

_tracer: Tracer | None = None


def traced(
    name: str, kind: SpanKind, describe: Callable[..., Attributes]
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Open a span for each call of a function, which may be an ``async def``.

    The span is the current one while the function runs, but not inside a generator that outlives
    the call. So it ends in the task and the thread where it began.

    Args:
        name: name of the span, behind ``logic_retrievers.``.
        kind: OpenInference's kind of span.
        describe: returns the span's attributes, given the function's result and its arguments.
            It is called only if the span is recorded.
    """
    full_name = f"{OWN}.{name}"

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def blocking(*args: P.args, **kwargs: P.kwargs) -> T:
            span = _start(full_name, kind)
            if span is None:
                return function(*args, **kwargs)
            with _current(span):
                result = function(*args, **kwargs)
                if span.is_recording():
                    _finish(span, describe(result, *args, **kwargs))
                return result

        @wraps(function)
        async def awaiting(*args: P.args, **kwargs: P.kwargs) -> Any:
            call = cast("Callable[P, Any]", function)
            span = _start(full_name, kind)
            if span is None:
                return await call(*args, **kwargs)
            with _current(span):
                result = await call(*args, **kwargs)
                if span.is_recording():
                    _finish(span, describe(result, *args, **kwargs))
                return result

        return cast("Callable[P, T]", awaiting) if iscoroutinefunction(function) else blocking

    return decorate


def _start(name: str, kind: SpanKind) -> Span | None:
    """Start a span; return None if the application has not set up OpenTelemetry."""
    global _tracer
    if _tracer is None:
        # who sets up a tracer has imported this module; importing it here would take 50 ms
        if "opentelemetry.trace" not in sys.modules:
            return None
        from opentelemetry.trace import get_tracer

        _tracer = get_tracer(OWN)  # follows a provider that is set later
    span = _tracer.start_span(name, attributes={SPAN_KIND: kind})
    return span if span.get_span_context().is_valid else None


@contextmanager
def _current(span: Span) -> Iterator[None]:
    """Make a span the current one, end it, and record an error's type."""
    from opentelemetry.trace import use_span

    # OpenTelemetry would record the message and the traceback of any error
    with use_span(span, True, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except Exception as error:
            if span.is_recording():
                _finish(span, {ERROR_TYPE: type(error).__name__}, _message(error))
            raise


@contextmanager
def children_of(span: Any) -> Iterator[None]:
    """Make another tracer's span the current one, so that spans become its children."""
    from opentelemetry.trace import use_span

    with use_span(span, record_exception=False, set_status_on_exception=False):
        yield


def _message(error: Exception) -> str:
    """Return an error's message, unless it may quote a text or be another package's."""
    quotes = isinstance(error, InputError | ConfigurationError) and not texts_are_traced()
    return "" if quotes or not isinstance(error, LogicRetrieversError) else f": {error}"


def _finish(span: Span, attributes: Attributes, message: str = "") -> None:
    from opentelemetry.trace import StatusCode

    span.set_attributes({name: value for name, value in attributes.items() if value is not None})
    if ERROR_TYPE in attributes:
        span.set_status(StatusCode.ERROR, attributes[ERROR_TYPE] + message)


def texts_are_traced() -> bool:
    """Return whether spans hold the texts of queries and passages."""
    return os.environ.get(TEXTS, "").strip().lower() in ("1", "true")


def text_attributes(**texts: Any) -> Attributes:
    """Return the texts as attributes if texts are traced, else nothing.

    Names are without ``logic_retrievers.``, except those of OpenInference with a dot in them.
    """
    if not texts_are_traced():
        return {}
    return {name if "." in name else f"{OWN}.{name}": text for name, text in texts.items()}


def own_attributes(**values: Any) -> Attributes:
    """Return numbers and names as attributes of this package."""
    return {f"{OWN}.{name}": value for name, value in values.items()}


def document_attributes(
    prefix: str, documents: Iterable[tuple[str | None, float | None, str]]
) -> Attributes:
    """Return the attributes of the first documents, each an id, a score and a text."""
    attributes: Attributes = {}
    with_text = texts_are_traced()
    for number, (name, score, text) in enumerate(islice(documents, MAX_DOCUMENTS)):
        key = f"{prefix}.{number}.document"
        attributes[f"{key}.id"] = name
        attributes[f"{key}.score"] = None if score is None else float(score)
        attributes[f"{key}.content"] = text if with_text else None
    return attributes


def hit_attributes(prefix: str, hits: Sequence[Hit]) -> Attributes:
    """Return the attributes of a list of hits."""
    rows = ((hit.passage.id, hit.score, hit.passage.text) for hit in hits)
    return {**document_attributes(prefix, rows), **own_attributes(hits=len(hits))}


def retrieval_attributes(hits: Sequence[Hit], query: Any, policy: Any, k: int) -> Attributes:
    """Return the attributes of one search."""
    return {
        **hit_attributes(RETRIEVED, hits),
        **text_attributes(**{INPUT: _text_of(query)}),
        **own_attributes(policy=_name_of(policy), k=k, ranked_by=_ranked_by(hits)),
    }


def reranking_attributes(
    hits: Sequence[Hit],
    query: Any,
    passages: Iterable[Passage],
    policy: Any,
    k: int | None,
) -> Attributes:
    """Return the attributes of a call that orders given passages, or drops some of them."""
    text = _text_of(query)
    return {
        **document_attributes(RERANKER_INPUT, ((p.id, None, p.text) for p in passages)),
        **hit_attributes(RERANKER_OUTPUT, hits),
        **text_attributes(**{INPUT: text, RERANKER_QUERY: text}),
        **own_attributes(policy=_name_of(policy), ranked_by=_ranked_by(hits)),
        RERANKER_TOP_K: k,
    }


def class_name(model: Any) -> str:
    """Return the name of a model's class, or of a function."""
    model = getattr(model, "__self__", model)  # of a bound method
    return str(getattr(model, "__name__", type(model).__name__))


def _name_of(policy: Any) -> str:
    return policy if isinstance(policy, str) else str(policy.name)


def _text_of(query: Any) -> str | None:
    # a ParsedQuery has a text, and an Expression is written as one
    return None if query is None else str(getattr(query, "text", query))


def _ranked_by(hits: Sequence[Hit]) -> str | None:
    """Return the policy that a router chose."""
    return hits[0].evidence.policy if hits else None
