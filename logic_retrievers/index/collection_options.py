"""``collection_options``: how Qdrant keeps a collection, in the words of ``create_collection``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, PositiveInt, ValidationError
from pydantic_core import PydanticSerializationError, to_json
from qdrant_client import models

from logic_retrievers.errors import CollectionMismatchError, ConfigurationError
from logic_retrievers.index.collection_metadata import by_stored_name

_FIXED = ("shard_number", "wal_config")
"""What Qdrant sets once, when it makes a collection."""


class CollectionOptions(BaseModel):
    """Shards, copies, and what is kept where; all are Qdrant's own defaults where left out.

    Args:
        shard_number: parts of a collection, spread over the nodes of a cluster.
        replication_factor: copies of each shard, on as many nodes: with two, one may die.
        write_consistency_factor: copies that must have a write before it is acknowledged.
        on_disk_payload: whether texts and metadata are read from the disk.
        on_disk: whether the dense vectors are.
        hnsw_config, optimizers_config, wal_config, quantization_config, strict_mode_config: as
            qdrant-client's models, or dictionaries of their fields.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shard_number: PositiveInt | None = None
    replication_factor: PositiveInt | None = None
    write_consistency_factor: PositiveInt | None = None
    on_disk_payload: bool | None = None
    on_disk: bool | None = None
    hnsw_config: models.HnswConfigDiff | None = None
    optimizers_config: models.OptimizersConfigDiff | None = None
    wal_config: models.WalConfigDiff | None = None
    quantization_config: models.QuantizationConfig | None = None
    strict_mode_config: models.StrictModeConfig | None = None

    @classmethod
    def read(cls, options: Mapping[str, Any] | None) -> CollectionOptions:
        """Checked options.

        Raises:
            ConfigurationError: an unknown name, or a value of another kind; the message names it.
        """
        try:
            # as JSON, since strict validation takes dictionaries for models there alone; a lax one
            # takes True for 1
            return cls.model_validate_json(to_json(dict(options or {})), strict=True)
        except PydanticSerializationError as error:
            raise ConfigurationError(f"collection_options: {error}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            known = ", ".join(cls.model_fields)
            wrong = first["msg"] if first["loc"][0] in cls.model_fields else f"There are {known}"
            raise ConfigurationError(f"collection_options: {where!r}: {wrong}.") from error

    @classmethod
    def of(cls, config: models.CollectionConfig) -> CollectionOptions:
        """The options of a collection on a server."""
        found: dict[str, Any] = {}
        for option in cls.model_fields:
            actual = _actual(option, config)
            if isinstance(actual, BaseModel):  # what a server says and is told: two classes
                found[option] = actual.model_dump(exclude_none=True)
            elif isinstance(actual, list):
                found[option] = all(actual) or None
            else:  # over gRPC a number is 0 where it is not said
                found[option] = actual if isinstance(actual, bool) else actual or None
        return cls.read(found)

    @property
    def given(self) -> dict[str, Any]:
        """The options that are set."""
        return {name: value for name, value in self if value is not None}

    def check_embedded(self) -> None:
        """Refuses what an engine in this process does not have, or would ignore.

        Raises:
            ConfigurationError: such an option is given.
        """
        wrong = set(self.given)
        if getattr(getattr(self.quantization_config, "scalar", None), "type", None) == "int8":
            wrong.remove("quantization_config")
        if wrong:
            raise ConfigurationError(
                f"collection_options: the embedded engine has no {', '.join(sorted(wrong))} (of"
                " quantization, int8 alone). Leave it out, or run a server (docker/compose.yml)."
            )

    def creation_arguments(self, dense: Mapping[str, models.VectorParams]) -> dict[str, Any]:
        """Arguments of ``create_collection``, over vectors that may be put on the disk."""
        arguments = self.given
        if (on_disk := arguments.pop("on_disk", None)) is not None:
            arguments["vectors_config"] = {
                name: params.model_copy(update={"on_disk": on_disk})
                for name, params in dense.items()
            }
        return arguments

    def check(self, name: str, config: models.CollectionConfig) -> None:
        """Compares what is wanted with what an existing collection has.

        Raises:
            CollectionMismatchError: it has something else; the message says how to change it.
        """
        for option, wanted in self.given.items():
            for field, value, actual in _differences(option, wanted, _actual(option, config)):
                change = (
                    "It is set once, when a collection is made: index into another"
                    " (PassageIndex.copy_to)."
                    if option in _FIXED
                    else "Change it with QdrantClient.update_collection, or leave it out."
                )
                raise CollectionMismatchError(
                    f"Collection {name!r} has {field} = {actual!r}, not {value!r}. {change}"
                )


def _actual(option: str, config: models.CollectionConfig) -> Any:
    """What a collection has, in the place where its description says it."""
    if option == "on_disk":
        return [bool(params.on_disk) for params in by_stored_name(config.params.vectors).values()]
    if option == "optimizers_config":
        return config.optimizer_config
    if option in models.CollectionParams.model_fields:
        return getattr(config.params, option)
    return getattr(config, option)


def _differences(path: str, wanted: Any, actual: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each field that is wanted otherwise than it is: its name, the wanted value, the actual."""
    if isinstance(wanted, BaseModel):
        for field in wanted.model_fields_set:
            value = getattr(wanted, field)
            yield from _differences(f"{path}.{field}", value, getattr(actual, field, None))
    elif isinstance(actual, list) and not isinstance(wanted, list):
        if different := [value for value in actual if value != wanted]:
            yield path, wanted, different[0]
    elif wanted is not None and wanted != actual:
        yield path, wanted, actual
