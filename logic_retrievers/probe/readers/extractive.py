"""A reader without a language model: the sentence that is nearest to the question."""

from __future__ import annotations

import re

import numpy as np

from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.probe.readers.base import Prompt

_VECTOR = "topical"
_END = re.compile(r"(?:(?<=[.!?\u2026])|(?<=[.!?\u2026][\"')\]\u201d\u2019]))\s+(?![a-z])|\n+")
_PRECISION = 6  # decimals; float32 says no more, and copies of one sentence shall tie


class ExtractiveReader:
    """Answers with the sentence of the passages whose vector is nearest to the question's.

    The earlier passage and sentence win a tie. Without passages the answer is empty. It never
    abstains, and it does not understand a negation: what it measures is what the passages say.

    Args:
        encoder: by default that of the bundle that comes with the package.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = default_encoder() if encoder is None else encoder

    @property
    def name(self) -> str:
        """The kind of reader, and the fingerprints of the vectors that it compares."""
        spec = self._encoder.specs[_VECTOR]
        sides = dict.fromkeys([spec.side("query"), spec.side("document")])
        return f"extractive ({', '.join(sides)})"

    def answer(self, prompt: Prompt) -> str:
        """The nearest sentence."""
        sentences = [one for passage in prompt.passages for one in sentences_of(passage)]
        if not sentences:
            return ""
        question = self._encoder.encode_queries([prompt.question], [_VECTOR])[_VECTOR][0]
        vectors = self._encoder.encode_documents(sentences, [_VECTOR])[_VECTOR]
        return sentences[int(np.argmax(np.round(vectors @ question, _PRECISION)))]


def sentences_of(text: str) -> list[str]:
    """The sentences of a text: they end with a mark, white space and no small letter, or a line."""
    return [part.strip() for part in _END.split(text) if part.strip()]
