"""The sparse vector ``lexical``: BM25 as Qdrant itself computes it, on any server and embedded.

The engine's own function (Qdrant Edge's ``Bm25``, a server's ``qdrant/bm25``) splits, lowercases
and stems words and drops stop words. A stored vector holds damped word counts. IDF, which makes
rare words count more, is applied by each search.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import clean_text
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.text import visible_text

NAME = "lexical"
ENGLISH = "english"
_FINGERPRINT = "bm25-"


def fingerprint(language: str) -> str:
    """Make the fingerprint by which a collection notes how the vector was made."""
    return f"{_FINGERPRINT}{language}"


def language_of(noted: str | None) -> str | None:
    """Read the language from a fingerprint; None if this package did not make the vector."""
    if noted is None or not noted.startswith(_FINGERPRINT):
        return None
    return noted.removeprefix(_FINGERPRINT)


def term_vector(text: str, language: str = ENGLISH, *, query: bool = False) -> models.SparseVector:
    """Make the sparse vector of a text: one dimension per stem, ascending.

    Args:
        text: any text; if it has no words except stop words, the vector has no entries.
        language: language of stems and stop words.
        query: give every stem weight 1 instead of ``tf (k + 1) / (tf + k (1 - b + b n / 256))``,
            where k = 1.2, b = .75 and the text has n words.

    Raises:
        ConfigurationError: a language that the engine does not know.
    """
    model = _model(language)
    text = visible_text(clean_text(text))
    normal = unicodedata.normalize("NFKC", text)
    if not query:
        vector = model.embed_document(normal)
        return models.SparseVector(indices=vector.indices, values=vector.values)
    terms = {*model.embed_query(normal).indices}
    if not text.isascii():  # earlier versions stored terms without NFKC and folding
        terms |= {*_model(language, folding=False).embed_query(text).indices}
    return models.SparseVector(indices=sorted(terms), values=[1.0] * len(terms))


def shared_words(query: str, text: str, language: str = ENGLISH) -> list[str]:
    """List the query's words, without stop words, that share a stem with the text."""
    stems = set(term_vector(text, language).indices)
    words = dict.fromkeys(re.findall(r"\w+", query))
    return [word for word in words if not stems.isdisjoint(term_vector(word, language).indices)]


@cache
def _model(language: str, *, folding: bool = True) -> Any:
    import qdrant_edge  # takes 35 MB; not needed by an index without words

    try:
        # not for other languages, because their stop words and stems have accents
        folding = folding and language == ENGLISH
        return qdrant_edge.Bm25(qdrant_edge.Bm25Config(language=language, ascii_folding=folding))
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"lexical={language!r}: no language whose words the engine can stem. Write it in"
            " English, in lower case: 'german'."
        ) from error
