"""The splitters in the documentation make chunks that the encoder reads whole."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from logic_retrievers import OnnxEncoder
from logic_retrievers.errors import LongTextWarning

ROOT = Path(__file__).parents[2]
TEXTS = [  # words of one token, of many, of none; lists of numbers; no spaces at all
    "A quiet inn by the harbour, with rooms for families. " * 60,
    "Donaudampfschifffahrtsgesellschaft und Übernachtungskostenerstattung: ab 50 km. " * 30,
    "A 12.345,67 EUR; ref. X-9921/33-b (§ 4 Abs. 2 Nr. 3). " * 40,
    "我们在上海的办公室提供免费停车位。" * 60,
    "x_y-" * 600,
]


def splitter_of(source: str, store: object):
    """The object that the source calls ``splitter``, made by its own lines."""
    lines = re.search(r"^( *)fit = Splitter.*?^\1\)$", source, re.DOTALL | re.MULTILINE)
    assert lines
    indent = lines[1]
    names: dict[str, object] = {"store": store}
    exec("\n".join(re.findall(r"^ *from .* import \w*Splitter$", source, re.MULTILINE)), names)
    names.setdefault("Splitter", __import__("logic_retrievers").Splitter)
    exec("\n".join(line.removeprefix(indent) for line in lines[0].splitlines()), names)
    return names["splitter"]


@pytest.mark.parametrize(
    "page",
    [
        *("docs/langchain.md", "docs/llama-index.md"),
        *("examples/ingestion_pipeline.py", "examples/llama_index_cleaner.py"),
    ],
)
def test_no_chunk_is_longer_than_the_encoder_reads(page):
    """Users copy the recipe; one that counts words or characters loses half of each chunk."""
    if "langchain" in page:
        from langchain_core.documents import Document
        from langchain_logic_retrievers import LogicVectorStore

        store = LogicVectorStore.open("recipe")
        splitter = splitter_of((ROOT / page).read_text("utf-8"), store)
        chunks = splitter.split_documents([Document(text) for text in TEXTS])
        texts = [chunk.page_content for chunk in chunks]
    else:
        from llama_index.core import Document
        from llama_index.core.schema import MetadataMode
        from llama_index_logic_retrievers import LogicVectorStore

        store = LogicVectorStore.open("recipe")
        splitter = splitter_of((ROOT / page).read_text("utf-8"), store)
        documents = [
            Document(text=text, metadata={"source": "handbook/leave.pdf", "page": 3})
            for text in TEXTS
        ]
        nodes = splitter.get_nodes_from_documents(documents)
        texts = [node.get_content(MetadataMode.EMBED) for node in nodes]
    assert len(texts) > 2 * len(TEXTS)
    longest = sorted(texts, key=lambda text: len(store.index.encoder.token_spans(text)))[-2:]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LongTextWarning)
        OnnxEncoder().encode_documents(longest)
    tokens = len(store.index.encoder.token_spans(longest[-1]))
    assert tokens > 200, "chunks that are much too short lose what belongs together"
    store.index.close()
