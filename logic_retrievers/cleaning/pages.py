"""What is to be examined, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from logic_retrievers.cleaning.acting import examined_before
from logic_retrievers.cleaning.gathering import Pages
from logic_retrievers.cleaning.ledger import Ledger
from logic_retrievers.index.passages import PassageIndex
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage


def given_pages(passages: Sequence[Passage]) -> Pages:
    """All passages at once, each id once, the first of them."""
    left = list({one.id: one for one in reversed(passages)}.values())[::-1]

    def page() -> Procedure[Sequence[Passage]]:
        some, left[:] = list(left), []
        yield from ()
        return some

    return page


def stored_pages(index: PassageIndex, ledger: Ledger, settings: str | None) -> Pages:
    """What a collection holds and does not hide.

    Args:
        index: the collection.
        ledger: knows what was examined before.
        settings: fingerprint of the settings; what was examined with them and has not changed since
            is left out. None: nothing is.
    """
    offset, ended = None, False

    def page() -> Procedure[Sequence[Passage]]:
        nonlocal offset, ended
        while not ended:
            some, offset = yield from index.page(None, offset)
            ended = offset is None
            active = [one for one in some if not one.quarantined]
            if settings is not None:
                known = yield Work(partial(examined_before, ledger, index, active, settings))
                active = [one for one in active if one.id not in known]
            if active:
                return active
        return ()

    return page
