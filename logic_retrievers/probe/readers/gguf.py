"""A local language model in a GGUF file, run in this process by llama.cpp."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    MissingExtraError,
    ReadError,
    ServerError,
)
from logic_retrievers.probe.readers.base import Prompt


class GgufReader:
    """Reads with a model file, offline; greedily, so that the same prompt gets the same answer.

    Nothing of a prompt is kept for the next one: reused beginnings would change the last digits of
    the scores, and now and then an answer. llama.cpp also listens on a free port of 127.0.0.1.

    Args:
        path: of the file. llama.cpp parses it; take none from a stranger.
        context: tokens of prompt and answer together.
        max_tokens: longest answer; what is longer is cut off and graded as it is.
        threads: llama.cpp's choice where None. On a machine that is busy otherwise, 1 can be many
            times faster than all: its threads wait for each other.

    Raises:
        MissingExtraError: xllamacpp is not installed.
        ReadError: no such file, or none that llama.cpp can load.
        ConfigurationError: a count under 1.
    """

    def __init__(
        self,
        path: Path,
        *,
        context: int = 4096,
        max_tokens: int = 64,
        threads: int | None = None,
    ) -> None:
        if min(context, max_tokens, 1 if threads is None else threads) < 1:
            raise ConfigurationError("context, max_tokens and threads: 1 or more.")
        self._max_tokens = max_tokens
        self._server = _loaded(path, context, threads)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self._name = f"{path.name} {digest[:12]} (temperature=0, max_tokens={max_tokens})"

    @property
    def name(self) -> str:
        """The file, a hash of what is in it, and what bounds the answer."""
        return self._name

    def answer(self, prompt: Prompt) -> str:
        """The model's answer.

        Raises:
            InputError: the prompt is longer than the context.
            ServerError: llama.cpp failed.
        """
        reply = self._server.handle_chat_completions(
            {
                "messages": [{"role": role, "content": said} for role, said in prompt.turns],
                "temperature": 0.0,
                "seed": prompt.seed,
                "max_tokens": self._max_tokens,
                "cache_prompt": False,
            }
        )
        if error := reply.get("error"):
            if error.get("type") == "exceed_context_size_error":
                raise InputError(
                    f"the prompt has {error['n_prompt_tokens']} tokens and the context "
                    f"{error['n_ctx']}; raise context=, or read fewer or shorter passages"
                )
            raise ServerError(f"llama.cpp gave no answer ({error.get('type')})")
        return str(reply["choices"][0]["message"]["content"] or "").strip()


def _loaded(path: Path, context: int, threads: int | None) -> Any:
    try:
        import xllamacpp
    except ModuleNotFoundError as error:
        if error.name != "xllamacpp":
            raise
        raise MissingExtraError("xllamacpp", "gguf") from error
    if not path.is_file():
        raise ReadError("there is no such file", file=str(path))
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.cache_ram_mib = 0
    settings.warmup = False
    settings.verbosity = -1
    if threads is not None:
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(settings)
    except RuntimeError as error:
        raise ReadError(f"llama.cpp cannot load it ({error})", file=str(path)) from error
