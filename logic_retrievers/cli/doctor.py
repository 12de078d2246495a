"""``logic-retrievers doctor``: list the installed parts and check that they work."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer import Option

from logic_retrievers.cli.console import AsJson, ExitCode, describe_error, out, print_json
from logic_retrievers.cli.options import StoredCollection, as_command, open_encoder
from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import LogicRetrieversError

if TYPE_CHECKING:
    from logic_retrievers.index import PassageIndex

CORE = ("logic-retrievers", "numpy", "onnxruntime", "qdrant-client", "tokenizers")
OPTIONAL = (
    *("langchain-core", "llama-index-core", "haystack-ai"),
    *("sentence-transformers", "torch", "ir-measures"),
    *("pypdfium2", "mammoth", "markdownify", "opentelemetry-api"),
)
# these packages share a folder, so installing one breaks the one before
RUNTIMES = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino")
NOTE = "on the server"
SLOW = "slow or missing"
# number of passages from which filtering a field without a payload index is slow
SLOW_FILTER = 10_000


class Check(NamedTuple):
    """One check: name, result and detail."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class PossibleCollection(StoredCollection):
    """The options of a stored collection; without a location, no index is checked."""

    location: Annotated[
        str,
        Option(
            "--location",
            "-l",
            envvar="LOGIC_RETRIEVERS_LOCATION",
            help="Look at the index there too.",
            show_default=False,
        ),
    ] = ""


@as_command
def doctor(as_json: AsJson = False, *, stored: PossibleCollection) -> None:
    """Check the installation, the encoder, and the index where one is named."""
    checks = [*_check_installation()]
    checks += _until_error("encoder bundle", _check_bundle(stored.bundle))
    if stored.location:
        checks += _until_error("index", _check_index(stored))
    if as_json:
        print_json([check._asdict() for check in checks])
    else:
        for check in checks:
            sign = ("ok  ", "green") if check.ok else ("FAIL", "red")
            sign = ("note", "yellow") if check.name in {SLOW, NOTE} else sign
            out.print_line(sign, " ", (check.name, "bold"), f": {check.detail}")
    if not all(check.ok for check in checks):
        raise typer.Exit(ExitCode.FAILED)


def _check_installation() -> Iterator[Check]:
    yield Check("python", True, f"{platform.python_version()} on {platform.platform()}")
    runtimes = [package for package in RUNTIMES if _installed_version(package)]
    for package in CORE:
        found = runtimes[:1] if package == "onnxruntime" else [package]
        installed = next(map(_installed_version, found), None)
        yield Check(package, installed is not None, installed or "not installed")
    optional = [f"{p} {_installed_version(p)}" for p in OPTIONAL if _installed_version(p)]
    yield Check("optional packages", True, ", ".join(optional) or "none")
    if len(runtimes) > 1:
        remedy = f"pip uninstall {' '.join(runtimes)}, then install the one that you want"
        detail = f"they overwrite each other's files; run: {remedy}"
        yield Check(" and ".join(runtimes), False, detail)


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _until_error(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    try:
        yield from checks
    except LogicRetrieversError as error:
        yield Check(name, False, describe_error(error))


def _check_bundle(bundle: Path | None) -> Iterator[Check]:
    from logic_retrievers.encoders import default_bundle_path, verify_bundle
    from logic_retrievers.encoders.int8 import int8_instructions

    path = bundle or default_bundle_path()
    verify_bundle(path)
    heads = ", ".join(
        f"{spec.name} ({spec.dimension} dimensions{'' if spec.trained else ', not trained'})"
        for spec in open_encoder(bundle).specs.values()
    )
    detail = f"{path.name}: checksums and parity vectors agree; {heads}"
    yield Check("encoder bundle", True, detail)
    instructions = int8_instructions()
    found = f"possible with {instructions}" if instructions else "not possible: no VNNI, AMX or dot"
    yield Check("precision int8", True, found)


def _check_index(stored: StoredCollection) -> Iterator[Check]:
    with stored.open(reads=True) as index:
        where = f"{stored.collection!r} at {stored.location}"
        yield Check("index", True, f"{index.count()} passages in {where}")
        yield from (Check(name, True, detail) for name, detail in _describe_index(index))


def _describe_index(index: PassageIndex) -> Iterator[tuple[str, str]]:
    from logic_retrievers.index.client_calls import client_call
    from logic_retrievers.index.collection import read_vectors
    from logic_retrievers.index.edge.collection import EXACT_LIMIT

    client: Any = index.client
    info = index.connection.handle(client_call("get_collection", index.collection))
    points, payload_indexes = info.points_count or 0, info.payload_schema or {}
    vectors = read_vectors(index.collection, info, None).values()
    sparse = [vector for vector in vectors if vector.sparse]
    incomplete = [vector.name for vector in vectors if vector.incomplete]
    unindexed, slow_fields, server_notes = 0, "", []
    if index.embedded:
        files = [path for path in client.folder_of(index.collection).rglob("*") if path.is_file()]
        mib = sum(path.stat().st_blocks * 512 for path in files) / 2**20
        engine = _installed_version("qdrant-edge-py")
        yield "engine", f"embedded, qdrant-edge-py {engine}; {mib:,.1f} MiB on disk"
        unindexed = client.unindexed_points(index.collection)
    else:
        server = index.connection.handle(ClientCall("info", {})).version
        yield "engine", f"Qdrant server {server}"
        yield from _describe_server(info)
        server_notes = _server_notes(info, server)
        if points > SLOW_FILTER:
            page, _ = index.run(index.read_page())
            keys = {key for passage in page for key in passage.metadata}
            fields = {f"{at}.{key}".lstrip(".") for at in index.prefixes for key in keys}
            slow_fields = ", ".join(sorted(fields - payload_indexes.keys()))
    kinds = {v.name: f"{v.dimension or v.language}{', int8' if v.int8 else ''}" for v in vectors}
    yield "vectors", ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
    indexed = (info.indexed_vectors_count or 0) - len(sparse) * points
    how = f"by HNSW, with {indexed:,} vectors in it" if indexed > 0 else "exact, over all passages"
    quantized = ", int8 first" if info.config.quantization_config else ""
    yield "search", f"{how}{quantized}; segments: {info.segments_count}"
    yield "payload indexes", ", ".join(sorted(payload_indexes)) or "none"
    if incomplete:
        remedy = f"`logic-retrievers backfill {' '.join(incomplete)}`"
        names = ", ".join(incomplete)
        yield SLOW, f"searches do without {names}, whose back-fill was stopped: run {remedy}"
    if not sparse:
        remedy = "run `logic-retrievers backfill lexical`"
        yield SLOW, f"no words are stored, as hybrid searches need: {remedy}"
    if unindexed > EXACT_LIMIT:
        remedy = "run `logic-retrievers index` again, or optimize(), to build their HNSW index"
        cost = "minutes, and the disk space again"
        yield SLOW, f"every search compares {unindexed:,} passages one by one: {remedy} ({cost})"
    if slow_fields:
        remedy = "open the collection with indexed_fields={...} once"
        reads = "reads every payload, or is refused in strict mode"
        yield SLOW, f"a filter on {slow_fields} {reads}: {remedy}"
    for note in server_notes:
        yield NOTE, note


def _describe_server(info: Any) -> Iterator[tuple[str, str]]:
    params, strict = info.config.params, info.config.strict_mode_config
    shards, copies = params.shard_number or 1, params.replication_factor or 1
    where = "disk" if params.on_disk_payload else "memory"
    yield "shards", f"{shards}, copies of each: {copies}; payload in {where}"
    limits = strict.model_dump(exclude_none=True) if strict and strict.enabled else {}
    limits.pop("enabled", None)
    allowed = ", ".join(f"{name} {value}" for name, value in limits.items())
    yield "strict mode", allowed or ("on, without limits" if strict and strict.enabled else "off")


def _server_notes(info: Any, server: str) -> list[str]:
    from logic_retrievers.index.candidate_search import SPARE
    from logic_retrievers.policies import AutoPolicy

    params, strict = info.config.params, info.config.strict_mode_config
    client = _installed_version("qdrant-client") or server
    theirs, ours = (tuple(map(int, each.split(".")[:2])) for each in (server, client))
    most = strict.max_query_limit if strict and strict.enabled else None
    wanted = AutoPolicy().limit + SPARE
    states = {
        "yellow": "indexes are being built; searches are slower until they are",
        "grey": "indexes are not built until the next write",
        "red": "the server reports damage: look at its log",
    }
    notes = []
    if theirs[0] != ours[0] or abs(theirs[1] - ours[1]) > 1:
        apart = "are more than a minor version apart, which Qdrant does not test"
        notes.append(f"server {server} and qdrant-client {client} {apart}")
    if (params.shard_number or 1) > 1 and (params.replication_factor or 1) == 1:
        notes.append(
            "there is one copy of each shard, so that a dead node makes the collection unavailable:"
            " reindex with replication_factor 2"
        )
    if most is not None and most < wanted:
        notes.append(
            f"strict mode allows {most} results of a search, and policies choose from {wanted}:"
            f" raise its max_query_limit to {wanted}"
        )
    return notes + ([states[info.status]] if info.status in states else [])
