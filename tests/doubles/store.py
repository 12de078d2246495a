"""The engine behind the double: one local client, and what local mode does not keep."""

import sys
import threading
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client.http import models

from .operations import OPERATIONS, Call
from .rates import RateLimiter
from .replies import ErrorReply, to_reply
from .rules import check_exact, check_indexes, check_limits, check_version

ENDPOINTS = frozenset({"index/create", "index/delete", *OPERATIONS})
"""Every endpoint but the version check."""


class Store:
    """Runs calls one at a time (local mode is not thread-safe) by the rules of a server.

    Args:
        version: of the server that is played.
        strict: refuse filters on keys without a fitting payload index.
        strict_exact: refuse exact searches.
    """

    def __init__(self, version: str, *, strict: bool, strict_exact: bool) -> None:
        self._version = version
        major, minor = version.split(".")[:2]
        self._release = (int(major), int(minor))
        self._strict = strict
        self._strict_exact = strict_exact
        self._client = QdrantClient(":memory:")
        self._indexes: dict[str, dict[str, models.PayloadIndexInfo]] = {}
        self.created: dict[str, models.CreateCollection] = {}
        self._limiters: dict[int, RateLimiter] = {}
        self._lock = threading.Lock()

    def run(self, call: Call) -> Any:
        """The result in REST models.

        Raises:
            ErrorReply: the call fails as a server would fail it.
        """
        with self._lock:
            try:
                self._check(call)
                return self._dispatch(call)
            except ErrorReply:
                raise
            except Exception as error:
                raise to_reply(error) from error

    def close(self) -> None:
        self._client.close()

    def _check(self, call: Call) -> None:
        check_version(call.endpoint, call.body, self._release)
        if self._strict:
            indexes = self._indexes_of(call.collection).items()
            check_indexes(call.body, {key: info.data_type.value for key, info in indexes})
        if self._strict_exact:
            check_exact(call.body)
        created = self.created.get(self._name_of(call.collection))
        strict = created and created.strict_mode_config
        if strict and strict.enabled:
            check_limits(call.endpoint, call.body, strict)
            limiter = self._limiters.setdefault(id(strict), RateLimiter(strict))
            limiter.check(call.endpoint, call.body)

    def _dispatch(self, call: Call) -> Any:
        match call.endpoint:
            case "version":
                title = "qdrant - vector search engine"
                return models.VersionInfo(title=title, version=self._version)
            case "index/create":
                return self._create_index(call)
            case "index/delete":
                self._client.get_collection(call.collection)
                self._indexes_of(call.collection).pop(call.item, None)
                return _completed()
        result = OPERATIONS[call.endpoint](self._client, call)
        match call.endpoint:
            case "collections/get":
                if (body := self.created.get(self._name_of(call.collection))) is not None:
                    result.config = _as_created(result.config, body)
                result.payload_schema = {
                    key: index.model_copy(update={"points": self._count_with(call.collection, key)})
                    for key, index in self._indexes_of(call.collection).items()
                }
            case "collections/create":
                self.created[call.collection] = call.body
                self._indexes[call.collection] = {}
                # Local mode warns past 20,000 points; a server has no such limit.
                local = self._client._client.collections[call.collection]  # type: ignore[attr-defined]
                local.LARGE_DATA_THRESHOLD = sys.maxsize
            case "collections/delete":
                self._indexes.pop(call.collection, None)
                self.created.pop(call.collection, None)
        return result

    def _name_of(self, collection: str) -> str:
        """The collection's own name, of an alias too."""
        aliases = {
            alias.alias_name: alias.collection_name for alias in self._client.get_aliases().aliases
        }
        return aliases.get(collection, collection)

    def _indexes_of(self, collection: str) -> dict[str, models.PayloadIndexInfo]:
        return self._indexes.get(self._name_of(collection), {})

    def _create_index(self, call: Call) -> models.UpdateResult:
        """Keep the index here: local mode only warns that it has none."""
        schema = call.body.field_schema
        params = None if isinstance(schema, models.PayloadSchemaType) else schema
        kind = models.PayloadSchemaType(schema if params is None else params.type.value)
        self._indexes_of(call.collection)[call.body.field_name] = models.PayloadIndexInfo(
            data_type=kind, params=params, points=0
        )
        return _completed()

    def _count_with(self, collection: str, key: str) -> int:
        """How many points have a value under a key, as the server counts them for its index."""
        absent = models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
        return self._client.count(collection, models.Filter(must_not=[absent])).count


def _completed() -> models.UpdateResult:
    return models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)


def _as_created(
    config: models.CollectionConfig, body: models.CreateCollection
) -> models.CollectionConfig:
    """Local mode's description with what it ignored when the collection was made."""
    params = {
        name: value
        for name in ("shard_number", "replication_factor", "write_consistency_factor")
        if (value := getattr(body, name)) is not None
    }
    on_disk = body.on_disk_payload is not False  # a server's default
    hnsw = body.hnsw_config.model_dump(exclude_none=True) if body.hnsw_config else {}
    optimizers = body.optimizers_config
    changed = optimizers.model_dump(exclude_none=True) if optimizers else {}
    wal = body.wal_config.model_dump(exclude_none=True) if body.wal_config else {}
    return config.model_copy(
        update={
            "params": config.params.model_copy(update={**params, "on_disk_payload": on_disk}),
            "hnsw_config": config.hnsw_config.model_copy(update=hnsw),
            "optimizer_config": config.optimizer_config.model_copy(update=changed),
            "wal_config": config.wal_config.model_copy(update=wal),
            "quantization_config": body.quantization_config,
            "strict_mode_config": body.strict_mode_config or config.strict_mode_config,
        }
    )
