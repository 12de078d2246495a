"""A chat model behind an endpoint as a reader."""

from __future__ import annotations

from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.probe.readers.base import Prompt


class EndpointReader:
    """Reads with a model behind an endpoint of the OpenAI form.

    Args:
        endpoint: where the model is.
        temperature: sent along; None leaves it out, for models that refuse it.
        max_tokens: longest answer; what is longer is cut off and graded as it is. None leaves it
            out.
        send_seed: whether the prompt's seed goes along; some models refuse one.

    Raises:
        ConfigurationError: ``max_tokens`` is under 1.

    Example:
        >>> EndpointReader(ChatEndpoint("http://127.0.0.1:8000/v1", "small"))   # doctest: +SKIP
    """

    def __init__(
        self,
        endpoint: ChatEndpoint,
        *,
        temperature: float | None = 0.0,
        max_tokens: int | None = 64,
        send_seed: bool = True,
    ) -> None:
        if max_tokens is not None and max_tokens < 1:
            raise ConfigurationError(f"max_tokens is {max_tokens}; it must be at least 1")
        self._endpoint = endpoint
        self._settings = {"temperature": temperature, "max_tokens": max_tokens}
        self._send_seed = send_seed

    @property
    def name(self) -> str:
        """The model and what is sent along; the address changes no answer."""
        sent = {**self._settings, "seed": self._send_seed}
        told = ", ".join(f"{setting}={value}" for setting, value in sent.items())
        return f"{self._endpoint.model} ({told})"

    def answer(self, prompt: Prompt) -> str:
        """The model's answer.

        Raises:
            InputError: the answer was withheld.
            ServerError: as :meth:`ChatEndpoint.complete`.
        """
        seed = prompt.seed if self._send_seed else None
        said = self._endpoint.complete(prompt.turns, **self._settings, seed=seed)
        if said.end == "content_filter":
            raise InputError(f"{self._endpoint.model!r} withheld its answer ({said.end})")
        return said.text
