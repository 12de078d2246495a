"""A judge behind a rerank endpoint: hosted services, and servers of cross-encoders."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from pydantic import AliasChoices, BaseModel, Field, model_validator

from logic_retrievers.checks import check_count
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    shown,
)
from logic_retrievers.http import ModelEndpoint, check_address, is_number
from logic_retrievers.judging.judge import PartialAnswers, TextPair
from logic_retrievers.judging.model_judge import ModelJudge, judge_from, refuse_to_describe

Form: TypeAlias = Literal["cohere", "tei", "vllm"]

# text-embeddings-inference takes no more in a request unless it is told to
BATCH_SIZE = 32
CONCURRENCY = 4  # requests under way at the same time

# the other requests of a call would fail too, some only after all their repetitions
_LASTING = (ServerUnavailableError, ServerTimeoutError)
# after so many such failures no more is sent
MOST_FAILURES = 3


class _Request(NamedTuple):
    """Path of a request, its fields for the query and the texts, and what else it holds."""

    path: str
    query: str
    texts: str
    settings: Mapping[str, Any] = {}


_REQUESTS: Mapping[Form, _Request] = {
    "cohere": _Request("/rerank", "query", "documents"),
    "tei": _Request("/rerank", "query", "texts", {"raw_scores": True, "truncate": True}),
    "vllm": _Request("/score", "text_1", "text_2"),
}


class RerankEndpoint(ModelEndpoint, ModelJudge):
    r"""Asks a rerank endpoint how relevant passages are to a query.

    - ``form="cohere"``: POST ``url/rerank`` with ``documents``, as documented at
      docs.cohere.com/reference/rerank. Jina, Voyage, LiteLLM, vLLM, Infinity, llama.cpp's server
      and OpenVINO's take it too.
    - ``form="tei"``: POST ``url/rerank`` with ``texts``, as documented in
      text-embeddings-inference's ``docs/openapi.json``. Raw scores are asked for.
    - ``form="vllm"``: POST ``url/score`` with ``text_1`` and ``text_2``, as documented for vLLM's
      Score API at docs.vllm.ai.

    Scores are used as they come, on any scale. The passages of one query go into one request, and
    up to four requests are under way at the same time. A passage without a usable score is left
    out, with a warning. So are the passages of a request that failed. After the endpoint refused
    the key, or was unreachable or too slow three times, no further request of that call is sent.

    Args:
        url: address without ``/rerank`` or ``/score``, or with it.
        model: name of the model; empty for a server that has only one.
        form: how the service is asked, see above.
        instruction: put before each query on a line of its own, for models that follow
            instructions. If it contains ``{query}``, the query takes that place:
            ``"<Instruct>: Find what the query asks for\n<Query>: {query}"``.
        api_key, api_key_variable: the key, sent as ``Authorization: Bearer``, or the environment
            variable that holds it.
        timeout: seconds that a request may take, to the last byte of the answer.
        retries: repetitions after a lost connection, status 429, or 5xx other than 501. With all
            repetitions and pauses, including those that the endpoint asks for, a request takes at
            most ``timeout * (retries + 1)`` seconds.
        batch_size: maximum number of passages in a request.

    Raises:
        ConfigurationError: an address, key, form or number is invalid.

    Examples:
        >>> judge = RerankEndpoint("https://api.cohere.com/v2", "rerank-v3.5",
        ...                        api_key_variable="CO_API_KEY")          # doctest: +SKIP
        >>> Engine(index, reranker=judge).search("a quiet hotel")          # doctest: +SKIP
    """

    _needs_model: ClassVar[bool] = False

    def __init__(
        self,
        url: str,
        model: str = "",
        *,
        form: Form = "cohere",
        instruction: str | None = None,
        api_key: str | None = None,
        api_key_variable: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        if form not in get_args(Form):
            raise ConfigurationError(
                f"form is one of {', '.join(get_args(Form))}, not {shown(form)}"
            )
        if instruction is not None and not (isinstance(instruction, str) and instruction.strip()):
            raise ConfigurationError(f"instruction is a text or None, not {shown(instruction)}")
        check_count("batch_size", batch_size)
        self._request = _REQUESTS[form]
        self._path = self._request.path
        address = check_address(url, "url=", "http://127.0.0.1:8000/v1").rstrip("/")
        super().__init__(
            address.removesuffix(self._path),
            model,
            api_key=api_key,
            api_key_variable=api_key_variable,
            timeout=timeout,
            retries=retries,
        )
        self._instruction, self._batch_size = instruction, batch_size
        self._has_key = api_key is not None
        self._arguments = {
            "url": url,
            "model": model,
            "form": form,
            "instruction": instruction,
            "api_key_variable": api_key_variable,
            "timeout": self._limits.timeout,
            "retries": self._limits.retries,
            "batch_size": batch_size,
        }

    def __reduce__(self) -> Any:
        return judge_from, (self.describe(),)

    @property
    def constants(self) -> Mapping[str, Any]:
        """Ask in the user's words about 20 candidates, with up to 250 words of each."""
        return {"ask": "query", "candidates": 20, "max_words": 250}

    def describe(self) -> dict[str, Any]:
        """Return the constructor's arguments in JSON types, with the class's name as ``class``.

        Raises:
            ConfigurationError: the key was given as ``api_key=``.
        """
        if self._has_key:
            remedy = "Name the environment variable that holds the key as api_key_variable=."
            refuse_to_describe(self, "api_key", remedy)
        return super().describe()

    def __call__(self, pairs: Sequence[TextPair], /) -> PartialAnswers:
        """Return one score for each pair (passage, query), None where the endpoint gave none."""
        scores: list[float | None] = [None] * len(pairs)
        failures: list[ServerError] = []
        stopped = threading.Event()

        def ask(batch: tuple[str, list[int]]) -> int:
            """Store the scores of a batch, and return how many of them are missing."""
            query, numbers = batch
            if stopped.is_set():
                return 0
            try:
                found = self._scores(query, [pairs[number][0] for number in numbers])
            except ServerError as error:
                failures.append(error)
                lasting = sum(isinstance(failure, _LASTING) for failure in failures)
                if isinstance(error, AuthenticationError) or lasting >= MOST_FAILURES:
                    stopped.set()
                return 0
            for number, score in zip(numbers, found, strict=True):
                scores[number] = score
            return found.count(None)

        with ThreadPoolExecutor(CONCURRENCY) as threads:
            missing = sum(threads.map(ask, self._batches(pairs)))
        problems = [str(failure) for failure in failures[:1]]
        if missing:
            problems.append(f"{self.url} gave no usable score for {missing} passages.")
        return PartialAnswers(scores, " ".join(problems))

    def _batches(self, pairs: Sequence[TextPair]) -> list[tuple[str, list[int]]]:
        """Return the query of each request and the numbers of its pairs."""
        numbers: dict[str, list[int]] = {}
        for number, (_, query) in enumerate(pairs):
            numbers.setdefault(query, []).append(number)
        return [
            (query, group[start : start + self._batch_size])
            for query, group in numbers.items()
            for start in range(0, len(group), self._batch_size)
        ]

    def _scores(self, query: str, texts: list[str]) -> list[float | None]:
        """Send one request; return a score or None for each text.

        Raises:
            ServerError: the endpoint failed, or its answer is no list of scores.
        """
        body = {
            self._request.query: _sendable(self._with_instruction(query)),
            self._request.texts: [_sendable(text) for text in texts],
            **self._request.settings,
        }
        rows = self._ask(body, _Answer).rows
        count = Counter(row.index for row in rows if is_number(row.index, Integral))
        # an index out of range may mean that all are shifted, or belong to other texts
        if count.total() < len(rows) or any(not 0 <= index < len(texts) for index in count):
            return [None] * len(texts)
        scores = {row.index: row.number for row in rows if count[row.index] == 1}
        return [scores.get(number) for number in range(len(texts))]

    def _with_instruction(self, query: str) -> str:
        if self._instruction is None:
            return query
        if "{query}" in self._instruction:
            return self._instruction.replace("{query}", query)
        return f"{self._instruction}\n{query}"


def _sendable(text: str) -> str:
    """Replace half characters (lone surrogates), which no request can hold."""
    return text.encode(errors="replace").decode()


class _Row(BaseModel):
    """One text's score; a wrong type is that text's problem and not the whole answer's."""

    index: Any = None
    score: Any = Field(None, validation_alias=AliasChoices("relevance_score", "score"))

    @property
    def number(self) -> float | None:
        """The score, if it is a finite number."""
        is_finite = is_number(self.score, Real) and abs(self.score) <= sys.float_info.max
        return float(self.score) if is_finite else None


class _Answer(BaseModel):
    """The rows of an answer: a list, or a list under ``results`` or ``data``."""

    rows: list[_Row] = Field(validation_alias=AliasChoices("results", "data"))

    @model_validator(mode="before")
    @classmethod
    def _wrap(cls, answer: Any) -> Any:
        return {"data": answer} if isinstance(answer, list) else answer
