"""``logic-retrievers doctor``: what is installed, and whether it works."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logic_retrievers.cli.console import AsJson, ExitCode, out, print_json
from logic_retrievers.cli.options import StoredCollection, as_command, open_encoder
from logic_retrievers.cli.shell_words import in_shell_words
from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import LogicRetrieversError

if TYPE_CHECKING:
    from logic_retrievers.index import PassageIndex

CORE = ("logic-retrievers", "numpy", "onnxruntime", "qdrant-client", "tokenizers")
OPTIONAL = (
    *("langchain-core", "llama-index-core", "haystack-ai"),
    *("sentence-transformers", "torch", "ir-measures"),
    *("pypdfium2", "mammoth", "markdownify"),
)
CLASHES = (
    ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino"),
    ("faiss-cpu", "faiss-gpu"),
)
"""Distributions that install over one folder, so that the last one breaks the others."""
NOTE = "on the server"
SLOW = "slow or missing"
SLOW_FILTER = 10_000
"""Passages from which one feels that a server filters a field without a payload index."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; ``ok`` and ``detail`` are what the command prints."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class PossibleCollection(StoredCollection):
    """The same, where one is named."""

    location: Annotated[
        str,
        typer.Option(
            "--location",
            "-l",
            envvar="LOGIC_RETRIEVERS_LOCATION",
            help="Look at the index there too.",
            show_default=False,
        ),
    ] = ""


@as_command
def doctor(as_json: AsJson = False, *, stored: PossibleCollection) -> None:
    """Checks the installation, the encoder, and the index where one is named."""
    checks = [*_check_installation(), *_check_clashes()]
    checks += _until_error("encoder bundle", _check_bundle(stored.bundle))
    if stored.location:
        checks += _until_error("index", _check_index(stored))
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            sign = ("ok  ", "green") if check.ok else ("FAIL", "red")
            sign = ("note", "yellow") if check.name in {SLOW, NOTE} else sign
            out.print_line(sign, " ", (check.name, "bold"), f": {check.detail}")
    if not all(check.ok for check in checks):
        raise typer.Exit(ExitCode.FAILED)


def _check_installation() -> Iterator[Check]:
    yield Check("python", True, f"{platform.python_version()} on {platform.platform()}")
    for package in CORE:
        package_version = _installed_version(package)
        if package == "onnxruntime":
            package_version = package_version or _installed_version("onnxruntime-gpu")
        yield Check(package, package_version is not None, package_version or "not installed")
    optional = [f"{p} {_installed_version(p)}" for p in OPTIONAL if _installed_version(p)]
    yield Check("optional packages", True, ", ".join(optional) or "none")


def _check_clashes() -> Iterator[Check]:
    for packages in CLASHES:
        installed = [package for package in packages if _installed_version(package)]
        if len(installed) > 1:
            yield Check(
                " and ".join(installed),
                False,
                "they overwrite each other's files; "
                f"run: pip uninstall {' '.join(installed)}, then install the one that you want",
            )


def _installed_version(package: str) -> str | None:
    """The version of a distribution; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _until_error(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    """The checks; one that fails under this name in place of those from an error on."""
    try:
        yield from checks
    except LogicRetrieversError as error:
        yield Check(name, False, in_shell_words(str(error)))


def _check_bundle(bundle: Path | None) -> Iterator[Check]:
    from logic_retrievers.encoders import default_bundle_path, verify_bundle

    path = bundle or default_bundle_path()
    verify_bundle(path)
    encoder = open_encoder(bundle)
    heads = ", ".join(
        f"{spec.name} ({spec.dimension} dimensions{'' if spec.trained else ', not trained'})"
        for spec in encoder.specs.values()
    )
    detail = f"{path.name}: checksums and parity vectors agree; {heads}"
    yield Check("encoder bundle", True, detail)


def _check_index(stored: StoredCollection) -> Iterator[Check]:
    """What the index consists of, and what is slow."""
    with stored.open(reads=True) as index:
        where = f"{stored.collection!r} at {stored.location}"
        yield Check("index", True, f"{index.count()} passages in {where}")
        yield from (Check(name, True, detail) for name, detail in _describe_index(index))


def _describe_index(index: PassageIndex) -> Iterator[tuple[str, str]]:
    from logic_retrievers.index.collection import read_vectors
    from logic_retrievers.index.edge.collection import EXACT_LIMIT
    from logic_retrievers.index.requests import client_call

    client: Any = index.client
    info = index.connection.handle(client_call("get_collection", index.collection))
    points, payload_indexes = info.points_count or 0, info.payload_schema or {}
    vectors = read_vectors(index.collection, info, None).values()
    words = [vector for vector in vectors if vector.sparse]
    incomplete = [vector.name for vector in vectors if vector.incomplete]
    unindexed, fields, server_notes = 0, set(), []
    if index.embedded:
        files = [path for path in client.folder_of(index.collection).rglob("*") if path.is_file()]
        mib = sum(path.stat().st_blocks * 512 for path in files) / 2**20
        version = _installed_version("qdrant-edge-py")
        yield "engine", f"embedded, qdrant-edge-py {version}; {mib:,.1f} MiB on disk"
        unindexed = client.unindexed_points(index.collection)
    else:
        version = index.connection.handle(ClientCall("info", {})).version
        yield "engine", f"Qdrant server {version}"
        yield from _describe_shape(info)
        server_notes = _server_notes(info, version)
        if points > SLOW_FILTER:
            page, _ = index.run(index.read_page())
            keys = {key for passage in page for key in passage.metadata}
            fields = {f"{at}.{key}".lstrip(".") for at in index.prefixes for key in keys}
    sizes = [f"{v.name} ({v.dimension or v.language})" for v in vectors]
    yield "vectors", ", ".join(sizes)
    indexed = (info.indexed_vectors_count or 0) - len(words) * points
    how = f"by HNSW, with {indexed:,} vectors in it" if indexed > 0 else "exact, over all passages"
    quantized = ", int8 first" if info.config.quantization_config else ""
    yield "search", f"{how}{quantized}; segments: {info.segments_count}"
    yield "payload indexes", ", ".join(sorted(payload_indexes)) or "none"
    slow_fields = sorted(fields - payload_indexes.keys())
    for holds, note in (
        (
            incomplete,
            f"searches do without {', '.join(incomplete)}, whose back-fill was stopped: run"
            f" `logic-retrievers backfill {' '.join(incomplete)}`, or backfill() again",
        ),
        (not words, 'no words are stored, as hybrid searches need: run backfill(["lexical"])'),
        (
            unindexed > EXACT_LIMIT,
            f"every search compares {unindexed:,} passages one by one: run `logic-retrievers index`"
            " again, or optimize(), to build their HNSW index (minutes, and the disk space again)",
        ),
        (
            slow_fields,
            f"a filter on {', '.join(slow_fields)} reads every payload, or is refused in strict"
            " mode: open the collection with indexed_fields={...} once",
        ),
    ):
        if holds:
            yield SLOW, note
    yield from ((NOTE, note) for note in server_notes)


def _describe_shape(info: Any) -> Iterator[tuple[str, str]]:
    """How a server keeps the collection, and what it allows."""
    params, strict = info.config.params, info.config.strict_mode_config
    shards, copies = params.shard_number or 1, params.replication_factor or 1
    where = "disk" if params.on_disk_payload else "memory"
    yield "shards", f"{shards}, copies of each: {copies}; payload in {where}"
    limits = strict.model_dump(exclude_none=True) if strict and strict.enabled else {}
    limits.pop("enabled", None)
    allowed = ", ".join(f"{name} {value}" for name, value in limits.items())
    yield "strict mode", allowed or ("on, without limits" if strict and strict.enabled else "off")


def _server_notes(info: Any, version: str) -> list[str]:
    """What to change on a server."""
    from logic_retrievers.index.candidate_search import SPARE
    from logic_retrievers.policies import AutoPolicy

    params, strict = info.config.params, info.config.strict_mode_config
    client = _installed_version("qdrant-client") or version
    theirs, ours = (tuple(map(int, each.split(".")[:2])) for each in (version, client))
    most = strict.max_query_limit if strict and strict.enabled else None
    wanted = AutoPolicy().limit + SPARE
    notes = (
        (
            theirs[0] != ours[0] or abs(theirs[1] - ours[1]) > 1,
            f"server {version} and qdrant-client {client} are more than a minor version apart,"
            " which Qdrant does not test",
        ),
        (
            (params.shard_number or 1) > 1 and (params.replication_factor or 1) == 1,
            "there is one copy of each shard, so that a dead node makes the collection unavailable:"
            " reindex with replication_factor 2",
        ),
        (
            most is not None and most < wanted,
            f"strict mode allows {most} results of a search, and policies choose from {wanted}:"
            f" raise its max_query_limit to {wanted}",
        ),
        (info.status == "yellow", "indexes are being built; searches are slower until they are"),
        (info.status == "grey", "indexes are not built until the next write"),
        (info.status == "red", "the server reports damage: look at its log"),
    )
    return [note for holds, note in notes if holds]
