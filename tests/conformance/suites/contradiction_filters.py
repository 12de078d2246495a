"""Tests that a framework's filter over the core's must pass."""

from __future__ import annotations

import asyncio
import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.contradiction import ContradictionFilter
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Hit, Passage
from suites.contradicting_passages import contradicting_passages, contradiction_encoder
from suites.evidence import LOGIC, check_evidence, evidence_in
from suites.sample_passages import Retrieved
from suites.watched_encoder import WatchedEncoder

RULES: list[dict[str, Any]] = [
    {"resolution": "annotate"},
    {"resolution": "prefer_newest"},
    {"resolution": "prefer_source", "source_order": ["inn", "press", "blog"]},
    {"resolution": "prefer_majority"},
    {"resolution": "drop_both"},
]
NAMES = [str(rule["resolution"]) for rule in RULES]


class ContradictionFilterConformance(ABC):
    """A framework's filter keeps what :class:`~logic_retrievers.ContradictionFilter` keeps.

    ::

        class TestMyFilter(ContradictionFilterConformance):
            def make(self, **settings):
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

    @abstractmethod
    def make(self, **settings: Any) -> Any:
        """A filter; settings are ``top_n`` and those of the core's.

        ``trusted`` are items of the framework's own type.
        """

    @abstractmethod
    def items(self, passages: Sequence[Passage]) -> list[Any]:
        """The passages as the framework's own type; one with an empty id stands for none.

        Where the framework gives every item an id, it may make one up for those. Where it embeds
        metadata together with the text, the items must exclude it.
        """

    @abstractmethod
    def filter(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """What the framework's own callers get of the items that stay; any query will do."""

    @abstractmethod
    async def afilter(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`filter` asynchronously."""

    def evidence_of(self, one: Retrieved) -> Any:
        """The filter's evidence in a result; another place than our key's own says so here.

        Beside the evidence of a retriever before it, say, which a filter must not replace.
        """
        return evidence_in(one)

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return contradiction_encoder()

    @pytest.fixture
    def passages(self) -> list[Passage]:
        return contradicting_passages()

    @pytest.fixture
    def index(self, encoder: WatchedEncoder, passages: list[Passage]) -> Iterator[PassageIndex]:
        """A collection in memory that holds some of the passages, and a trusted one."""
        vectors = ("topical", "contradiction")
        with PassageIndex.open("conformance", encoder, vectors=vectors) as index:
            index.add([*passages[::2], _corrected(passages[0])])
            encoder.documents.clear()
            yield index

    @pytest.mark.parametrize("rule", RULES, ids=NAMES)
    def test_keeps_what_the_core_keeps(
        self, encoder: WatchedEncoder, passages: list[Passage], rule: dict[str, Any]
    ) -> None:
        """An adapter with logic of its own keeps a little more or less, unnoticed."""
        found = self.filter(self.make(encoder=encoder, **rule), self.items(passages))
        expected = ContradictionFilter(encoder, **rule).filter(passages).hits
        check_kept(found, expected)
        check_evidence(found, expected, self.evidence_of)

    @pytest.mark.parametrize("top_n", [1, 6])
    def test_top_n_is_filled_up(
        self, encoder: WatchedEncoder, passages: list[Passage], top_n: int
    ) -> None:
        """The first n filtered are fewer than n; n that are not cut are more."""
        made = self.make(encoder=encoder, resolution="drop_both", top_n=top_n)
        expected = ContradictionFilter(encoder, resolution="drop_both").filter(passages, top_n)
        check_kept(self.filter(made, self.items(passages)), expected.hits)

    def test_trusted_items_judge(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """A trusted passage that is lost on the way leaves the false one in the context."""
        trusted = [_corrected(passages[0])]
        made = self.make(encoder=encoder, trusted=self.items(trusted))
        core = ContradictionFilter(encoder, trusted=trusted)
        found = self.filter(made, self.items(passages))
        check_kept(found, core.filter(passages).hits)
        assert len(found) < len(passages)

    def test_trusted_ones_are_picked_by_their_metadata(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Whoever is trusted by the metadata must be known by it in the framework too."""
        wanted = {"vouched": True}
        made = self.make(encoder=encoder, trusted_filter=wanted)
        core = ContradictionFilter(encoder, trusted_filter=wanted)
        found = self.filter(made, self.items(passages))
        check_kept(found, core.filter(passages).hits)
        assert len(found) < len(passages)

    def test_every_setting_has_an_effect(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A setting that is dropped on the way leaves the default, which looks right."""
        dated = [
            replace(passage, metadata={"on": 2000 + at}) for at, passage in enumerate(passages)
        ]
        spoken = [
            replace(passage, metadata={"by": "same" if at % 2 else "other"})
            for at, passage in enumerate(passages)
        ]

        def nothing(pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [0.0] * len(pairs)

        for given, settings in (
            (dated, {"resolution": "prefer_newest", "date_key": "on"}),
            (
                spoken,
                {
                    "resolution": "prefer_source",
                    "source_key": "by",
                    "source_order": ["same", "other"],
                },
            ),
            (passages, {"resolution": "drop_both", "threshold": 0.9}),
            (passages, {"resolution": "drop_both", "judge": nothing}),
            (passages, {"resolution": "drop_both", "judge": nothing, "judge_above": 0.9}),
            (passages, {"trusted_filter": {"vouched": True}, "against_trusted": "annotate"}),
        ):
            found = self.filter(self.make(encoder=encoder, **settings), self.items(given))
            core = ContradictionFilter(encoder, **settings)
            check_kept(found, core.filter(given).hits)

    def test_what_goes_in_stays_as_it_is(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Other steps of a chain hold the same items, and the same metadata."""
        metadata = {"tags": ["a"], "logic": {"score": 9.0}, "nested": {"list": [1, {}]}}
        items = self.items(
            [replace(passage, metadata=copy.deepcopy(metadata)) for passage in passages]
        )
        before = copy.deepcopy(items)
        found = self.filter(self.make(encoder=encoder), items)
        assert items == before
        for result in found:
            assert result.metadata["tags"] == ["a"]
            assert result.metadata["nested"] == {"list": [1, {}]}
            result.metadata["tags"].append("mine")
            result.metadata.clear()  # type: ignore[attr-defined]
        assert items == before

    def test_no_items(self, encoder: WatchedEncoder) -> None:
        """A search that found nothing is no error."""
        made = self.make(encoder=encoder)
        assert self.filter(made, []) == []
        assert asyncio.run(self.afilter(made, [])) == []

    def test_items_without_an_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Taken for one and the same, all but the first are lost."""
        items = self.items([replace(passage, id="") for passage in passages])
        found = self.filter(self.make(encoder=encoder), items)
        assert [result.text for result in found] == [passage.text for passage in passages]

    def test_equal_ids_count_once(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """Two retrievers find the same passage, and it fills two places of the prompt."""
        found = self.filter(self.make(encoder=encoder), self.items([*passages, *passages[:3]]))
        assert [result.id for result in found] == [passage.id for passage in passages]

    def test_different_items_of_one_id_are_all_kept(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Parts of a document that carry the document's id: all but the first would vanish."""
        named = [replace(passage, id="same") for passage in passages]
        results = self.filter(self.make(encoder=encoder), self.items(named))
        assert [result.text for result in results] == [passage.text for passage in passages]

    def test_asynchronous_filtering_gives_the_same_and_blocks_no_event_loop(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Synchronous and asynchronous code drift apart; a blocked loop slows all users."""
        made = self.make(encoder=encoder, top_n=4, resolution="drop_both")
        items = self.items(passages)
        assert asyncio.run(self.afilter(made, items)) == self.filter(made, items)
        made = self.make(encoder=encoder)
        assert encoder.loop_runs_during(self.afilter(made, items))

    def test_evidence_of_an_earlier_step_is_replaced_and_not_read(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Old evidence that is embedded as text moves every score; nested, it grows without end."""
        expected = ContradictionFilter(encoder).filter(passages).hits
        old = {"logic": {**expected[0].evidence.to_dict(), "score": 9.0, "rank": 99}}
        items = self.items(
            [replace(passage, metadata={**passage.metadata, **old}) for passage in passages]
        )
        found = self.filter(self.make(encoder=encoder), items)
        check_kept(found, expected)
        check_evidence(found, expected, self.evidence_of)

    def test_a_collection_lends_its_vectors_and_its_trusted_passages(
        self, encoder: WatchedEncoder, passages: list[Passage], index: PassageIndex
    ) -> None:
        """Encoding again takes most of the time; a judge that is not asked judges nobody."""
        wanted = {"kind": "law"}
        found = self.filter(self.make(index=index, trusted_filter=wanted), self.items(passages))
        assert sorted(encoder.documents) == sorted(passage.text for passage in passages[1::2])
        core = ContradictionFilter(index=index, trusted_filter=wanted)
        check_kept(found, core.filter(passages).hits)
        assert len(found) < len(passages)

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"resolution": "no-such-resolution"}, "no-such-resolution"),
            ({"resolution": "prefer_source"}, "source_order"),
            ({"top_n": 0}, "top_[nk]"),
            ({"threshold": 2.0}, "threshold"),
        ],
        ids=["resolution", "source_order", "top_n", "threshold"],
    )
    def test_bad_settings_fail_at_construction(
        self, encoder: WatchedEncoder, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting that waits for the first query fails in front of a user."""
        with pytest.raises(ValueError, match=words):
            self.make(encoder=encoder, **settings)


def check_kept(found: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
    """The results are these hits: ids, order, texts, and the metadata that came in.

    Not the scores: an item may keep the one that its retriever gave it.
    """
    assert [result.id for result in found] == [hit.passage.id for hit in expected]
    assert [result.text for result in found] == [hit.passage.text for hit in expected]
    for one, hit in zip(found, expected, strict=True):
        stored = {key: value for key, value in hit.passage.metadata.items() if key != LOGIC}
        assert {key: one.metadata.get(key) for key in stored} == stored


def _corrected(passage: Passage) -> Passage:
    """What refutes the passage, from somebody who knows."""
    return Passage("law", passage.text.replace("nine", "noon"), {"kind": "law"})
