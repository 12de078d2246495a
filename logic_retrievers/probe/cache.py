"""A reader that remembers its answers on disk."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

from logic_retrievers.chat import Answers
from logic_retrievers.probe.readers.base import Prompt, Reader


class CachedReader:
    """Asks a reader what it has not answered yet.

    The key is a hash of the reader's name and the whole prompt. The file holds the answers in the
    clear, and is never pruned.

    Args:
        reader: answers what is not in the file.
        path: of an SQLite file, made where there is none.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, reader: Reader, path: Path) -> None:
        self._reader = reader
        self._answers = Answers(path)

    @property
    def name(self) -> str:
        """That of the reader."""
        return self._reader.name

    def answer(self, prompt: Prompt) -> str:
        """The answer, from the file where it has it."""
        request = [self._reader.name, *astuple(prompt)]
        known = self._answers.get(request)
        if known is not None:
            return known
        answer = self._reader.answer(prompt)
        self._answers.put(request, answer)
        return answer
