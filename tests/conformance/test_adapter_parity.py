"""All adapters have the same classes, settings, factories and per-call overrides."""

from __future__ import annotations

import inspect
from dataclasses import fields

import langchain_logic_retrievers as langchain
import llama_index_logic_retrievers as llama_index
import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_logic_retrievers import contradiction_retriever as langchain_contradictions
from langchain_logic_retrievers import retriever as langchain_retriever
from llama_index.core.base.base_retriever import BaseRetriever as LlamaIndexRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index_logic_retrievers import contradiction_retriever as llama_index_contradictions
from llama_index_logic_retrievers import retriever as llama_index_retriever

from logic_retrievers.adapters.settings import CleanerFields, FilterFields, FilterOptions
from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.conflicts.cleaning.settings import (
    CleaningOptions,
    CleaningSettings,
    CommonCleaningOptions,
)

CLASSES = (
    "CompatibilityReranker",
    "ConstraintRetriever",
    "ContradictionFilter",
    "ContradictionRetriever",
    "CorpusCleaner",
    "LogicEmbeddings",
    "LogicVectorStore",
)
METHODS = ("over", "open", "aopen", "like", "filter")
OF_LANGCHAIN = BaseRetriever.model_fields.keys()
OF_LLAMA_INDEX = (
    inspect.signature(LlamaIndexRetriever.__init__).parameters.keys()
    | BaseNodePostprocessor.model_fields.keys()
    | BaseEmbedding.model_fields.keys()
)


def parameters(function):
    """Names of a constructor's or factory's parameters, including a ``TypedDict``'s."""
    names = set()
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            options = getattr(parameter.annotation, "__args__", ())
            names |= options[0].__annotations__.keys() if options else set()
        elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            names.add(parameter.name)
    return {"k" if name == "similarity_top_k" else name for name in names}


@pytest.mark.parametrize("name", CLASSES)
def test_constructors_take_the_same_settings(name):
    """No framework's users may lack a setting or find it renamed."""
    of_langchain = parameters(getattr(langchain, name)) - OF_LANGCHAIN
    of_llama_index = parameters(getattr(llama_index, name)) - OF_LLAMA_INDEX
    assert of_langchain == of_llama_index - {"skipped"}  # pydantic's signature has every field


@pytest.mark.parametrize("name", CLASSES)
def test_the_same_factories_and_methods(name):
    """No framework may lack `over`."""
    classes = getattr(langchain, name), getattr(llama_index, name)
    of_langchain, of_llama_index = ({m for m in METHODS if hasattr(kind, m)} for kind in classes)
    assert of_langchain == of_llama_index
    for method in of_langchain:
        names = [parameters(getattr(kind, method)) for kind in classes]
        # LangChain's store knows its embedding model
        assert names[0] - {"documents"} == names[1] - {"nodes", "embed_model"}


def test_a_call_may_replace_the_same_settings():
    """A call must accept the same settings in every framework."""
    for of_langchain, of_llama_index in (
        (langchain_retriever, llama_index_retriever),
        (langchain_contradictions, llama_index_contradictions),
    ):
        names = of_langchain.SearchOptions.__annotations__.keys() - {"k"} | {"similarity_top_k"}
        assert names == of_llama_index.SearchOptions.__annotations__.keys()


def test_fields_and_options_are_those_of_the_core():
    """Adapters must have every core setting, with the core's default."""
    trusted, of_adapters = {"trusted", "trusted_filter"}, {"index", "encoder", "ledger"}
    core = {field.name: field.default for field in fields(CleaningSettings)}
    mine = {name: field.default for name, field in CleanerFields.model_fields.items()}
    assert mine.keys() - of_adapters == core.keys() - trusted
    assert all(mine[name] == core[name] for name in mine.keys() - of_adapters)
    assert CommonCleaningOptions.__annotations__.keys() == mine.keys() - of_adapters
    assert CleaningOptions.__annotations__.keys() == core.keys()
    core = inspect.signature(ContradictionFilter).parameters
    mine = {name: field.default for name, field in FilterFields.model_fields.items()}
    assert {*mine, *trusted} - {"top_n"} == set(core)
    assert all(mine[name] == core[name].default for name in mine.keys() - {"top_n"})
    assert set(FilterOptions.__annotations__) == mine.keys() - {
        *("resolution", "top_n", "encoder", "index"),
    }


def test_the_packages_export_the_same_names():
    """No helper may exist in one package only."""
    own = {"document_key", "ChatModelReader", "ContradictionFilterEvent", "LLMReader"}
    assert set(langchain.__all__) - own == set(llama_index.__all__) - own
