"""Tests for a framework's filter built on the core's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Hit, Passage
from suites.contradicting_passages import contradicting_passages, contradiction_encoder
from suites.evidence import LOGIC, FixedModel, check_evidence, evidence_in
from suites.items import ItemsConformance
from suites.sample_passages import Retrieved
from suites.watched_encoder import WatchedEncoder

RULES: list[dict[str, Any]] = [
    {"resolution": "annotate"},
    {"resolution": "prefer_newest"},
    {"resolution": "prefer_source", "source_order": ["inn", "press", "blog"]},
    {"resolution": "prefer_majority"},
    {"resolution": "drop_both"},
    {"resolution": ["prefer_newest", "drop_both"]},
]
NAMES = [str(rule["resolution"]) for rule in RULES]


def nothing(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [0.0] * len(pairs)


class ContradictionFilterConformance(ItemsConformance):
    """A framework's filter keeps what :class:`~logic_retrievers.ContradictionFilter` keeps.

    ::

        class TestMyFilter(ContradictionFilterConformance):
            def make(self, **settings):  # top_n and the core's; trusted are the framework's items
                return MyFilter(**settings)

            def items(self, passages):
                return [Document(id=p.id or None, text=p.text, metadata=dict(p.metadata))
                        for p in passages]

            def filter(self, made, items):
                found = made.compress(items, "a query")
                return [Retrieved(one.id, one.text, one.score, one.metadata) for one in found]

            async def afilter(self, made, items):
                ...
    """

    vectors = ("topical", "contradiction")

    @abstractmethod
    def filter(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Return the items that stay, as the framework's callers get them; any query will do."""

    @abstractmethod
    async def afilter(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`filter` asynchronously."""

    def evidence_of(self, one: Retrieved) -> Any:
        """Return the filter's evidence in a result; override if it is not under our key."""
        return evidence_in(one)

    def process(self, made: Any, items: list[Any]) -> list[Retrieved]:
        return self.filter(made, items)

    async def aprocess(self, made: Any, items: list[Any]) -> list[Retrieved]:
        return await self.afilter(made, items)

    def expected(
        self, passages: Sequence[Passage], k: int | None = None, **settings: Any
    ) -> list[Hit]:
        return list(ContradictionFilter(**settings).filter(passages, k).hits)

    def check(self, found: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
        """Check ids, order, texts, metadata and evidence, but no scores.

        An item may keep the score that its retriever gave it.
        """
        assert [one.id for one in found] == [hit.passage.id for hit in expected]
        assert [one.text for one in found] == [hit.passage.text for hit in expected]
        for one, hit in zip(found, expected, strict=True):
            stored = {key: value for key, value in hit.passage.metadata.items() if key != LOGIC}
            assert {key: one.metadata.get(key) for key in stored} == stored
        check_evidence(found, expected, self.evidence_of)

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return contradiction_encoder()

    @pytest.fixture
    def passages(self) -> list[Passage]:
        return contradicting_passages()

    @pytest.mark.parametrize("rule", RULES, ids=NAMES)
    def test_keeps_what_the_core_keeps(
        self, encoder: WatchedEncoder, passages: list[Passage], rule: dict[str, Any]
    ) -> None:
        """An adapter with its own logic silently keeps slightly more or less."""
        for top_n in (None, 6):
            made = self.make(encoder=encoder, top_n=top_n, **rule)
            found = self.filter(made, self.items(passages))
            self.check(found, self.expected(passages, top_n, encoder=encoder, **rule))

    def test_trusted_items_judge(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """Losing a trusted passage leaves the false one in the context."""
        trusted = [_corrected(passages[0])]
        made = self.make(encoder=encoder, trusted=self.items(trusted))
        found = self.filter(made, self.items(passages))
        self.check(found, self.expected(passages, encoder=encoder, trusted=trusted))
        assert len(found) < len(passages)

    def test_trusted_passages_of_the_collection_judge(
        self, encoder: WatchedEncoder, passages: list[Passage], index: PassageIndex
    ) -> None:
        """A trusted passage that is never looked up judges nothing."""
        index.add([_corrected(passages[0])])
        settings = {"index": index, "trusted_filter": {"kind": "law"}}
        found = self.filter(self.make(**settings), self.items(passages))
        self.check(found, self.expected(passages, **settings))
        assert len(found) < len(passages)

    def test_every_setting_has_an_effect(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A dropped setting leaves the default, which looks right."""
        dated = [
            replace(passage, metadata={"on": 2000 + at}) for at, passage in enumerate(passages)
        ]
        spoken = [
            replace(passage, metadata={"by": "same" if at % 2 else "other"})
            for at, passage in enumerate(passages)
        ]
        by_source = {"resolution": "prefer_source", "source_order": ["same", "other"]}
        strict = {"resolution": "drop_both"}
        given: list[tuple[list[Passage], dict[str, Any]]] = [
            (dated, {"resolution": "prefer_newest", "date_key": "on"}),
            (spoken, {**by_source, "source_key": "by"}),
            (passages, {**strict, "threshold": 0.9}),
            (passages, {**strict, "judge": nothing}),
            (passages, {**strict, "judge": FixedModel(0.0)}),
            (passages, {**strict, "judge": nothing, "judge_above": 0.9}),
            (passages, {"trusted_filter": {"vouched": True}}),
            (passages, {"trusted_filter": {"vouched": True}, "against_trusted": "annotate"}),
        ]
        for some, settings in given:
            found = self.filter(self.make(encoder=encoder, **settings), self.items(some))
            self.check(found, self.expected(some, encoder=encoder, **settings))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"resolution": "no-such-resolution"}, "no-such-resolution"),
            ({"resolution": "prefer_source"}, "source_order"),
            ({"top_n": 0}, "top_[nk]"),
            ({"threshold": 2.0}, "threshold"),
            ({"judge": FixedModel()}, "contradict each other"),
        ],
        ids=str,
    )
    def test_bad_settings_fail_at_construction(
        self, encoder: WatchedEncoder, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting must not wait for a user's first query."""
        with pytest.raises(ValueError, match=words):
            self.make(encoder=encoder, **settings)


def _corrected(passage: Passage) -> Passage:
    """Return a passage that refutes this one."""
    return Passage("law", passage.text.replace("nine", "noon"), {"kind": "law"})
