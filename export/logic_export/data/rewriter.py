"""A language model that rewords text; the templates of ``wording`` are the road without one."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from logic_retrievers.chat import Answers, ChatEndpoint, Completion
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import EmptyTextError, InputError


class Rewriter(Protocol):
    """Anything that follows an instruction about a text."""

    def rewrite(self, instruction: str, text: str) -> str:
        """The answer.

        Raises:
            InputError: no usable answer to this text; to another one there may be.
        """


class ChatRewriter:
    """A model behind any ``/chat/completions`` endpoint of the OpenAI form.

    Nothing is logged. Messages of errors and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: what ``/chat/completions`` is appended to: ``http://127.0.0.1:8000/v1``.
        model: as the endpoint calls it.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        temperature, seed: sent along; None leaves them out, for models that refuse them.
        timeout: seconds of silence before a request counts as lost.
        retries: repetitions after a lost connection, status 429 or 5xx.
        cache: SQLite file of answers, made where there is none. The key is a hash of model,
            instruction, text, temperature and seed: a build can be repeated without asking again,
            from another address too. It holds the answers in the clear, and is never pruned.

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
        self._cache = None if cache is None else Answers(cache)

    def __repr__(self) -> str:
        return f"ChatRewriter({self._endpoint.url!r}, {self._endpoint.model!r})"

    def rewrite(self, instruction: str, text: str) -> str:
        """The model's answer, without white space around it.

        Raises:
            InputError: an empty instruction, text or answer; an answer cut off or withheld.
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: nobody answers after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form.
        """
        instruction, text = check_texts([instruction, text])
        if self._cache is None:
            return self._ask(instruction, text)
        request = [self._endpoint.model, instruction, text, *self._settings.values()]
        known = self._cache.get(request)
        if known is not None:
            return known
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
