"""``encode`` and ``index``: actors that hold an encoder, over the batches of a Ray data set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, Unpack

import pyarrow as pa
import ray.data

from logic_retrievers import OnnxEncoder, Passage, PassageIndex
from logic_retrievers.checks import check_count
from logic_retrievers.documents.files import Problem, Record, SourceFile, to_passage
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import CollectionError, ConfigurationError, InputError, ServerError
from logic_retrievers.index.settings import Settings, is_address
from logic_retrievers.text import is_blank

Row: TypeAlias = dict[str, Any]

# An actor that claims a whole core leaves none for Ray's own tasks, which read the data set.
CORES_PER_WORKER = 0.5
BATCH_SIZE = 256
# a request to a server is repeated for about a minute, so that its restart stops no run
RETRIES = 10
_COUNTS = ("added", "updated", "unchanged")
_RESULT = pa.schema(
    [*((name, pa.int64()) for name in _COUNTS), ("id", pa.string()), ("reason", pa.string())]
)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The result of :func:`index`.

    ``refusals`` has a row for every row that was not stored: ``id``, None if it has none, and
    ``reason``.
    """

    added: int
    updated: int
    unchanged: int
    refused: int
    refusals: ray.data.Dataset


def index(
    dataset: ray.data.Dataset,
    *,
    name: str = "passages",
    encoder: Encoder | None = None,
    workers: int = 1,
    batch_size: int = BATCH_SIZE,
    cores_per_worker: float = CORES_PER_WORKER,
    **settings: Unpack[Settings],
) -> IndexReport:
    """Store the rows of a data set as passages, and wait until all are stored.

    A row is read as a row of a file is (``read_documents``): ``text``, ``id``, and the rest as
    metadata. A row without an id gets one from its content. So a batch that Ray repeats
    after a worker died, or a second run, writes nothing twice. A row that cannot be stored takes no
    other with it.

    Args:
        dataset: rows with a column ``text``.
        name: name of the collection; it is created if it does not exist.
        encoder: makes the vectors; must be picklable. By default each worker opens that of the
            package, with one thread.
        workers: number of actors. Each holds an encoder.
        batch_size: rows that an actor stores at a time.
        cores_per_worker: how much of a core an actor claims from Ray; less than it uses.
        **settings: of :meth:`PassageIndex.open`. ``location`` must be the address of a Qdrant
            server, or those of a cluster. Requests are repeated ten times by default.

    Raises:
        ConfigurationError: the location is not a server, or a setting cannot work.
        CollectionError, ServerError: as for :meth:`PassageIndex.open`.
    """
    _require_server(settings.get("location"))
    settings = {"retries": RETRIES, **settings}
    with PassageIndex.open(name, _open(encoder), **settings):
        pass  # creates it once, and refuses what does not fit before any worker starts
    results = _map(
        dataset,
        _Indexer,
        (name, encoder, settings),
        workers,
        batch_size,
        cores_per_worker,
    ).materialize()
    counts = dict.fromkeys((*_COUNTS, "refused"), 0)
    for table in results.iter_batches(batch_format="pyarrow"):
        for each in _COUNTS:
            counts[each] += sum(filter(None, table[each].to_pylist()))
        counts["refused"] += len(table) - table["reason"].null_count
    refusals = results.filter(lambda row: row["reason"] is not None)
    return IndexReport(**counts, refusals=refusals.select_columns(["id", "reason"]))


def encode(
    dataset: ray.data.Dataset,
    encoder: Encoder | None = None,
    *,
    names: Sequence[str] | None = None,
    text: str = "text",
    workers: int = 1,
    batch_size: int = BATCH_SIZE,
    cores_per_worker: float = CORES_PER_WORKER,
) -> ray.data.Dataset:
    """Add a column with each vector of the texts, as documents; lazy, as ``map_batches`` is.

    Args:
        dataset: rows with texts.
        encoder: as for :func:`index`.
        names: the vectors; by default all that the encoder makes.
        text: the column with the texts. A text without words gets null vectors.
        workers: as for :func:`index`, like the next two.
        batch_size: rows that an actor encodes at a time.
        cores_per_worker: how much of a core an actor claims from Ray.

    Raises:
        ConfigurationError: the encoder does not make a vector.
    """
    specs = _open(encoder).specs
    wanted = list(specs) if names is None else list(names)
    if unknown := [each for each in wanted if each not in specs]:
        raise ConfigurationError(f"the encoder makes {', '.join(specs)}, not {unknown[0]!r}")
    arguments = (encoder, wanted, text)
    return _map(dataset, _Encoder, arguments, workers, batch_size, cores_per_worker)


def _map(
    dataset: ray.data.Dataset,
    actor: type,
    arguments: tuple[Any, ...],
    workers: int,
    batch_size: int,
    cores: float,
) -> ray.data.Dataset:
    check_count("workers", workers)
    check_count("batch_size", batch_size)
    return dataset.map_batches(
        actor,
        fn_constructor_args=arguments,
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=cores,
        batch_size=batch_size,
        batch_format="pyarrow",
    )


def _open(encoder: Encoder | None) -> Encoder:
    return OnnxEncoder(threads=1) if encoder is None else encoder


def _require_server(location: object) -> None:
    places = list(location) if isinstance(location, list | tuple) else [location]
    if not places or not all(isinstance(place, str) and is_address(place) for place in places):
        raise ConfigurationError(
            "Ray's workers need a Qdrant server, since only one process at a time can open a "
            "folder. Pass location='http://HOST:6333'."
        )


class _Indexer:
    """Stores batches of rows; one actor of :func:`index`."""

    def __init__(self, name: str, encoder: Encoder | None, settings: Settings) -> None:
        self._index = PassageIndex.open(name, _open(encoder), **settings)

    def __call__(self, batch: pa.Table) -> pa.Table:
        passages: dict[str, Passage] = {}
        refusals: list[Row] = []
        for row in batch.to_pylist():
            try:
                passage = _to_passage(row)
            except (InputError, Problem) as error:
                refusals.append(_refusal(row, error))
                continue
            if passages.setdefault(passage.id, passage) != passage:
                refusals.append({"id": passage.id, "reason": "another row has its id"})
        counts, more = self._add(list(passages.values()))
        return pa.Table.from_pylist([counts, *refusals, *more], schema=_RESULT)

    def _add(self, passages: Sequence[Passage]) -> tuple[Row, list[Row]]:
        """Store passages together, or one by one if some of them cannot be stored."""
        try:
            report = self._index.add(passages)
        except (CollectionError, ServerError):
            raise
        except Exception as error:  # also what an encoder of the user's own raises
            if len(passages) == 1:
                return {}, [{"id": passages[0].id, "reason": str(error)}]
        else:
            return {count: getattr(report, count) for count in _COUNTS}, []
        # what was stored by then counts as unchanged: Ray's own repetitions count so, too
        counts, refusals = dict.fromkeys(_COUNTS, 0), list[Row]()
        for passage in passages:
            stored, refused = self._add([passage])
            refusals += refused
            for count, number in stored.items():
                counts[count] += number
        return counts, refusals


class _Encoder:
    """Adds vectors to batches of rows; one actor of :func:`encode`."""

    def __init__(self, encoder: Encoder | None, names: Sequence[str], text: str) -> None:
        self._encoder, self._names, self._text = _open(encoder), names, text

    def __call__(self, batch: pa.Table) -> pa.Table:
        texts = [_read(value) for value in batch[self._text].to_pylist()]
        present = [text for text in texts if text]
        found = self._encoder.encode_documents(present, self._names) if present else {}
        for name in self._names:
            rows: Iterator[Any] = iter(found.get(name, ()))
            values = [next(rows).tolist() if text else None for text in texts]
            batch = batch.append_column(name, pa.array(values, pa.list_(pa.float32())))
        return batch


def _read(value: object) -> str:
    return value if isinstance(value, str) and not is_blank(value) else ""


def _to_passage(row: Row) -> Passage:
    values = {key: value for key, value in row.items() if value is not None}
    content = json.dumps(values, sort_keys=True, default=str).encode()
    file = SourceFile(Path("row"), hashlib.sha256(content).hexdigest()[:32], ".parquet")
    passage = to_passage(Record(values), file)
    if is_blank(passage.text):
        raise InputError("its text holds nothing to read")
    return replace(passage, source=None)


def _refusal(row: Row, error: Exception) -> Row:
    name = row.get("_id", row.get("id"))
    return {"id": None if name is None else str(name), "reason": str(error)}
