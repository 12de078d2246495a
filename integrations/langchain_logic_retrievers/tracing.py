"""What LangSmith groups the runs of our retrievers by."""

from __future__ import annotations

from langchain_core.retrievers import LangSmithRetrieverParams

from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex


def traced(params: LangSmithRetrieverParams, index: PassageIndex) -> LangSmithRetrieverParams:
    """LangChain's own parameters, and what there is to say about the index."""
    return LangSmithRetrieverParams(
        **params,
        ls_vector_store_provider="Qdrant",
        ls_embedding_provider=type(index.encoder).__name__,
        ls_embedding_model=_model_of(index.encoder),
    )


def _model_of(encoder: Encoder) -> str:
    """The bundle's name, or else what tells one encoder from another."""
    bundle = getattr(encoder, "bundle", None)
    if bundle is not None:
        return str(bundle.manifest.name)
    return next(iter(encoder.specs.values())).fingerprint
