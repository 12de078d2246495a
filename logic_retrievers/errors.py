"""The errors that this package raises on purpose.

    LogicRetrieversError
    ├── ConfigurationError (ValueError)      a setting or argument that cannot work
    │   ├── UnknownPolicyError               no policy has that name
    │   └── UnknownResolutionError           no resolution of contradictions has that name
    ├── InputError (ValueError)              a query or passage that cannot be used
    │   ├── EmptyTextError                   nothing but white space
    │   ├── DuplicateIdError                 two passages have the same id
    │   └── ExpressionError                  a Boolean expression that cannot be parsed or used
    ├── ReadError                            a file or row that cannot be read
    ├── BundleError                          a missing, damaged or inconsistent encoder bundle
    │   ├── BundleNotFoundError
    │   ├── ChecksumError                    a file differs from its checksum in the manifest
    │   └── QueryEncoderError                the file of a query encoder cannot be used
    ├── EncoderError                         an encoder that cannot run
    │   └── ProviderError                    the requested execution provider did not load
    ├── CollectionError                      the collection is not as required
    │   ├── CollectionNotFoundError
    │   ├── CollectionMismatchError          vector names, dimensions or distance differ
    │   │   └── FingerprintMismatchError     a different encoder made the vectors
    │   ├── MissingVectorError               the collection lacks a named vector
    │   └── CollectionLockedError            another process has the embedded folder open
    ├── ServerError                          Qdrant refused or failed
    │   ├── ServerUnavailableError           no answer after all retries
    │   ├── ServerTimeoutError               no answer in time
    │   ├── AuthenticationError              no API key, or a wrong one
    │   ├── RefusedRequestError              a model's endpoint refused this request
    │   └── StorageError                     the disk is full or not writable
    └── MissingExtraError (ImportError)      an optional dependency is not installed

Catch ``LogicRetrieversError`` for all of them. REST, gRPC and embedded mode raise the same errors.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence

# maximum characters of a value in a message
MAX_SHOWN = 80


class LogicRetrieversError(Exception):
    """Base class of all errors of this package.

    Args:
        problem: what is wrong. Without ``remedy`` it also says what to do.
        remedy: what to do in Python, if the command line words it differently.
        names: vectors or settings that the remedy is about.
    """

    def __init__(self, problem: str = "", remedy: str = "", *, names: Sequence[str] = ()) -> None:
        super().__init__(f"{problem} {remedy}" if remedy else problem)
        self.problem, self.remedy, self.names = problem, remedy, names


class ConfigurationError(LogicRetrieversError, ValueError):
    """A setting or argument that cannot work; raised before any work is done."""


class UnknownPolicyError(ConfigurationError):
    """No policy has that name."""


class UnknownResolutionError(ConfigurationError):
    """No resolution of contradictions has that name."""


class InputError(LogicRetrieversError, ValueError):
    """A query or a passage that cannot be used."""


class EmptyTextError(InputError):
    """A text with nothing but white space."""


class DuplicateIdError(InputError):
    """Two passages of one call carry the same id and differ."""


class ExpressionError(InputError):
    """A Boolean expression that cannot be parsed, or that no search can answer.

    Args:
        problem: what is wrong, and what to do about it.
        text: the expression, if it was written as text.
        position: position in ``text`` of the first wrong character.
    """

    def __init__(self, problem: str, *, text: str | None = None, position: int = 0) -> None:
        super().__init__(problem if text is None else f"{problem}\n{_with_caret(text, position)}")
        self.text = text
        self.position = None if text is None else position


def _with_caret(text: str, position: int, reach: int = 60) -> str:
    """Return one line with the text around a position, and a second with a caret below it."""
    start, end = max(0, position - reach), position + reach
    left, right = "…" if start else "", "…" if end < len(text) else ""
    shown = "".join(" " if char.isspace() else char for char in text[start:end])
    return f"    {left}{shown}{right}\n    {' ' * (len(left) + position - start)}^"


class ReadError(LogicRetrieversError):
    """A file or one of its rows cannot be read; the message names file and line.

    Args:
        problem: what is wrong, and what to do about it.
        file: the file, as a path that the user can open.
        line: the 1-based line where the row begins.
    """

    def __init__(self, problem: str, *, file: str | None = None, line: int | None = None) -> None:
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(place + problem)
        self.file = file
        self.line = line


class BundleError(LogicRetrieversError):
    """An encoder bundle that is damaged or inconsistent."""


class BundleNotFoundError(BundleError):
    """There is no bundle at that place."""


class ChecksumError(BundleError):
    """A file of the bundle differs from its checksum in the manifest."""


class QueryEncoderError(BundleError):
    """A query encoder's file is missing, damaged, or not for these documents."""


class EncoderError(LogicRetrieversError):
    """An encoder that cannot run."""


class ProviderError(EncoderError):
    """ONNX Runtime did not load the requested execution provider."""


class CollectionError(LogicRetrieversError):
    """The collection is not as required."""


class CollectionNotFoundError(CollectionError):
    """There is no collection of that name."""


class CollectionMismatchError(CollectionError):
    """Vector names, dimensions or distance differ from what the encoder needs."""


class FingerprintMismatchError(CollectionMismatchError):
    """A different encoder made the stored vectors."""


class MissingVectorError(CollectionError):
    """The collection lacks a named vector."""


class CollectionLockedError(CollectionError):
    """Another process has the embedded folder open."""


class ServerError(LogicRetrieversError):
    """Qdrant refused a request or failed while it answered."""


class ServerUnavailableError(ServerError):
    """No answer from the server after all retries."""


class ServerTimeoutError(ServerError):
    """No answer from the server in time."""


class AuthenticationError(ServerError):
    """The server requires an API key, or refused the one that was sent."""


class RefusedRequestError(ServerError):
    """A model's endpoint refused this request; it may accept others."""


class StorageError(ServerError):
    """The disk is full or not writable."""


class MissingExtraError(LogicRetrieversError, ImportError):
    """An optional dependency is not installed; the message holds the pip command."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package!r} is not installed. Run: pip install 'logic-retrievers[{extra}]'"
        )
        self._arguments = package, extra

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), self._arguments  # the default passes only the message


def shown(value: object) -> str:
    """Return a caller's value for a message: its shortened ``repr``, or its type if that fails."""
    try:
        return text if len(text := repr(value)) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
    except Exception:  # a cycle, an integer of 5,000 digits, a class that the caller wrote
        return f"an object of type {type(value).__name__}"


class MalformedAnswerError(Exception):
    """A user's model or judge gave a malformed answer. Never leaves this package."""


def describe_failure(error: Exception, subject: str = "it") -> str:
    """Describe how a model or judge failed; leave out a foreign message, which may hold a key."""
    if isinstance(error, MalformedAnswerError | ServerError):
        return str(error)
    return f"{subject} raised {type(error).__name__}"


class UntrainedVectorWarning(UserWarning):
    """A policy ranks by a vector that its encoder was not trained for."""


class LongTextWarning(UserWarning):
    """Texts are longer than an encoder reads, so their vectors miss the rest."""


class ConflictingTrustWarning(UserWarning):
    """Trusted passages contradict each other, so that they cannot all be right."""


class PairJudgeWarning(UserWarning):
    """A judge of text pairs failed or gave a malformed answer, so it is ignored."""


class FewQueriesWarning(UserWarning):
    """A fit has too few labelled queries to say much."""


class DecompositionWarning(UserWarning):
    """A language model returned no expression for a query; another parser parsed it."""


class ShortListWarning(UserWarning):
    """A search returned fewer hits than may exist.

    ``hard=True`` left out too many of its candidates, or candidates kept being deleted meanwhile.
    """


class EmptyFilterWarning(UserWarning):
    """No passage meets what a query says of declared fields, such as "under 200 euros"."""


class UnknownFieldWarning(UserWarning):
    """A filter found nothing because, in some field, no passage has a value of the wanted kind."""


class StrictModeWarning(UserWarning):
    """A collection's strict mode allows fewer results than a search wants, or delays a request."""


class OptimizationWarning(UserWarning):
    """The HNSW index of an embedded collection was not built, so searches are slower."""


class BlankTextWarning(UserWarning):
    """Blank passages were not stored; all others were."""


class LedgerWarning(UserWarning):
    """Passages of a lasting collection were hidden, but the ledger is only in memory."""


class CleaningSkippedWarning(UserWarning):
    """Cleaning failed during ingestion; the passages were stored without it."""


def warn(kind: type[Warning], message: str) -> None:
    """Issue a warning that points to the caller's line outside this package and its adapters."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None:
        if not frame.f_globals.get("__name__", "").split(".")[0].endswith("logic_retrievers"):
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def warn_each(found: Iterable[Warning]) -> None:
    """:func:`warn` for warnings that an operation has collected."""
    for warning in found:
        warn(type(warning), str(warning))
