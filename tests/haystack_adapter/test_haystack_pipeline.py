"""Pipelines: indexing and querying, sync and async, from a file and in a new process."""

from __future__ import annotations

import subprocess
import sys

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.writers import DocumentWriter
from haystack.core.errors import DeserializationError
from haystack_logic_retrievers import (
    CompatibilityRanker,
    ConstraintRetriever,
    ContradictionFilter,
    LogicDocumentStore,
)

from logic_retrievers import AutoPolicy, ConstraintSettings

POLICY = AutoPolicy(settings=ConstraintSettings(penalty=0.9), fields={"city": ["Oslo"]})
PROMPT = "{% for document in documents %}[{{ document.id }}] {% endfor %}{{ question }}"


def indexing(place) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("splitter", DocumentSplitter(split_by="passage"))
    pipeline.add_component("writer", DocumentWriter(LogicDocumentStore("stays", place)))
    pipeline.connect("splitter.documents", "writer.documents")
    return pipeline


def querying(place) -> Pipeline:
    store = LogicDocumentStore("stays", place)
    pipeline = Pipeline()
    pipeline.add_component("retriever", ConstraintRetriever(store, top_k=6, policy="topical"))
    pipeline.add_component("ranker", CompatibilityRanker(policy=POLICY, document_store=store))
    pipeline.add_component("contradictions", ContradictionFilter(top_k=3))
    pipeline.add_component("prompt", PromptBuilder(PROMPT, required_variables="*"))
    pipeline.connect("retriever.documents", "ranker.documents")
    pipeline.connect("ranker.documents", "contradictions.documents")
    pipeline.connect("contradictions.documents", "prompt.documents")
    return pipeline


def asked(query):
    return {name: {"query": query} for name in ("retriever", "ranker")} | {
        "prompt": {"question": query}
    }


async def test_through_a_file_sync_and_async(tmp_path, documents, query):
    """A pipeline must work the same when loaded from a file and when served."""
    first = indexing(tmp_path)
    written = first.run({"splitter": {"documents": documents}})
    assert written["writer"]["documents_written"] == 6
    again = Pipeline.loads(first.dumps())
    assert again.dumps() == first.dumps()
    awaited = await again.run_async({"splitter": {"documents": documents}})
    assert awaited["writer"]["documents_written"] == 6

    asking = querying(tmp_path)
    loaded = Pipeline.loads(asking.dumps())
    assert loaded.to_dict()["components"] == asking.to_dict()["components"]
    shown = {"contradictions"}
    told = asking.run(asked(query), include_outputs_from=shown)
    assert told == loaded.run(asked(query), include_outputs_from=shown)
    assert told == await loaded.run_async(asked(query), include_outputs_from=shown)
    found = told["contradictions"]["documents"]
    assert len(found) == 3
    first_name = found[0].meta["name"]
    assert first_name in ("inn", "spa")  # no nightclub
    assert {"policy", "reason", "contradiction"} <= found[0].meta["logic"].keys()
    assert found[0].meta["source_id"] == found[0].meta["logic"]["source"] == first_name
    assert told["prompt"]["prompt"].startswith(f"[{found[0].id}] ")
    for pipeline in (first, again, asking):
        pipeline.close()
    await loaded.close_async()


NEW_PROCESS = """
import sys
from haystack import Pipeline
pipeline = Pipeline.load(open(sys.argv[1]), {allowed})
print(pipeline.run({{"retriever": {{"query": sys.argv[2]}}}})["retriever"]["documents"][0].id)
"""


@pytest.mark.slow
def test_a_new_process_loads_it_where_the_package_is_allowed(tmp_path, store, documents, query):
    """Haystack loads only modules that a user allowed, as the documentation says."""
    kept = LogicDocumentStore("stays", tmp_path / "index")
    kept.write_documents(documents)
    kept.close()
    pipeline = Pipeline()
    pipeline.add_component("retriever", ConstraintRetriever(kept, top_k=1))
    file = tmp_path / "pipeline.yaml"
    file.write_text(pipeline.dumps(), "utf-8")

    def run(code):
        command = [sys.executable, "-c", code, str(file), query]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    allowed = run(NEW_PROCESS.format(allowed="allowed_modules=['haystack_logic_retrievers']"))
    assert allowed.stdout.strip() == "inn", allowed.stderr
    refused = run(NEW_PROCESS.format(allowed=""))
    assert DeserializationError.__name__ in refused.stderr
    imported = run("import haystack_logic_retrievers\n" + NEW_PROCESS.format(allowed=""))
    assert imported.stdout.strip() == "inn", imported.stderr
