"""Define options that several commands share, and open encoders, policies and collections."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_type_hints

from typer import Option

from logic_retrievers.cli.console import report_errors
from logic_retrievers.errors import ConfigurationError, ReadError, shown
from logic_retrievers.policies.auto import Base
from logic_retrievers.policies.registry import POLICIES

if TYPE_CHECKING:
    from logic_retrievers.conflicts import Ledger
    from logic_retrievers.encoders import Encoder
    from logic_retrievers.encoders.base import Precision
    from logic_retrievers.index import PassageIndex
    from logic_retrievers.policies import Policy, PolicyRouter

DEFAULT_LOCATION = ".logic-retrievers"

Location = Annotated[
    str,
    Option(
        "--location",
        "-l",
        envvar="LOGIC_RETRIEVERS_LOCATION",
        help="A folder (embedded Qdrant), or the URL of a Qdrant server; of a cluster's nodes with "
        "commas between them.",
    ),
]
Collection = Annotated[
    str,
    Option(
        "--collection", "-c", envvar="LOGIC_RETRIEVERS_COLLECTION", help="Name of the collection."
    ),
]
ApiKey = Annotated[
    str | None, Option(envvar="QDRANT_API_KEY", show_envvar=True, help="Key of the server.")
]
Bundle = Annotated[
    Path | None, Option(help="Folder of an encoder bundle.", show_default="the one that is shipped")
]
QueryEncoders = Annotated[
    list[Path] | None,
    Option(
        "--query-encoder", metavar="FILE", help="Reads the queries; repeat for another vector's."
    ),
]
Tenant = Annotated[str | None, Option(help="Only this tenant's passages.")]
AllTenants = Annotated[
    bool, Option("--all-tenants", help="The passages of all tenants, where there are any.")
]
PolicyName = Annotated[str, Option("--policy", "-p", help=f"One of {', '.join(POLICIES)}.")]
BaseName = Annotated[Base, Option(help="What auto gives a query without a constraint.")]

Filters = Annotated[
    list[str] | None,
    Option(
        "--filter",
        "-f",
        help="KEY=VALUE over the metadata, or 'KEY=JSON' in single quotation marks: country=Norway,"
        """ 'year={"gte": 2020}', 'country={"not": "Norway"}'. Repeat it for other keys, or for"""
        " another value of one.",
    ),
]
CacheFile = Annotated[
    Path | None, Option(metavar="FILE", help="Keep vectors here for the next time.")
]
LedgerFile = Annotated[
    Path | None,
    Option(
        "--ledger",
        envvar="LOGIC_RETRIEVERS_LEDGER",
        help="File with all decisions of the cleaner.",
        show_default="ledger.sqlite in the folder of the location; for a server in the current one",
    ),
]


def open_encoder(
    bundle: Path | None, cache: Path | None = None, precision: str = "float32"
) -> Encoder:
    """Open the encoder of a bundle, with a cache if one is named."""
    from logic_retrievers.encoders import CachedEncoder, OnnxEncoder, default_encoder

    if bundle is None and precision == "float32":
        encoder = default_encoder()
    else:
        encoder = OnnxEncoder(bundle, precision=cast("Precision", precision))
    return encoder if cache is None else CachedEncoder(encoder, cache)


def open_policy(name: str, base: Base) -> Policy | PolicyRouter:
    """Return the policy named ``name``. Only ``auto`` takes a base."""
    from logic_retrievers.policies import AutoPolicy, resolve_policy

    policy = resolve_policy(name)
    if isinstance(policy, AutoPolicy):
        return dataclasses.replace(policy, base=base)
    if base != "auto":
        raise ConfigurationError(f"--base goes with --policy auto, not {name}")
    return policy


@dataclasses.dataclass(frozen=True)
class StoredCollection:
    """The options that name a stored collection."""

    location: Location = DEFAULT_LOCATION
    collection: Collection = "passages"
    bundle: Bundle = None
    api_key: ApiKey = None
    tenant: Tenant = None
    all_tenants: AllTenants = False

    def open(
        self,
        encoder: Encoder | None = None,
        *,
        reads: bool = False,
        **settings: Any,
    ) -> PassageIndex:
        """Open the collection, by default with the bundle's encoder.

        ``reads`` promises that the command writes nothing. ``settings`` go to
        :meth:`PassageIndex.open`.
        """
        from logic_retrievers.index import PassageIndex

        is_server, folder = _is_server(self.location), self.location
        # only where needed: read_only makes a copy (.1 s and 80 MB for 10,000 passages)
        if reads and not is_server and os.path.isdir(folder) and not os.access(folder, os.W_OK):  # noqa: PTH112
            settings["read_only"] = True
        nodes = self.location.split(",")
        return PassageIndex.open(
            self.collection,
            open_encoder(self.bundle) if encoder is None else encoder,
            location=nodes if len(nodes) > 1 and all(map(_is_server, nodes)) else self.location,
            api_key=self.api_key if is_server else None,
            tenant=self.tenant,
            all_tenants=self.all_tenants,
            **{"create": False, **settings},
        )


@dataclasses.dataclass(frozen=True)
class StoredCollectionWithLedger(StoredCollection):
    """The options of :class:`StoredCollection`, and the ledger."""

    ledger: LedgerFile = None


@dataclasses.dataclass(frozen=True)
class NewCollection:
    """The options for how Qdrant stores a new collection."""

    shards: Annotated[
        int | None, Option(min=1, help="Number of shards of a new collection on a cluster.")
    ] = None
    replicas: Annotated[
        int | None,
        Option(min=1, help="Copies of each shard, on as many nodes: with two, one may die."),
    ] = None
    quantize: Annotated[
        Literal["int8"] | None,
        Option(help="Keep small vectors too; HNSW indexes of large collections use these."),
    ] = None
    collection_options: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="JSON: how Qdrant keeps a new collection, by names of create_collection "
            "(hnsw_config, on_disk, strict_mode_config, ...).",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return the file's options; options on the command line take precedence."""
        file = self.collection_options
        try:
            options = {} if file is None else json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ReadError(
                f"--collection-options: {file} cannot be read as JSON: {error}"
            ) from error
        if not isinstance(options, dict):
            raise ReadError(f"--collection-options: {file} holds no JSON object")
        named = {
            "shard_number": self.shards,
            "replication_factor": self.replicas,
            "quantization_config": self.quantize and {"scalar": {"type": self.quantize}},
        }
        return {**options, **{name: value for name, value in named.items() if value is not None}}


@dataclasses.dataclass(frozen=True)
class FileOptions:
    """The options for reading files, named as in :func:`read_documents`."""

    text_column: Annotated[
        str | None,
        Option(
            help="Column with the text, in CSV and JSON.", show_default="text, content, body, ..."
        ),
    ] = None
    id_column: Annotated[
        str | None, Option(help="Column with the id, in CSV and JSON.", show_default="_id or id")
    ] = None
    source_column: Annotated[
        str | None,
        Option(
            help="Column with the source of a row, which replaces its old rows.",
            show_default="the file",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        Option(help="Delimiter of CSV.", show_default="the one of , ; tab | in the header"),
    ] = None
    encoding: Annotated[str, Option(help="Encoding of text files: cp1252, cp932, utf-16, ...")] = (
        "utf-8"
    )
    follow_links: Annotated[
        bool, Option("--follow-links", help="Also links that lead out of the folder.")
    ] = False


def as_command(command: Callable[..., None]) -> Callable[..., None]:
    """Turn each field of a command's dataclass parameters into an option, and report errors."""
    signature = inspect.signature(command, eval_str=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        own = parameter.replace(kind=parameter.KEYWORD_ONLY)
        if not dataclasses.is_dataclass(group := parameter.annotation):
            parameters.append(own)
            continue
        groups[name], hints = group, get_type_hints(group, include_extras=True)
        parameters += [
            own.replace(name=field.name, default=field.default, annotation=hints[field.name])
            for field in dataclasses.fields(group)
        ]

    @wraps(command)
    def wrapped(**values: Any) -> None:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            values[name] = group(**{field: values.pop(field) for field in fields})
        command(**values)

    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return report_errors(wrapped)


def open_ledger(file: Path | None, location: str, *, create: bool) -> Ledger:
    """Open the ledger in a file; without a file, the default ledger of the location."""
    from logic_retrievers.conflicts import Ledger

    path = file or Path("." if _is_server(location) else location) / "ledger.sqlite"
    return Ledger(path, create=create)


def parse_filter(conditions: list[str]) -> dict[str, Any] | None:
    """Parse ``["city=Oslo", "year=2020"]`` as a filter; values of one key are alternatives."""
    from logic_retrievers.documents.rows import read_number

    values: dict[str, Any] = {}
    for condition in conditions:
        key, equals, value = condition.partition("=")
        key = key.strip()
        if not equals or not key or key[-1] in "!<>":
            raise ConfigurationError(
                f"a filter reads KEY=VALUE, not {condition!r}; for others of a key write"
                """ 'KEY={"not": "VALUE"}', for a range 'KEY={"gte": 2020}'"""
            )
        try:
            wanted = json.loads(value)
        except (ValueError, RecursionError) as error:  # not JSON, or nested too deeply
            if value.lstrip().startswith(("{", "['")):
                raise ConfigurationError(
                    f"the filter on {key!r} is not JSON: {shown(value)}. Write double quotation"
                    """ marks inside and single ones around it: 'country={"not": "Norway"}'; a"""
                    """ text that begins so in quotation marks: 'title="{draft}"'"""
                ) from error
            wanted = value
        if type(wanted) in (int, float):
            wanted = read_number(value.strip())  # numbers are read as in a CSV file
        if key in values:
            wanted = [each for part in (values[key], wanted) for each in _alternatives(key, part)]
        values[key] = wanted
    return values or None


def _alternatives(key: str, wanted: Any) -> list[Any]:
    if isinstance(wanted, dict):
        raise ConfigurationError(f"the filter on {key!r} is there twice, once with a condition")
    return wanted if isinstance(wanted, list) else [wanted]


def _is_server(location: str) -> bool:
    from logic_retrievers.index.settings import is_address

    return is_address(location)
