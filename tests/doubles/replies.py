"""Everything a Qdrant server can answer that is not a result."""

import re
from dataclasses import dataclass

# qdrant/qdrant: `StorageError` into an HTTP status (src/actix/helpers.rs) and into a gRPC code
# (src/tonic). Display prefixes ("Not found: ", "Wrong input: ") are the same in both.
_GRPC_CODES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    422: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    507: "RESOURCE_EXHAUSTED",
}


@dataclass(eq=False)
class ErrorReply(Exception):  # noqa: N818 - a reply that travels as an exception
    """An error as the server sends it.

    Attributes:
        http: REST status.
        message: the text under `status.error`, or the gRPC details.
        retry_after: seconds, or what a proxy writes instead; sent as `Retry-After` or as trailing
            metadata.
        bare: REST sends the text alone, without the JSON envelope (authentication, routing).
        unimplemented: no such gRPC method on this server.
    """

    http: int
    message: str
    retry_after: int | str | None = None
    bare: bool = False
    unimplemented: bool = False

    @property
    def grpc(self) -> str:
        """Name of the gRPC status code."""
        return "UNIMPLEMENTED" if self.unimplemented else _GRPC_CODES[self.http]


class ConnectionDropped(Exception):  # noqa: N818
    """The connection closes without an answer."""


class NoAnswer(Exception):  # noqa: N818
    """The connection stays open and nothing is ever sent."""


@dataclass(eq=False)
class StrangeReply(Exception):  # noqa: N818
    """Status 200 with a body that Qdrant would not send; over gRPC the bytes of the message."""

    body: bytes


def no_such_endpoint() -> ErrorReply:
    """What a server says about a path that it does not know."""
    return ErrorReply(404, "", bare=True, unimplemented=True)


def bad_request(problem: str, help_: str) -> ErrorReply:
    """A refusal by strict mode."""
    return ErrorReply(400, f"Bad request: {problem}. Help: {help_}")


# Local mode's messages (qdrant-client 1.20) and the server's words for the same mistake.
_TRANSLATIONS: list[tuple[str, int, str]] = [
    (r"Collection (.*) not found", 404, r"Not found: Collection `\1` doesn't exist!"),
    (r"Collection (.*) already exists", 409, r"Wrong input: Collection `\1` already exists!"),
    (r"Point (.*) is not found in the collection", 404, r"Not found: No point with id \1 found"),
    (
        r"(?:Dense vector|Sparse vector|Multivector|Vector) (.*) is not found in the collection",
        400,
        r"Wrong input: Not existing vector name error: \1",
    ),
    (
        r"shapes \(\d+,(\d+)\) and \((\d+),\) not aligned.*",
        400,
        r"Wrong input: Vector dimension error: expected dim: \1, got \2",
    ),
    (r"(Wrong input: .*?)(?: for vector '.*')?", 400, r"\1"),
    (
        r"(.*) value (.*) is invalid\. Must be (.*)\.",
        422,
        r"Validation error in JSON body: [\1: value \2 invalid, must be \3]",
    ),
    (r"Empty update request", 422, r"Validation error in JSON body: [points: must not be empty]"),
]


def to_reply(error: Exception) -> ErrorReply:
    """The server's reply to what local mode raised; an unforeseen error is the double's own (500).

    Args:
        error: raised by the local client.
    """
    if isinstance(error, KeyError):
        return ErrorReply(404, f"Not found: No point with id {error.args[0]} found")
    if not isinstance(error, ValueError):
        return ErrorReply(500, f"Service internal error: {error!r}")
    for pattern, status, words in _TRANSLATIONS:
        if match := re.fullmatch(pattern, str(error), re.DOTALL):
            return ErrorReply(status, match.expand(words))
    return ErrorReply(400, f"Wrong input: {error}")
