"""``logic-retrievers serve``, ``serve --mcp`` and ``serve --mcp --http``."""

from __future__ import annotations

import os
from typing import Annotated

from typer import Option

from logic_retrievers.cli.field_options import CollectionFields
from logic_retrievers.cli.judge_options import JudgeSpec, RerankerSpec, open_judge
from logic_retrievers.cli.options import (
    BaseName,
    StoredCollection,
    as_command,
    open_policy,
)
from logic_retrievers.errors import MissingExtraError

# package -> extra that installs the package
EXTRAS = {"mcp": "mcp", "fastapi": "rest", "uvicorn": "rest", "prometheus_client": "rest"}


@as_command
def serve(
    mcp: Annotated[
        bool, Option("--mcp", help="Serve tools to an assistant over standard input and output.")
    ] = False,
    http: Annotated[
        bool, Option("--http", help="With --mcp: over HTTP instead, at /mcp of --host and --port.")
    ] = False,
    host: Annotated[str, Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="0: any that is free.")] = 8080,
    base: BaseName = "auto",
    judge: JudgeSpec = "auto",
    reranker: RerankerSpec = "none",
    *,
    declared: CollectionFields,
    stored: StoredCollection,
) -> None:
    """Serve a collection over HTTP, or to assistants over MCP.

    If LOGIC_RETRIEVERS_API_KEY is set, HTTP requests must carry that key. Any address other than
    127.0.0.1 requires a key. While this command runs, no other command can open an embedded
    collection.
    """
    from logic_retrievers.serving.service import SearchService

    try:
        if mcp:
            from logic_retrievers.serving.mcp_server import run_mcp

            if http:
                from logic_retrievers.serving.mcp_http import run_mcp_http
        else:
            from logic_retrievers.serving.rest import run_rest
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        raise MissingExtraError(error.name, EXTRAS[error.name]) from error
    judging, ordering = open_judge(judge), open_judge(reranker)
    with stored.open(reads=True) as passages:
        service = SearchService(
            passages,
            declared.declare(open_policy("auto", base)),
            validity=declared.validity_fields(),
            judge=judging,
            reranker=ordering,
        )
        if mcp and not http:
            run_mcp(service)
        else:
            from logic_retrievers.http import check_key
            from logic_retrievers.serving.guard import API_KEY

            key = os.environ.get(API_KEY)
            run = run_mcp_http if mcp else run_rest
            run(service, host, port, None if key is None else check_key(key, API_KEY))
