"""Filter contradictions out of the documents of any retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack

from haystack import Document, component, default_from_dict, default_to_dict

from haystack_logic_retrievers.base_components import StoreComponent
from haystack_logic_retrievers.documents import to_candidates, with_contradictions
from haystack_logic_retrievers.filters import translate_filters
from haystack_logic_retrievers.settings import (
    any_judge_from,
    describe_any_judge,
    open_encoder,
    with_settings,
)
from haystack_logic_retrievers.store import LogicDocumentStore
from logic_retrievers import conflicts
from logic_retrievers.adapters.descriptions import describe_resolution, jsonable, resolution_from
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import FilterOptions, refuse_unknown
from logic_retrievers.checks import check_count, check_number
from logic_retrievers.conflicts import ContradictionSettings, FilterResult
from logic_retrievers.conflicts.pair_judge import check_pair_judge
from logic_retrievers.conflicts.resolution_strategies import AnyResolution, resolution_strategy
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.types import Passage
from logic_retrievers.validity import check_validity


@component
class ContradictionFilter(StoreComponent):
    """Finds documents that contradict each other or trusted ones, and decides which stay.

        contradictions = ContradictionFilter(resolution="prefer_newest", top_k=5)
        contradictions.run(documents)["documents"]

    The documents may come from any source and keep their order. Pass more documents than the
    prompt should hold, and set ``top_k``, so that the next document in the list replaces a dropped
    one. The result holds copies, with evidence under ``meta["logic"]["contradiction"]``. Documents
    that agree in id, text and meta count once; different ones that share an id all count.

    Args:
        resolution: decides a conflict: ``annotate`` (both stay, and name each other),
            ``prefer_newest``, ``prefer_source``, ``prefer_majority``, ``drop_both``, or your own.
        top_k: number of documents; None keeps all that can stay.
        trusted: documents that the user vouches for.
        trusted_filters: selects more trusted documents from the given ones and the store, in
            Haystack's format.
        document_store: a store whose vectors are used; with ``trusted_filters``, its trusted
            documents too.
        bundle, encoder: as in :class:`CompatibilityRanker`.
        **options: ``threshold``, ``settings``, ``trusted_candidates``, ``against_trusted``,
            ``date_key``, ``source_key``, ``source_order``, ``validity``, ``judge``,
            ``judge_above``, ``drop_above``: as in
            :class:`logic_retrievers.ContradictionFilter`, which also explains the decision rules.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting cannot work.
        InputError: a trusted document is not a document, or the filters cannot be read.
    """

    def __init__(
        self,
        *,
        resolution: AnyResolution = "annotate",
        top_k: int | None = None,
        trusted: list[Document] | None = None,
        trusted_filters: dict[str, Any] | None = None,
        document_store: LogicDocumentStore | None = None,
        bundle: str | None = None,
        encoder: Encoder | None = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        if top_k is not None:
            check_count("top_k", top_k)
        translate_filters(trusted_filters)
        _check_options(resolution, options)
        self.resolution = resolution
        self.top_k = top_k
        self.trusted = list(trusted or [])
        self.trusted_filters = trusted_filters
        self._set_store(document_store, bundle, encoder)
        self.options = options
        self._trusted = [passage for passage, _ in to_candidates(self.trusted)]
        self._built: conflicts.ContradictionFilter | None = None

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings for a pipeline's file; refuse settings that it cannot hold."""
        self._refuse_own_encoder()
        options: dict[str, Any] = {**self.options}
        if "judge" in options:
            options["judge"] = describe_any_judge(options["judge"])
        if options.get("settings") is not None:
            options["settings"] = options["settings"].overrides()
        resolution = describe_resolution(self.resolution)
        resolution_from(resolution)
        return default_to_dict(
            self,
            resolution=resolution,
            top_k=self.top_k,
            trusted=[document.to_dict(flatten=False) for document in self.trusted],
            trusted_filters=self.trusted_filters,
            document_store=self.document_store,
            bundle=self.bundle,
            **jsonable(options),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        made = with_settings(
            data,
            resolution=resolution_from,
            judge=any_judge_from,
            trusted=lambda documents: [Document.from_dict(document) for document in documents],
            settings=lambda given: None if given is None else ContradictionSettings(**given),
        )
        return default_from_dict(cls, made)

    @component.output_types(documents=list[Document], dropped=list[Document])
    def run(self, documents: list[Document], top_k: int | None = None) -> dict[str, list[Document]]:
        """Return the documents that stay, in the given order, and the dropped ones.

        Args:
            documents: documents, best first; not modified.
            top_k: replaces the component's setting.

        Returns:
            ``documents`` and ``dropped``: copies, with reasons in
            ``meta["logic"]["contradiction"]``.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.ContradictionFilter.filter`.
        """
        candidates, k = to_candidates(documents), self.top_k if top_k is None else top_k
        return _outputs(candidates, self._load().filter([one for one, _ in candidates], k))

    @component.output_types(documents=list[Document], dropped=list[Document])
    async def run_async(
        self, documents: list[Document], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        candidates, k = to_candidates(documents), self.top_k if top_k is None else top_k
        core = await encoder_threads.submit(self._load)
        return _outputs(candidates, await core.afilter([one for one, _ in candidates], k))

    def _load(self) -> conflicts.ContradictionFilter:
        """Return the core filter, reused because it keeps trusted vectors."""
        index = self._index
        if self._built is None or self._built.index is not index:
            place = () if index is None else (index.prefixes, index.tenant)
            self._built = conflicts.ContradictionFilter(
                open_encoder(self.bundle, self.encoder),
                resolution=self.resolution,
                index=index,
                trusted=self._trusted,
                trusted_filter=translate_filters(self.trusted_filters, *place),
                **self.options,
            )
        return self._built


def _check_options(resolution: AnyResolution, options: FilterOptions) -> None:
    """Check the options whose check needs no encoder."""
    refuse_unknown("ContradictionFilter", options, FilterOptions.__annotations__.keys())
    resolution_strategy(
        resolution,
        options.get("date_key", "date"),
        options.get("source_key", "source"),
        options.get("source_order", ()),
    )
    for name in ("threshold", "judge_above", "drop_above"):
        if (share := options.get(name)) is not None:
            check_number(name, share, 0, 1)
    check_pair_judge(options.get("judge"))
    check_validity(options.get("validity"))


def _outputs(
    candidates: Sequence[tuple[Passage, Document]], result: FilterResult
) -> dict[str, list[Document]]:
    return {
        name: [with_contradictions(*found) for found in paired(candidates, hits)]
        for name, hits in (("documents", result.hits), ("dropped", result.dropped))
    }
