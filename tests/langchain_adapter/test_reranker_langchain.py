"""CompatibilityReranker: the policies over documents from anywhere."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from langchain_core.documents import Document
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import CompatibilityReranker
from pydantic import ValidationError

from logic_retrievers import AutoPolicy, ExclusionSettings, Reranker, SequentialPolicy
from logic_retrievers.encoders import CombinedEncoder, default_encoder
from logic_retrievers.errors import ConfigurationError, EmptyTextError, MissingVectorError

POLICIES = ("sequential", "auto", "topical", "union")


@pytest.mark.parametrize("policy", POLICIES)
def test_the_core_decides(policy):
    """An order of the adapter's own would not be the one that was measured."""
    found = CompatibilityReranker(policy=policy).compress_documents(DOCUMENTS, QUERY)
    hits = Reranker(policy=policy).rerank(QUERY, [_passage(document) for document in DOCUMENTS])
    assert ids(found) == [hit.passage.id for hit in hits]
    for document, hit in zip(found, hits, strict=True):
        evidence = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        assert document.metadata["logic"] == evidence
        assert document.metadata["relevance_score"] == hit.score
        json.dumps(document.metadata, allow_nan=False)


def _passage(document):
    from logic_retrievers import Passage

    return Passage(document.id, document.page_content, document.metadata)


def test_nothing_that_comes_in_is_changed():
    """The first retriever may keep its documents in a cache."""
    before = deepcopy(DOCUMENTS)
    CompatibilityReranker().compress_documents(DOCUMENTS, QUERY)
    assert before == DOCUMENTS


def test_top_n():
    """A reranker that hands everything on fills the prompt."""
    assert len(CompatibilityReranker(top_n=2).compress_documents(DOCUMENTS, QUERY)) == 2
    assert len(CompatibilityReranker(top_n=99).compress_documents(DOCUMENTS, QUERY)) == 6
    assert len(CompatibilityReranker().compress_documents(DOCUMENTS, QUERY)) == 6
    assert CompatibilityReranker().compress_documents([], QUERY) == []


def test_documents_without_id_stay_without():
    """Ids made up on the way would be taken for the store's."""
    documents = [
        Document(document.page_content, metadata=document.metadata) for document in DOCUMENTS
    ]
    found = CompatibilityReranker().compress_documents(documents, QUERY)
    with_ids = CompatibilityReranker().compress_documents(DOCUMENTS, QUERY)
    assert ids(found) == [None] * 6
    assert [document.page_content for document in found] == [
        document.page_content for document in with_ids
    ]


def test_what_is_found_twice_counts_once_and_equal_texts_do_not():
    """An ensemble brings a document twice; two pages with one sentence are two documents."""
    twin = DOCUMENTS[0].model_copy(update={"id": "twin"})
    page = DOCUMENTS[1].model_copy(update={"metadata": {"n": 99}})
    again = deepcopy(DOCUMENTS[2])
    found = CompatibilityReranker().compress_documents([*DOCUMENTS, twin, page, again], QUERY)
    assert sorted(ids(found)) == sorted([*ids(DOCUMENTS), "twin", page.id])
    assert {one.metadata["n"] for one in found if one.id == page.id} == {1, 99}


def test_a_document_without_text_follows_behind():
    """A blank page of a PDF must not fail the whole query, nor vanish."""
    found = CompatibilityReranker().compress_documents(
        [Document(" ", id="blank"), *DOCUMENTS], QUERY
    )
    assert found[-1].id == "blank"
    assert found[-1].metadata["logic"]["passed_filter"] is False


def test_stored_vectors_are_taken(store):
    """Encoding a hundred documents again takes seconds that the index has saved."""
    asked = []

    class Encoder:
        specs = default_encoder().specs
        encode_queries = default_encoder().encode_queries
        token_spans = default_encoder().token_spans

        def encode_documents(self, texts, names=None):
            asked.extend(texts)
            return default_encoder().encode_documents(texts, names)

    reranker = CompatibilityReranker(index=store.index, encoder=Encoder())
    documents = [*DOCUMENTS, Document("A new inn.", id="new")]
    found = reranker.compress_documents(documents, QUERY)
    assert asked == ["A new inn."]
    assert ids(found) == ids(CompatibilityReranker().compress_documents(documents, QUERY))


def test_nested_metadata_of_a_result_is_its_own():
    """A list that a chain appends to would grow in the user's own document."""
    given = Document("A quiet inn.", id="inn", metadata={"tags": ["old"]})
    (found,) = CompatibilityReranker().compress_documents([given], QUERY)
    found.metadata["tags"].append("new")
    assert given.metadata == {"tags": ["old"]}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"top_n": 0}, "at least 1"),
        ({"policy": "unknown"}, "unknown policy"),
        ({"encoder": "all-minilm"}, "Encoder"),
        ({"k": 3}, "k"),
    ],
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match=words):
        CompatibilityReranker(**settings)


def test_errors_are_the_packages_own():
    """A caller who catches LogicRetrieversError must catch these."""
    with pytest.raises(EmptyTextError):
        CompatibilityReranker().compress_documents(DOCUMENTS, " ")
    topical = CombinedEncoder([(default_encoder(), {"topical": "topical"})])
    with pytest.raises((ConfigurationError, MissingVectorError), match="compatibility"):
        CompatibilityReranker(policy="sequential", encoder=topical).compress_documents(
            DOCUMENTS, QUERY
        )


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold gives stale results."""
    reranker = CompatibilityReranker(policy=SequentialPolicy(tau=0.4), top_n=3)
    dumped = json.loads(reranker.model_dump_json())
    assert dumped["top_n"] == 3
    assert dumped["policy"]["name"] == "sequential"
    assert dumped["policy"]["tau"] == 0.4
    mine = AutoPolicy(settings=ExclusionSettings(penalty=0.5), fields={"city": ["Oslo"]})
    for policy in (SequentialPolicy(tau=0.4), mine, "boolean"):
        told = CompatibilityReranker(policy=policy).model_dump_json()
        assert CompatibilityReranker(**json.loads(told)).policy == policy
    assert CompatibilityReranker().model_dump() == {
        "policy": "auto", "top_n": None, "query_syntax": "words",
        "exclude": (), "hard": False, "judge": "auto",
    }  # fmt: skip
