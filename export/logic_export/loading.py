"""Opening a sentence-transformers model, by whatever name it has."""

from __future__ import annotations

from typing import Any

from sentence_transformers import SentenceTransformer

from logic_export.models import find_model
from logic_retrievers.errors import ConfigurationError


def open_model(name: str, **settings: Any) -> SentenceTransformer:
    """A packaged model, one in a folder, or one of a hub.

    Args:
        name: a packaged model's, a folder's or a hub name.
        settings: of :class:`SentenceTransformer`.

    Raises:
        ConfigurationError: no such model, or it cannot be fetched.
    """
    try:
        return SentenceTransformer(find_model(name), **settings)
    except OSError as error:
        raise ConfigurationError(
            f"no model can be loaded from {name!r}: {str(error).splitlines()[0]}"
        ) from error
