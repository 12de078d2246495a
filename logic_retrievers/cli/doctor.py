"""``logic-retrievers doctor``: what is installed, and whether it works."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cli.console import ExitCode, out, report_errors
from logic_retrievers.cli.options import (
    ApiKey,
    Bundle,
    Collection,
    StoredCollection,
    Tenant,
    open_encoder,
)
from logic_retrievers.encoders import default_bundle_path, verify_bundle
from logic_retrievers.encoders.sessions import clashing_runtimes, installed_version
from logic_retrievers.errors import LogicRetrieversError

CORE = ("logic-retrievers", "numpy", "onnxruntime", "qdrant-client", "tokenizers")
OPTIONAL = ("langchain-core", "llama-index-core", "sentence-transformers", "torch", "ir-measures")
FAISS = ("faiss-cpu", "faiss-gpu")


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check; ``ok`` and ``detail`` are what the command prints."""

    name: str
    ok: bool
    detail: str


@report_errors
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Checks the installation, the encoder, and the index where one is named."""
    checks = [
        *_check_installation(),
        *_check_clashes(),
        _run_check("encoder bundle", lambda: _check_bundle(bundle)),
    ]
    if location is not None:
        stored = StoredCollection(location, collection, bundle, api_key, tenant)
        checks.append(_run_check("index", lambda: _check_index(stored)))
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            sign = "[green]ok[/]  " if check.ok else "[red]FAIL[/]"
            out.print(f"{sign} [bold]{check.name}[/]: ", end="")
            out.print(check.detail, markup=False, soft_wrap=True)
    if not all(check.ok for check in checks):
        raise typer.Exit(ExitCode.FAILED)


def _check_installation() -> Iterator[Check]:
    yield Check("python", True, f"{platform.python_version()} on {platform.platform()}")
    for package in CORE:
        package_version = installed_version(package)
        if package == "onnxruntime":
            package_version = package_version or installed_version("onnxruntime-gpu")
        yield Check(package, package_version is not None, package_version or "not installed")
    optional = [f"{p} {installed_version(p)}" for p in OPTIONAL if installed_version(p)]
    yield Check("optional packages", True, ", ".join(optional) or "none")


def _check_clashes() -> Iterator[Check]:
    """Distributions that install over one folder, so that the last one breaks the others."""
    faiss = tuple(package for package in FAISS if installed_version(package))
    for clash in (clashing_runtimes(), faiss if len(faiss) > 1 else ()):
        if clash:
            yield Check(
                " and ".join(clash),
                False,
                "they overwrite each other's files; "
                f"run: pip uninstall {' '.join(clash)}, then install the one that you want",
            )


def _run_check(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except LogicRetrieversError as error:
        return Check(name, False, str(error))


def _check_bundle(bundle: Path | None) -> str:
    path = bundle or default_bundle_path()
    verify_bundle(path, deep=True)
    encoder = open_encoder(bundle)
    heads = ", ".join(
        f"{spec.name} ({spec.dimension} dimensions{'' if spec.trained else ', not trained'})"
        for spec in encoder.specs.values()
    )
    return f"{path.name}: checksums and parity vectors agree; {heads}"


def _check_index(stored: StoredCollection) -> str:
    with stored.open() as passages:
        vectors = ", ".join(sorted(passages.vectors))
        where = f"{stored.collection!r} at {stored.location}"
        return f"{passages.count()} passages in {where}; vectors: {vectors}"
