"""``ChatJudge``: a language model as a judge."""

from __future__ import annotations

import inspect
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Lock
from typing import Any, Literal, TypeAlias, get_args

from logic_retrievers.answer_cache import AnswerCache, request_key
from logic_retrievers.chat import ChatEndpoint, ChatReply
from logic_retrievers.checks import check_choice, check_count, check_type
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    MalformedAnswerError,
    RefusedRequestError,
    ServerError,
    describe_failure,
    shown,
)
from logic_retrievers.judging.chat_questions import (
    SCHEMA,
    Form,
    Turns,
    ask_about,
    ask_about_two,
    read,
    weigh,
)
from logic_retrievers.judging.judge import PartialAnswers, TextPair
from logic_retrievers.judging.model_judge import ModelJudge, judge_from, refuse_to_describe

# continues a conversation of (role, text) turns
Chat: TypeAlias = Callable[[Turns], str]
AnswerForm: TypeAlias = Literal["auto", "token", "json"]

_PATH = "/chat/completions"
MOST_THREADS = 256
# longest answers, in tokens
_WORD, _SENTENCE, _JSON = 1, 16, 64
# after so many refused requests, and none that was accepted, no more are sent
_MOST_REFUSED = 3


class ChatJudge(ModelJudge):
    """Asks a language model if a passage offers what a query says, and has what it excludes.

    It also tells if two passages contradict each other. Each question is one request, answered with
    yes or no: one for the query and one for each excluded text, about each of the first ten
    candidates. Passages are quoted in the prompt, but may still persuade a model: a verdict is no
    protection against texts that are written to deceive it.

    Args:
        url: base address of an OpenAI-style endpoint, such as ``http://127.0.0.1:8000/v1``; or a
            function ``chat(turns) -> str`` that continues a conversation of (role, text) turns. It
            raises InputError if the model withholds an answer.
        model: name of the model.
        answer: ``token`` takes the probability of yes from the probabilities of the first token,
            where the endpoint gives them. ``json`` asks for JSON; yes is then 1 and no 0. ``auto``
            takes the token's probabilities or, without them, the word of the text as 1 or 0.
        cache: path of an SQLite file that keeps answers by the hash of address, model, settings and
            prompt.
        concurrency: maximum number of simultaneous requests.
        budget: maximum number of requests in the judge's life, without repetitions after a lost
            connection; None means any number.
        extra: further fields of each request. A field of None is left out, also one that is sent
            otherwise, such as ``temperature``. For llama.cpp's server ``{"cache_prompt": False}``
            makes probabilities independent of earlier requests. A saved file holds them readably.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        timeout: seconds that a request may take, to the last byte of the answer.
        retries: repetitions after a lost connection, status 429 or 5xx.

    Raises:
        ConfigurationError: a setting cannot work.
        StorageError: the cache cannot be opened.

    Examples:
        >>> judge = ChatJudge("http://127.0.0.1:8000/v1", "qwen3", budget=10_000)  # doctest: +SKIP
        >>> Engine(index, judge=judge).search("a hotel without a pool")             # doctest: +SKIP
    """

    compares = True

    def __init__(
        self,
        url: str | Chat,
        model: str = "",
        *,
        answer: AnswerForm = "auto",
        cache: str | os.PathLike[str] | None = None,
        concurrency: int = 4,
        budget: int | None = None,
        extra: Mapping[str, Any] | None = None,
        api_key: str | None = None,
        api_key_variable: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
    ) -> None:
        check_choice("answer", answer, get_args(AnswerForm))
        check_count("concurrency", concurrency, MOST_THREADS)
        if budget is not None:
            check_count("budget", budget)
        check_type("model", model, str)
        self._extra = _checked_extra(extra)
        self._chat = None if isinstance(url, str) else _checked_chat(url)
        self._endpoint = None
        if isinstance(url, str):
            base = url.rstrip("/").removesuffix(_PATH)
            keys = {"api_key": api_key, "api_key_variable": api_key_variable}
            self._endpoint = ChatEndpoint(base, model, **keys, timeout=timeout, retries=retries)
        elif answer == "token" or self._extra or api_key or api_key_variable:
            raise ConfigurationError(
                "answer='token', extra=, api_key= and api_key_variable= are for an endpoint's"
                " address; a function that chats returns text and has settings of its own"
            )
        if cache is not None and not model:
            raise ConfigurationError(
                "cache= needs model=, the name under which a function's answers are kept"
            )
        self._cache = None if cache is None else AnswerCache(cache)
        self._url, self._model, self._answer = url, model, answer
        self._concurrency, self._budget = concurrency, budget
        self._has_key = api_key is not None
        self._arguments = {
            "url": url,
            "model": model,
            "answer": answer,
            "cache": None if self._cache is None else self._cache.path,
            "concurrency": concurrency,
            "budget": budget,
            "extra": self._extra or None,
            "api_key_variable": api_key_variable,
            "timeout": timeout,
            "retries": retries,
        }
        self._lock, self._requests = Lock(), 0
        # position of the settings that the endpoint accepts; None until it has accepted some
        self._accepted: int | None = None

    def __repr__(self) -> str:
        named = self._url
        if not isinstance(named, str):  # its own repr may show a key
            named = getattr(named, "__name__", type(named).__name__)
        return f"{type(self).__name__}({named!r}, {self._model!r})"

    def __reduce__(self) -> Any:
        return judge_from, (self.describe(),)

    @property
    def constants(self) -> Mapping[str, Any]:
        # fewer candidates, because each takes several requests
        return {"ask": "parts", "max_words": 200, "candidates": 10}

    @property
    def requests(self) -> int:
        """Number of requests so far; answers from the cache cost none."""
        return self._requests

    def __call__(self, pairs: Sequence[TextPair], /) -> list[tuple[float, float, float] | None]:
        """Return how likely each passage satisfies its query, and how likely it does not.

        The third probability is 0: what a passage violates is asked with ``JudgeSettings.ask`` of
        ``parts``, the default. The result has None where no answer came; see
        :class:`PartialAnswers`.
        """
        form = self._form
        answers = self._ask_all([ask_about(*pair, form) for pair in pairs])
        answers[:] = [None if each is None else (each, 1 - each, 0.0) for each in answers]
        return answers

    def contradictions(self, pairs: Sequence[TextPair], /) -> list[float | None]:
        form = self._form
        return self._ask_all([ask_about_two(*pair, form) for pair in pairs])

    def describe(self) -> dict[str, Any]:
        if not isinstance(self._url, str):
            refuse_to_describe(self, "url", "Pass the function again where it is loaded.")
        if self._has_key:
            refuse_to_describe(
                self, "api_key", "Name the environment variable with api_key_variable=."
            )
        return super().describe()

    @property
    def _form(self) -> Form:
        return "json" if self._answer == "json" else "word"

    def _ask_all(self, prompts: Sequence[Turns]) -> list[Any]:
        """Return the probability of yes for each prompt."""
        address = self._url if isinstance(self._url, str) else ""
        settings = (address, self._model, self._answer, self._extra)
        keys = [request_key(*settings, turns) for turns in prompts]
        call = _Call(self._cache)
        missing = {
            key: turns for key, turns in zip(keys, prompts, strict=True) if not call.find(key)
        }
        left = list(missing.items())

        def ask(key: bytes, turns: Turns) -> None:
            call.keep(key, lambda: self._ask(turns))

        # one by one until it is known which settings the endpoint accepts
        while left and self._endpoint and self._accepted is None and not call.stopped:
            ask(*left.pop(0))
        with ThreadPoolExecutor(self._concurrency) as pool:
            try:
                wait([pool.submit(copy_context().run, partial(ask, *each)) for each in left])
            finally:  # an interruption waits for the requests that run, and sends no more
                call.stopped = True
        answers = [call.answers.get(key) for key in keys]
        problem = call.problem(len(missing))
        return PartialAnswers(answers, problem) if problem else answers

    def _ask(self, turns: Turns) -> float:
        if self._chat is not None:
            self._spend()
            text = self._chat(turns)
            if not isinstance(text, str):
                raise MalformedAnswerError(f"it answered with a {type(text).__name__}, not a text")
            return read(text)
        reply = self._reply(turns)
        if reply.first or self._answer == "token":
            return weigh(reply.first or ())
        return read(reply.text)

    def _reply(self, turns: Turns) -> ChatReply:
        """Ask with the best settings that the endpoint accepts."""
        settings = self._settings
        if self._accepted is not None:
            return self._send(turns, settings[self._accepted])
        for number, each in enumerate(settings):
            try:
                reply = self._send(turns, each)
            except RefusedRequestError:
                if each is settings[-1]:
                    raise
                continue
            if reply.first or "logprobs" not in each:
                self._accepted = number
                return reply
        raise ServerError(
            f"{self._url} gives no probabilities of tokens. Use answer='auto' or 'json'."
        )

    def _send(self, turns: Turns, settings: Mapping[str, Any]) -> ChatReply:
        assert self._endpoint is not None
        self._spend()
        return self._endpoint.reply(turns, **{**settings, **self._extra})

    @property
    def _settings(self) -> list[dict[str, Any]]:
        """Return settings of a request, best first; an endpoint may refuse some of them."""
        word = {"temperature": 0.0, "max_tokens": _WORD, "logprobs": True}
        weighed = [{**word, "top_logprobs": count} for count in (20, 5)]
        if self._answer == "token":
            return weighed
        if self._answer == "auto":
            return [*weighed, {"temperature": 0.0, "max_tokens": _SENTENCE}, {}]
        plain = {"temperature": 0.0, "max_tokens": _JSON}
        return [{**plain, "response_format": SCHEMA}, plain, {}]

    def _spend(self) -> None:
        with self._lock:
            if self._budget is not None and self._requests >= self._budget:
                raise _BudgetError(f"the budget of {self._budget:,} requests is used up")
            self._requests += 1


class _BudgetError(Exception):
    """No request is left."""


class _Call:
    """The answers to one call, and what went wrong.

    Attributes:
        answers: by key.
        stopped: whether to send no further requests.
    """

    def __init__(self, cache: AnswerCache | None) -> None:
        self.answers: dict[bytes, float] = {}
        self.stopped = False
        self._cache = cache
        self._reason, self._answered = "", False
        self._missed: Counter[str] = Counter()

    def find(self, key: bytes) -> bool:
        """Look for an answer in the cache."""
        stored = None if self._cache is None else self._cache.get(key)
        with suppress(TypeError, ValueError):  # the file may hold others' answers
            self.answers[key] = float(stored)  # type: ignore[arg-type]
        return key in self.answers

    def keep(self, key: bytes, ask: Callable[[], float]) -> None:
        """Ask and keep the answer, unless stopped; note what goes wrong."""
        if self.stopped:
            return
        try:
            self.answers[key] = answer = ask()
            self._answered = True  # and not from the cache
            if self._cache is not None:
                self._cache.put(key, str(answer))
        except MalformedAnswerError:
            self._missed["answers could not be read; try another answer="] += 1
        except InputError:
            self._missed["answers were withheld"] += 1
        except RefusedRequestError as error:
            self._missed[f"requests were refused: {error}"] += 1
            if not self._answered and self._missed.total() >= _MOST_REFUSED:
                self._stop("no further requests were sent")
        # errors of endpoint and cache hold neither a key nor a text
        except (_BudgetError, ServerError) as error:
            self._stop(str(error))
        except Exception as error:
            self._stop(describe_failure(error, "the chat model"))

    def problem(self, asked: int) -> str:
        """Say what went wrong with ``asked`` requests; empty if nothing did."""
        told = [f"{count} of {asked} {what}" for what, count in self._missed.items()]
        return "; ".join([*told, *filter(None, [self._reason])])

    def _stop(self, reason: str) -> None:
        if not self.stopped:
            self.stopped, self._reason = True, reason


def _checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    check_type("extra", extra, Mapping, type(None))
    try:
        fields: dict[str, Any] = json.loads(json.dumps(dict(extra or {}), allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise ConfigurationError("extra= must hold JSON types, by the name of a field") from None
    if taken := {"messages", "model", "stream"} & fields.keys():
        raise ConfigurationError(f"extra= cannot set {min(taken)!r}")
    return fields


def _checked_chat(chat: Any) -> Chat:
    call = getattr(chat, "__call__", None)  # noqa: B004 - an object whose call is async
    is_async = inspect.iscoroutinefunction(chat) or inspect.iscoroutinefunction(call)
    if not callable(chat) or isinstance(chat, type) or is_async:
        raise ConfigurationError(
            "url= is an endpoint's address, or a function chat(turns) -> str that is not async,"
            f" not {shown(chat)}"
        )
    function: Chat = chat
    return function
