"""A filter's result as the suites look at it: with the filter's evidence alone under the key."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any


class Beside(MutableMapping[str, Any]):
    """The very metadata of a result, whose ``logic`` shows what stands under ``contradiction``."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        self._metadata = metadata

    def __getitem__(self, key: str) -> Any:
        value = self._metadata[key]
        return value["contradiction"] if key == "logic" else value

    def __setitem__(self, key: str, value: Any) -> None:
        self._metadata[key] = value

    def __delitem__(self, key: str) -> None:
        del self._metadata[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metadata)

    def __len__(self) -> int:
        return len(self._metadata)
