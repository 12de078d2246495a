"""Ways of cleaning a corrupted corpus: settings of the cleaner."""

from __future__ import annotations

from logic_retrievers.report.corruption import PUBLISHERS, Corpus, Settings


def one_each(corpus: Corpus) -> Settings:
    """One clean passage of every question is trusted."""
    return {"trusted": corpus.index.get([ids[0] for ids in corpus.clean])}


def top_three(corpus: Corpus) -> Settings:
    """SparseCL's way: what stands in the top 3 by F of a trusted passage goes."""
    return {"trusted_top": 3, **one_each(corpus)}


def by_majority(corpus: Corpus) -> Settings:  # noqa: ARG001 - settings share a form
    """Nobody is trusted: the greater number of passages is right."""
    return {"policy": "prefer_majority", "date_key": "none"}


def by_source(corpus: Corpus) -> Settings:  # noqa: ARG001
    """Nobody is trusted: the better publisher is right."""
    return {
        "policy": "prefer_source",
        "source_key": "publisher",
        "source_order": (*PUBLISHERS, "forum"),
        "date_key": "none",
    }
