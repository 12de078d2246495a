"""The documents of a data set: one id per text, documents without text left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.rows import json_rows


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents by id.

    Args:
        documents: id -> text, every text once, in the order of the file.
        aliases: id of a copy -> the id in ``documents`` with the same text; copies kept apart would
            tie, and ties decide metrics.
        empty: ids of documents without text, which no search can return.
    """

    documents: Mapping[str, str]
    aliases: Mapping[str, str]
    empty: tuple[str, ...]

    def canonical_id(self, document: str) -> str | None:
        """The id in ``documents`` that has this document's text; ``None`` for an unknown id."""
        document = self.aliases.get(document, document)
        return document if document in self.documents else None


def read_corpus(
    path: Path,
    *,
    id_field: str = "_id",
    text_field: str = "text",
    keep: Collection[str] | None = None,
) -> Corpus:
    """Reads ``corpus.jsonl[.gz]``: rows ``{_id, title, text}``; ids in ``keep`` only, where given.

    A document is its title and its text, joined by a space, even where the text repeats the title
    (as in Cranfield): published figures are made this way, and one rule serves every folder.

    Raises:
        ReadError: a bad row, an id used twice, or no document at all.
    """
    documents: dict[str, str] = {}
    aliases: dict[str, str] = {}
    empty: list[str] = []
    id_by_text: dict[str, str] = {}
    seen: set[str] = set()
    for row in json_rows(path):
        document = row.id(id_field)
        if keep is not None and document not in keep:
            continue
        if document in seen:
            raise row.error(f"the id {document!r} was used before; ids must be unique")
        seen.add(document)
        text = f"{row.text('title')} {row.text(text_field)}".strip()
        if not text:
            empty.append(document)
        elif text in id_by_text:
            aliases[document] = id_by_text[text]
        else:
            id_by_text[text] = document
            documents[document] = text
    if not documents:
        raise ReadError("no document with text in this file", file=str(path))
    return Corpus(documents, aliases, tuple(empty))
