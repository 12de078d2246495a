"""Chat models behind OpenAI-compatible ``/chat/completions`` endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from logic_retrievers.errors import InputError
from logic_retrievers.http import ModelEndpoint


class Token(BaseModel):
    """A token that could have come first, and its log-probability."""

    token: str
    logprob: float


class ChatReply(BaseModel):
    """A chat model's answer; ``first`` is empty unless log-probabilities were asked for."""

    content: str | None = Field(validation_alias=AliasPath("choices", 0, "message", "content"))
    end: str | None = Field(None, validation_alias=AliasPath("choices", 0, "finish_reason"))
    first: list[Token] | None = Field(
        None, validation_alias=AliasPath("choices", 0, "logprobs", "content", 0, "top_logprobs")
    )

    @property
    def text(self) -> str:
        """The answer, stripped of white space. It may be empty."""
        return (self.content or "").strip()


class ChatEndpoint(ModelEndpoint):
    """A client of a chat model; see :class:`~logic_retrievers.http.ModelEndpoint`."""

    _path = "/chat/completions"

    def complete(self, turns: Iterable[tuple[str, str]], **settings: Any) -> str:
        """Send a conversation and return the text of the :meth:`reply`."""
        return self.reply(turns, **settings).text

    def reply(self, turns: Iterable[tuple[str, str]], **settings: Any) -> ChatReply:
        """Send a conversation and return the answer.

        Args:
            turns: (role, text) pairs; a role is ``system``, ``user`` or ``assistant``.
            **settings: sent with the request (``temperature``, ``seed``, ``max_tokens``). None
                leaves a setting out, for models that refuse it.

        Raises:
            InputError: a content filter withheld the answer.
            ServerError: the server did not answer (ServerUnavailableError) or not in time
                (ServerTimeoutError), answered in an unknown form, or refused the request
                (RefusedRequestError) or its key (AuthenticationError).
        """
        messages = [{"role": role, "content": text} for role, text in turns]
        given = {name: value for name, value in settings.items() if value is not None}
        answer = self._ask({"messages": messages, **given}, ChatReply)
        if answer.end == "content_filter":
            raise InputError(f"{self.model!r} withheld its answer ({answer.end})")
        return answer
