"""Rewording by a language model, with checks of the answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from logic_export.data.triplets import Triplet
from logic_retrievers.chat import AnswerCache, ChatEndpoint, Completion
from logic_retrievers.encoders.base import clean_texts
from logic_retrievers.errors import EmptyTextError, InputError


class Rewriter(Protocol):
    """Follows an instruction about a text."""

    def rewrite(self, instruction: str, text: str) -> str:
        """The answer.

        Raises:
            InputError: no usable answer to this text (another text may work).
        """


class ChatRewriter:
    """A model behind any ``/chat/completions`` endpoint of the OpenAI form.

    Nothing is logged. Error messages and the ``repr`` contain neither the key nor any text.

    Args:
        base_url: what ``/chat/completions`` is appended to: ``http://127.0.0.1:8000/v1``.
        model: as the endpoint calls it.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        temperature, seed: sent with each request; None omits them, for models that refuse them.
        timeout: seconds that a request may take, to the last byte of its answer.
        retries: repetitions after a lost connection, status 429 or 5xx.
        cache: SQLite file of answers, created where missing. The key is a hash of model,
            instruction, text, temperature and seed: a build can be repeated without new requests,
            from another address too. It stores answers in plain text and is never pruned.

    Raises:
        ConfigurationError: an address, a key or a number that cannot work.
        StorageError: the cache cannot be opened, read or written.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        api_key_variable: str | None = None,
        temperature: float | None = 0.0,
        seed: int | None = 0,
        timeout: float = 60.0,
        retries: int = 4,
        cache: Path | None = None,
    ) -> None:
        self._endpoint = ChatEndpoint(
            base_url,
            model,
            api_key=api_key,
            api_key_variable=api_key_variable,
            timeout=timeout,
            retries=retries,
        )
        self._settings = {"temperature": temperature, "seed": seed}
        self._cache = None if cache is None else AnswerCache(cache)

    def __repr__(self) -> str:
        return f"ChatRewriter({self._endpoint.url!r}, {self._endpoint.model!r})"

    def rewrite(self, instruction: str, text: str) -> str:
        """The model's answer, without white space around it.

        Raises:
            InputError: an empty instruction, text or answer; an answer cut off or withheld.
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: no connection after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form.
        """
        instruction, text = clean_texts([instruction, text])
        if self._cache is None:
            return self._ask(instruction, text)
        request = [self._endpoint.model, instruction, text, *self._settings.values()]
        cached = self._cache.get(request)
        if cached is not None:
            return cached
        answer = self._ask(instruction, text)
        self._cache.put(request, answer)
        return answer

    def _ask(self, instruction: str, text: str) -> str:
        turns = [("system", instruction), ("user", text)]
        return self._whole(self._endpoint.complete(turns, **self._settings))

    def _whole(self, answer: Completion) -> str:
        model = self._endpoint.model
        if answer.end in {"length", "content_filter"}:
            raise InputError(
                f"The answer of {model!r} is not whole ({answer.end}). Leave this text out."
            )
        if not answer.text:
            raise EmptyTextError(f"The answer of {model!r} is empty. Leave this text out.")
        return answer.text


REWORD_QUERY = (
    "Reword the search query as a person would naturally ask it. Keep its meaning, and everything "
    "that it limits itself to or rules out. Keep every number and everything in quotation marks "
    "as it stands. Answer with the new query alone, on one line."
)

_WITHIN = r"((?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w))+)"  # apostrophes are not quotation marks
_QUOTED = re.compile(rf"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)['\u2018]{_WITHIN}['\u2019](?!\w)")
_NUMBER = re.compile(r"(?:(?<![\w.,])[-\u2212])?\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class RewrittenTriplets:
    """Reworded triplets.

    Args:
        triplets: those whose new query passed the checks.
        reasons: reason -> number of triplets left out.
    """

    triplets: tuple[Triplet, ...]
    reasons: Mapping[str, int]

    @property
    def rejected(self) -> int:
        """How many triplets were left out."""
        return sum(self.reasons.values())


def rewrite_queries(
    triplets: Sequence[Triplet], rewriter: Rewriter, instruction: str = REWORD_QUERY
) -> RewrittenTriplets:
    """The triplets with reworded queries, and ``reworded`` in their source.

    A triplet whose new query fails :func:`find_fault` is left out and counted; keeping its old
    query would pass a template for a natural query. A query shared by several triplets is reworded
    once. The model is asked to keep the *meaning*, constraints above all; that cannot be checked
    here.

    Raises:
        EmptyTextError: an empty instruction.
        ServerError: the rewriter fails; cached answers are kept.
    """
    clean_texts([instruction])
    outcomes: dict[str, tuple[str, str | None]] = {}
    for row in triplets:
        if row.query not in outcomes:
            outcomes[row.query] = _reword_query(row.query, rewriter, instruction)
    reasons = Counter(reason for row in triplets if (reason := outcomes[row.query][1]))
    reworded = tuple(
        replace(row, query=outcomes[row.query][0], source=f"{row.source} reworded".strip())
        for row in triplets
        if outcomes[row.query][1] is None
    )
    return RewrittenTriplets(reworded, dict(sorted(reasons.items())))


def find_fault(query: str, answer: str) -> str | None:
    """Why an answer cannot replace a query; None where it can.

    An answer must be one line, at most four times as long, with the same quotations (the marks may
    differ) and every number in digits.
    """
    query, answer = query.strip(), answer.strip()
    if not answer:
        return "empty"
    if len(answer.splitlines()) > 1:
        return "several lines"
    if len(answer) > 4 * len(query):
        return "too long"
    # a new quotation is a new demand, or quotation marks around the whole answer
    if _quotations(query) != _quotations(answer):
        return "another quotation"
    if not Counter(_NUMBER.findall(query)) <= Counter(_NUMBER.findall(answer)):
        return "a number is missing"
    return None


def _reword_query(query: str, rewriter: Rewriter, instruction: str) -> tuple[str, str | None]:
    try:
        answer = rewriter.rewrite(instruction, query).strip()
    except InputError as error:
        return "", "empty" if isinstance(error, EmptyTextError) else "no usable answer"
    return answer, find_fault(query, answer)


def _quotations(text: str) -> Counter[str]:
    return Counter("".join(groups) for groups in _QUOTED.findall(text))
