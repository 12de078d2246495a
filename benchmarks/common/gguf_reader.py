"""A local model file as a reader of the RAG probe, run in this process by llama.cpp."""

from __future__ import annotations

import hashlib
from pathlib import Path

from logic_retrievers.errors import ServerError
from logic_retrievers.probe import Prompt

# Tokens of prompt and answer together.
CONTEXT = 4096


class GgufReader:
    """Reads with a GGUF file, offline and greedily; needs the package ``xllamacpp``.

    Args:
        path: of the file. llama.cpp parses it: use no file from an untrusted source.
        max_tokens: longest answer; a longer one is truncated and graded as it is.

    Raises:
        ModuleNotFoundError: xllamacpp is not installed.
        RuntimeError: llama.cpp cannot load the file.
    """

    def __init__(self, path: Path, *, max_tokens: int) -> None:
        import xllamacpp

        settings = xllamacpp.CommonParams()
        settings.model.path = str(path)
        settings.n_ctx = CONTEXT
        settings.n_parallel = 1
        settings.cache_ram_mib = 0
        settings.warmup = False
        settings.verbosity = -1
        self._server = xllamacpp.Server(settings)
        self._max_tokens = max_tokens
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        self._name = f"{path.name} {digest[:12]} (temperature=0, max_tokens={max_tokens})"

    @property
    def name(self) -> str:
        return self._name

    def answer(self, prompt: Prompt) -> str:
        """The model's answer.

        Raises:
            ServerError: llama.cpp failed, or the prompt is longer than the context.
        """
        reply = self._server.handle_chat_completions(
            {
                "messages": [{"role": role, "content": text} for role, text in prompt.turns],
                "temperature": 0.0,
                "seed": prompt.seed,
                "max_tokens": self._max_tokens,
                # Reused prefixes change the last digits of the scores, and now and then an answer.
                "cache_prompt": False,
            }
        )
        if error := reply.get("error"):
            raise ServerError(f"llama.cpp gave no answer ({error.get('type')})")
        return str(reply["choices"][0]["message"]["content"] or "").strip()
