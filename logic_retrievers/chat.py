"""Chat models behind OpenAI-compatible ``/chat/completions`` endpoints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from logic_retrievers.errors import InputError
from logic_retrievers.http import ModelEndpoint


class ChatEndpoint(ModelEndpoint):
    """A client of a chat model; see :class:`~logic_retrievers.http.ModelEndpoint`."""

    _path = "/chat/completions"

    def complete(self, turns: Iterable[tuple[str, str]], **settings: float | None) -> str:
        """Send a conversation and return the answer, stripped of white space. It may be empty.

        Args:
            turns: (role, text) pairs; a role is ``system``, ``user`` or ``assistant``.
            **settings: sent with the request (``temperature``, ``seed``, ``max_tokens``). None
                leaves a setting out, for models that refuse it.

        Raises:
            InputError: a content filter withheld the answer.
            ServerError: the server did not answer (ServerUnavailableError) or not in time
                (ServerTimeoutError), answered in an unknown form, or refused the request or its key
                (AuthenticationError).
        """
        messages = [{"role": role, "content": text} for role, text in turns]
        given = {name: value for name, value in settings.items() if value is not None}
        body: dict[str, Any] = {"messages": messages, **given}
        answer = self._ask(body, _Answer)
        if answer.end == "content_filter":
            raise InputError(f"{self.model!r} withheld its answer ({answer.end})")
        return (answer.content or "").strip()


class _Answer(BaseModel):
    content: str | None = Field(validation_alias=AliasPath("choices", 0, "message", "content"))
    end: str | None = Field(None, validation_alias=AliasPath("choices", 0, "finish_reason"))
