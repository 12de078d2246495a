"""``CorpusCleaner``: finds the conflicts of a corpus, decides them, and hides what loses."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Unpack

from logic_retrievers.cleaning.ledger import MEMORY, Ledger
from logic_retrievers.cleaning.neighbours import NeighbourSearch
from logic_retrievers.cleaning.pair_reading import Readings
from logic_retrievers.cleaning.pipeline import CleaningRun
from logic_retrievers.cleaning.quarantine import Quarantine
from logic_retrievers.cleaning.result import CleaningResult, ScreeningResult, flag_quarantined
from logic_retrievers.cleaning.settings import CleaningOptions, CleaningSettings, Criteria
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import ConfigurationError, warn_each
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.ranking.execution import arun_over, run_over
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_parts, check_passages


class CorpusCleaner:
    """Finds pairs of passages that contradict, repeat or replace each other, and decides.

    New and changed passages are compared with their topical neighbours, so the cost grows with
    their number and not with the square of the corpus. A text of more than 20,000 characters is
    judged by its beginning. Nothing is ever deleted: a passage that a resolution decides against is
    *quarantined*, hidden from retrieval and restorable byte for byte. By default (``annotate``)
    only passages that contradict a trusted passage are hidden.

    Args:
        index: the collection to clean, or the one that new passages are going to. Without one the
            passages that are passed in are compared with each other.
        ledger: where every decision is written down: a :class:`Ledger` or a path; by default kept
            in memory only.
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        **options: the fields of :class:`~logic_retrievers.cleaning.CleaningSettings`:
            ``resolution``, ``trusted_filter``, ``threshold``, ``judge`` and others.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting that cannot work, or an encoder without the vectors.
        InputError: a trusted passage that is not one, or a filter that cannot be read.
        StorageError: the ledger cannot be opened.

    Examples:
        >>> cleaner = CorpusCleaner(index, ledger="ledger.sqlite")        # doctest: +SKIP
        >>> cleaner.clean(dry_run=True).of_kind(Kind.CONTRADICTION)       # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        encoder: Encoder | None = None,
        **options: Unpack[CleaningOptions],
    ) -> None:
        check_parts(encoder=encoder, index=index)
        self.settings = CleaningSettings(**options)
        if encoder is None:
            encoder = default_encoder() if index is None else index.encoder
        elif index is not None and encoder is not index.encoder:
            raise ConfigurationError("an index brings its own encoder; leave encoder= out")
        self.index = index
        self.encoder = encoder
        self.criteria = Criteria.merge(self.settings, encoder)
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger or MEMORY)
        self._search = NeighbourSearch(
            encoder, index, self.criteria.constants, self.settings.neighbours
        )
        self._readings: Readings = {}

    @property
    def quarantine(self) -> Quarantine:
        """The hidden passages of the collection.

        Raises:
            ConfigurationError: there is no index.
        """
        if self.index is None:
            raise ConfigurationError("nothing is hidden without an index: pass one")
        return Quarantine(self.index, self.ledger)

    def clean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        dry_run: bool = False,
        again: bool = False,
        progress: ProgressCallback | None = None,
    ) -> CleaningResult:
        """Cleans the collection, or a list of passages.

        Args:
            passages: to examine instead of what the collection holds. With an index they are taken
                to be new to it, and compared with what it holds; none of them is stored.
            dry_run: decide, and write nothing: neither to the collection nor to the ledger.
            again: examine also what was examined before and has not changed since, as after a
                change of a resolution function or judge, which are known by their names.
            progress: called after each page of passages examined; where a cross-encoder reads
                pairs, those are done all of whose pairs were read.

        Raises:
            ConfigurationError: neither an index nor passages; or tenants share the collection, and
                the index was opened without one.
            InputError: something is not a passage, or a resolution function returned none of its
                two.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        operation = self._start(dry_run).clean(passages, again, progress)
        result, warnings = run_over(self.index, operation)
        warn_each(warnings)
        return result

    async def aclean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        dry_run: bool = False,
        again: bool = False,
        progress: ProgressCallback | None = None,
    ) -> CleaningResult:
        """:meth:`clean` without blocking the event loop; the same result."""
        operation = self._start(dry_run).clean(passages, again, progress)
        result, warnings = await arun_over(self.index, operation)
        warn_each(warnings)
        return result

    def screen(self, passages: Iterable[Passage], *, dry_run: bool = False) -> ScreeningResult:
        """Examines passages on their way into a collection.

        Those that the resolution decides against are returned with the quarantine flag, so that
        they are stored hidden; stored ones that it decides against are hidden now.

        Args:
            passages: on their way; each id once.
            dry_run: decide, and hide nothing: no passage gets a flag, and neither the collection
                nor the ledger is written to.

        Raises:
            InputError: something is not a passage.
            StorageError, CollectionError, ServerError: as for :meth:`clean`.
        """
        checked = check_passages(passages)
        return flag_quarantined(checked, self.clean(checked, dry_run=dry_run))

    async def ascreen(
        self, passages: Iterable[Passage], *, dry_run: bool = False
    ) -> ScreeningResult:
        """:meth:`screen` without blocking the event loop; the same result."""
        checked = check_passages(passages)
        return flag_quarantined(checked, await self.aclean(checked, dry_run=dry_run))

    def _start(self, dry_run: bool) -> CleaningRun:
        return CleaningRun(
            self.index, self.ledger, self._search, self.criteria, self._readings, dry_run
        )
