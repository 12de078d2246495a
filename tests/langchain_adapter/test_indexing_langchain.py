"""langchain_core.indexing with a record manager."""

from __future__ import annotations

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_logic_retrievers import LogicVectorStore

from logic_retrievers.errors import BlankTextWarning


def document(text, source):
    return Document(text, metadata={"source": source})


FIRST = [document("inn", "a"), document("bar", "a"), document("pool", "b")]

SECOND = [document("inn", "a"), document("pub", "a")]


@pytest.fixture(params=["index", "aindex"])
def run(request):
    """Both functions, called alike."""

    async def call(documents, manager, store, **settings):
        settings |= {"key_encoder": "sha256", "source_id_key": "source"}
        if request.param == "index":
            return index(documents, manager, store, **settings)
        return await aindex(documents, manager, store, **settings)

    return call


async def test_a_blank_document_among_others(run):
    """A page that the loader could not read stops the run, and so all later ones."""
    manager = InMemoryRecordManager("p")
    manager.create_schema()
    with LogicVectorStore.open().index as passages:
        store = LogicVectorStore(passages)
        await run(FIRST, manager, store, cleanup="full")
        with pytest.warns(BlankTextWarning, match="of 'a'"):
            await run([*SECOND, document(" ", "a")], manager, store, cleanup="full")
        assert {passage.text for passage in passages.scroll()} == {"inn", "pub"}
        again = await run([*SECOND, document(" ", "a")], manager, store, cleanup="full")
        assert again["num_skipped"] == 3
