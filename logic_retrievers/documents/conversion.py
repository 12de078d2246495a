"""What the readers of binary formats share: their packages, and failures as a ReadError."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.errors import MAX_SHOWN, MissingExtraError, ReadError

LONGEST_MARKUP = 2**24
"""Bytes of a web page, of a chapter, or of a Word document's XML: they are held as a tree."""


def import_package(name: str, package: str) -> Any:
    """A module of a package that the extra brings.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(package, "files") from error


@contextmanager
def conversion(file: SourceFile, advice: str) -> Iterator[None]:
    """Turns whatever a converter raises on a damaged file into an error of that file.

    Args:
        file: that is converted.
        advice: what the user can do about it.

    Raises:
        ReadError: the converter failed.
    """
    try:
        yield
    except (ReadError, MissingExtraError, MemoryError):
        raise
    except RecursionError:
        raise file.error(f"its elements are nested too deeply; {advice}") from None
    except Exception as error:  # converters promise no kinds of errors
        if not file.path.stat().st_size:
            raise file.error("is empty") from None
        cause = " ".join(f"{type(error).__name__}: {error}".split())
        cause = cause if len(cause) <= MAX_SHOWN else f"{cause[:MAX_SHOWN]}..."
        raise file.error(f"damaged, or of another format ({cause}); {advice}") from None


def check_markup_size(file: SourceFile, size: int, what: str) -> None:
    """Raises a ReadError where markup is too large to be held as a tree."""
    if size > LONGEST_MARKUP:
        raise file.error(f"{what} is larger than {LONGEST_MARKUP:,} bytes; divide the file")
