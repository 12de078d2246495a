"""``logic-retrievers doctor``: what is installed, and whether it works."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cli.options import (
    ApiKey,
    Bundle,
    Collection,
    Tenant,
    open_encoder,
    open_index,
)
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors
from logic_retrievers.encoders import default_bundle_path, verify_bundle
from logic_retrievers.encoders.sessions import clashing_runtimes
from logic_retrievers.errors import LogicRetrieversError

CORE = ("logic-retrievers", "numpy", "onnxruntime", "qdrant-client", "tokenizers")
OPTIONAL = ("langchain-core", "llama-index-core", "sentence-transformers", "torch", "ir-measures")
FAISS = ("faiss-cpu", "faiss-gpu")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: its name, whether it is well, and what was seen."""

    name: str
    well: bool
    seen: str


@reports_errors
def doctor(
    location: Annotated[
        str | None,
        typer.Option(
            "--location",
            "-l",
            envvar="LOGIC_RETRIEVERS_LOCATION",
            help="Look at the index there too.",
        ),
    ] = None,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Checks the installation, the encoder, and the index where one is named."""
    findings = [*_installation(), *_clashes(), _looked("encoder bundle", lambda: _bundle(bundle))]
    if location is not None:
        place = location
        findings.append(
            _looked("index", lambda: _index(place, collection, bundle, api_key, tenant))
        )
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            sign = "[green]ok[/]  " if finding.well else "[red]FAIL[/]"
            out.print(f"{sign} [bold]{finding.name}[/]: ", end="")
            out.print(finding.seen, markup=False, highlight=False, soft_wrap=True)
    if not all(finding.well for finding in findings):
        raise typer.Exit(ExitCode.FAILED)


def installed(package: str) -> str | None:
    """The version of a distribution; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _installation() -> Iterator[Finding]:
    yield Finding("python", True, f"{platform.python_version()} on {platform.platform()}")
    for package in CORE:
        found = installed(package)
        if package == "onnxruntime":
            found = found or installed("onnxruntime-gpu")
        yield Finding(package, found is not None, found or "not installed")
    there = [f"{package} {installed(package)}" for package in OPTIONAL if installed(package)]
    yield Finding("optional packages", True, ", ".join(there) or "none")


def _clashes() -> Iterator[Finding]:
    """Distributions that install over one folder, so that the last one breaks the others."""
    faiss = tuple(package for package in FAISS if installed(package))
    for clash in (clashing_runtimes(), faiss if len(faiss) > 1 else ()):
        if clash:
            yield Finding(
                " and ".join(clash),
                False,
                "they overwrite each other's files; "
                f"run: pip uninstall {' '.join(clash)}, then install the one that you want",
            )


def _looked(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, look())
    except LogicRetrieversError as error:
        return Finding(name, False, str(error))


def _bundle(bundle: Path | None) -> str:
    path = bundle or default_bundle_path()
    verify_bundle(path, deep=True)
    encoder = open_encoder(bundle)
    heads = ", ".join(
        f"{spec.name} ({spec.dimension} dimensions{'' if spec.trained else ', not trained'})"
        for spec in encoder.specs.values()
    )
    return f"{path.name}: checksums and parity vectors agree; {heads}"


def _index(
    location: str, collection: str, bundle: Path | None, api_key: str | None, tenant: str | None
) -> str:
    encoder = open_encoder(bundle)
    with open_index(encoder, location, collection, api_key, tenant, create=False) as passages:
        vectors = ", ".join(sorted(passages.vectors))
        return f"{passages.count()} passages in {collection!r} at {location}; vectors: {vectors}"
