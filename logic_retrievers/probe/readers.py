"""Readers answer questions from passages: extractive, or a chat endpoint; and a cache."""

from __future__ import annotations

import re
from dataclasses import astuple
from pathlib import Path
from typing import Protocol

import numpy as np

from logic_retrievers.chat import AnswerCache, ChatEndpoint
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.probe.prompt import Prompt

_VECTOR = "topical"
_SENTENCE_END = re.compile(
    r"(?:(?<=[.!?\u2026])|(?<=[.!?\u2026][\"')\]\u201d\u2019]))\s+(?![a-z])|\n+"
)
_PRECISION = 6  # decimals: below float32's, so that copies of one sentence tie


class Reader(Protocol):
    """Answers a question from passages."""

    @property
    def name(self) -> str:
        """Model and settings that change an answer, no secret: part of the cache's key."""

    def answer(self, prompt: Prompt) -> str:
        """The answer to a prompt.

        Raises:
            LogicRetrieversError: no answer to this prompt; to another one there may be.
        """


class ExtractiveReader:
    """Answers without a language model: the sentence whose vector is nearest to the question's.

    The earlier passage and sentence win a tie. Without passages the answer is empty. It never
    abstains, and it does not understand a negation: it measures what the passages say.

    Args:
        encoder: by default that of the bundle that comes with the package.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = default_encoder() if encoder is None else encoder

    @property
    def name(self) -> str:
        """The kind of reader, and the fingerprints of the vectors that it compares."""
        spec = self._encoder.specs[_VECTOR]
        fingerprints = dict.fromkeys(
            [spec.fingerprint_for("query"), spec.fingerprint_for("document")]
        )
        return f"extractive ({', '.join(fingerprints)})"

    def answer(self, prompt: Prompt) -> str:
        """The nearest sentence."""
        sentences = [
            sentence for passage in prompt.passages for sentence in split_sentences(passage)
        ]
        if not sentences:
            return ""
        question = self._encoder.encode_queries([prompt.question], [_VECTOR])[_VECTOR][0]
        vectors = self._encoder.encode_documents(sentences, [_VECTOR])[_VECTOR]
        return sentences[int(np.argmax(np.round(vectors @ question, _PRECISION)))]


def split_sentences(text: str) -> list[str]:
    """Splits at line breaks, and after a mark with white space unless a small letter follows."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


class EndpointReader:
    """Reads with a chat model behind an endpoint of the OpenAI form.

    Args:
        endpoint: of the model.
        temperature: sent with the prompt; None leaves it out, for models that refuse it.
        max_tokens: longest answer; a longer one is truncated and graded as it is. None leaves it
            out.
        send_seed: whether the prompt's seed is sent; some models refuse one.

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
        self._endpoint = endpoint
        self._settings = {"temperature": temperature, "max_tokens": max_tokens}
        self._send_seed = send_seed

    @property
    def name(self) -> str:
        """The model and the settings that are sent; the address changes no answer."""
        settings = {**self._settings, "seed": self._send_seed}
        listed = ", ".join(f"{setting}={value}" for setting, value in settings.items())
        return f"{self._endpoint.model} ({listed})"

    def answer(self, prompt: Prompt) -> str:
        """The model's answer.

        Raises:
            InputError: the answer was withheld.
            ServerError: as :meth:`ChatEndpoint.complete`.
        """
        seed = prompt.seed if self._send_seed else None
        completion = self._endpoint.complete(prompt.turns, **self._settings, seed=seed)
        if completion.end == "content_filter":
            raise InputError(f"{self._endpoint.model!r} withheld its answer ({completion.end})")
        return completion.text


class CachedReader:
    """Keeps a reader's answers on disk and asks it only for those that are missing.

    The key is a hash of the reader's name and the whole prompt. The file holds the answers as
    plain text, and is never pruned.

    Args:
        reader: answers what is not in the file.
        path: of an SQLite file, made where there is none.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, reader: Reader, path: Path) -> None:
        self._reader = reader
        self._answers = AnswerCache(path)

    @property
    def name(self) -> str:
        """That of the reader."""
        return self._reader.name

    def answer(self, prompt: Prompt) -> str:
        """The answer, from the file where it has one."""
        request = [self._reader.name, *astuple(prompt)]
        cached = self._answers.get(request)
        if cached is not None:
            return cached
        answer = self._reader.answer(prompt)
        self._answers.put(request, answer)
        return answer
