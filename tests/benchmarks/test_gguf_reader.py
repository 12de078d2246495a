"""The report's local model: what is asked of llama.cpp, and what its errors become."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from chat_endpoint import completion

from benchmarks.common.gguf_reader import CONTEXT, GgufReader
from logic_retrievers.errors import InputError, ServerError
from logic_retrievers.probe import build_prompt

PROMPT = build_prompt("Who plays chess?", ["Ann grows roses.", "Cid plays chess."], 3)


class Bindings:
    """What the reader uses of xllamacpp."""

    def __init__(self) -> None:
        self.replies: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.settings: Any = None

    def CommonParams(self) -> SimpleNamespace:  # noqa: N802
        return SimpleNamespace(model=SimpleNamespace())

    def Server(self, settings: Any) -> Bindings:  # noqa: N802
        self.settings = settings
        return self

    def handle_chat_completions(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(request)
        return self.replies.pop(0)


def test_a_local_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left to llama.cpp's defaults changes with its version."""
    bindings = Bindings()
    monkeypatch.setitem(sys.modules, "xllamacpp", bindings)
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    reader = GgufReader(file, max_tokens=8)
    bindings.replies += [
        completion(" Cid ", "length"),
        {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}},
        {"error": {"type": "server_error", "message": PROMPT.user}},
    ]
    assert reader.answer(PROMPT) == "Cid"
    (asked,) = bindings.asked
    assert [(m["role"], m["content"]) for m in asked["messages"]] == PROMPT.turns
    assert asked["seed"] == 3
    assert (asked["temperature"], asked["max_tokens"], asked["cache_prompt"]) == (0, 8, False)
    assert (bindings.settings.n_ctx, bindings.settings.n_parallel) == (CONTEXT, 1)
    with pytest.raises(InputError, match="9000 tokens and the context 4096"):
        reader.answer(PROMPT)
    with pytest.raises(ServerError, match="server_error") as caught:
        reader.answer(PROMPT)
    assert "chess" not in str(caught.value)
    assert GgufReader(file, max_tokens=9).name != reader.name
    file.write_bytes(b"other")
    assert GgufReader(file, max_tokens=8).name != reader.name
