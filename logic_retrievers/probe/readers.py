"""Answer questions from passages: extractively, through a chat endpoint, or from a cache."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import numpy as np

from logic_retrievers.answer_cache import AnswerCache, request_key
from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.probe.grading import WORDING

Role: TypeAlias = Literal["system", "user", "assistant"]

_VECTOR = "topical"
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?\u2026])|(?<=[.!?\u2026][\"')\]\u201d\u2019]))\s+(?![a-z])|\n+"
)
_PRECISION = 6  # decimals of a score; fewer than in float32, so that copies of a sentence tie


@dataclass(frozen=True, slots=True)
class Prompt:
    """The input of a reader. Only the passages differ between configurations.

    A chat model gets the instruction ``system``, the worked ``examples`` (message, answer), and
    ``user``, which holds passages and question in one message. ``seed`` is for readers that sample.
    """

    question: str
    passages: tuple[str, ...]
    system: str
    user: str
    seed: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def turns(self) -> list[tuple[Role, str]]:
        """The conversation that a chat model continues: role and text."""
        worked: list[tuple[Role, str]] = []
        for message, answer in self.examples:
            worked += [("user", message), ("assistant", answer)]
        return [("system", self.system), *worked, ("user", self.user)]


def build_prompt(question: str, passages: Sequence[str], seed: int = 0) -> Prompt:
    """Build a prompt from an instruction, two worked examples, the passages and the question."""

    def message(passages: Sequence[str], question: str) -> str:
        numbered = [f"{n}. {' '.join(text.split())}" for n, text in enumerate(passages, 1)]
        return "\n".join(["Passages:", *numbered, f"Question: {question}"])

    examples = tuple(
        (message(e["passages"], e["question"]), e["answer"]) for e in WORDING["examples"]
    )
    user = message(passages, question)
    return Prompt(question, tuple(passages), WORDING["system"], user, seed, examples)


class Reader(Protocol):
    """Answers a question from passages."""

    @property
    def name(self) -> str:
        """Model and settings that change an answer; part of the cache's key, without secrets."""

    def answer(self, prompt: Prompt) -> str:
        """Answer a prompt.

        Raises:
            LogicRetrieversError: this prompt got no answer; a different prompt may still get one.
        """


class ExtractiveReader:
    """Answers with the sentence nearest to the question by vectors, without a language model.

    The earlier passage and sentence win a tie. Without passages the answer is empty. The reader
    never abstains and does not understand negation, so it only shows what the passages say.

    Args:
        encoder: encoder of questions and sentences; by default the package's own.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = default_encoder() if encoder is None else encoder

    @property
    def name(self) -> str:
        spec = self._encoder.specs[_VECTOR]
        fingerprints = {spec.fingerprint_for("query"): 0, spec.fingerprint_for("document"): 0}
        return f"extractive ({', '.join(fingerprints)})"

    def answer(self, prompt: Prompt) -> str:
        sentences = [text for passage in prompt.passages for text in split_sentences(passage)]
        if not sentences:
            return ""
        question = self._encoder.encode_queries([prompt.question], [_VECTOR])[_VECTOR][0]
        vectors = self._encoder.encode_documents(sentences, [_VECTOR])[_VECTOR]
        return sentences[int(np.argmax(np.round(vectors @ question, _PRECISION)))]


def split_sentences(text: str) -> list[str]:
    """Split at line breaks, and after end marks with a space unless a small letter follows."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


class EndpointReader:
    """Answers with a chat model behind an OpenAI-style endpoint.

    Args:
        endpoint: client of the chat model.
        temperature: sent with the prompt; None omits it, for models that refuse a temperature.
        max_tokens: longest answer; longer ones are truncated, then graded. None omits the limit.
        send_seed: whether to send the prompt's seed; some models refuse seeds.

    Raises:
        ConfigurationError: ``max_tokens`` is under 1.
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
        self._endpoint, self._send_seed = endpoint, send_seed
        self._settings = {"temperature": temperature, "max_tokens": max_tokens}

    @property
    def name(self) -> str:
        """The model and its settings. The address is left out, because it changes no answer."""
        settings = {**self._settings, "seed": self._send_seed}
        listed = ", ".join(f"{setting}={value}" for setting, value in settings.items())
        return f"{self._endpoint.model} ({listed})"

    def answer(self, prompt: Prompt) -> str:
        seed = prompt.seed if self._send_seed else None
        return self._endpoint.complete(prompt.turns, **self._settings, seed=seed)


class CachedReader:
    """Keeps a reader's answers on disk, and asks the reader only for missing ones.

    The key is a hash of the reader's name and the whole prompt. The file holds answers in plain
    text; see :class:`~logic_retrievers.answer_cache.AnswerCache`.

    Args:
        reader: answers the prompts that are not in the file.
        path: path of an SQLite file, created if missing.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, reader: Reader, path: Path) -> None:
        self._reader = reader
        self._answers = AnswerCache(path)

    @property
    def name(self) -> str:
        return self._reader.name

    def answer(self, prompt: Prompt) -> str:
        key = request_key(self._reader.name, *astuple(prompt))
        known = self._answers.get(key)
        if known is not None:
            return known
        answer = self._reader.answer(prompt)
        self._answers.put(key, answer)
        return answer
