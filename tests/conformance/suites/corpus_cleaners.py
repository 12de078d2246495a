"""Tests for a framework's cleaner built on the core's."""

from __future__ import annotations

import asyncio
import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from logic_retrievers.conflicts import CleaningResult, CorpusCleaner, explain
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage
from suites.contradicting_passages import contradicting_passages, contradiction_encoder
from suites.evidence import LOGIC, FixedModel
from suites.sample_passages import Retrieved
from suites.watched_encoder import WatchedEncoder

VECTORS = ("topical", "contradiction")
LEAST = 0.3
"""A threshold by which texts of hashed words that differ in one word contradict each other."""
TOLD = ("kind", "opponent", "probability", "action", "reason", "explanation")
POLICIES: list[dict[str, Any]] = [
    {"resolution": "annotate"},
    {"resolution": "prefer_newest"},
    {"resolution": "prefer_source", "source_order": ["inn", "press", "blog"]},
    {"resolution": "prefer_majority"},
    {"resolution": "quarantine_all"},
    {"resolution": ["prefer_newest", "quarantine_all"]},
]
NAMES = [str(settings["resolution"]) for settings in POLICIES]


class CorpusCleanerConformance(ABC):
    """A framework's cleaner keeps what :class:`~logic_retrievers.conflicts.CorpusCleaner` keeps.

    ::

        class TestMyCleaner(CorpusCleanerConformance):
            def make(self, **settings):
                return MyCleaner(**settings)

            def items(self, passages):
                return [Document(id=p.id, text=p.text, metadata=dict(p.metadata)) for p in passages]

            def clean(self, made, items):
                found = made.transform(items)
                return [Retrieved(one.id, one.text, None, one.metadata) for one in found]

            async def aclean(self, made, items):
                ...
    """

    @abstractmethod
    def make(self, **settings: Any) -> Any:
        """Return a cleaner; settings are the core's. ``trusted`` are the framework's items."""

    @abstractmethod
    def items(self, passages: Sequence[Passage]) -> list[Any]:
        """Return the passages as the framework's own type.

        If it embeds metadata together with the text, the items must exclude metadata.
        """

    @abstractmethod
    def clean(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Return what the framework's own callers get; scores are ignored."""

    @abstractmethod
    async def aclean(self, made: Any, items: list[Any]) -> list[Retrieved]:
        """Call :meth:`clean` asynchronously."""

    @pytest.fixture
    def encoder(self) -> WatchedEncoder:
        return contradiction_encoder()

    @pytest.fixture
    def passages(self) -> list[Passage]:
        return contradicting_passages()

    @pytest.mark.parametrize("settings", POLICIES, ids=NAMES)
    def test_decides_as_the_core_decides(
        self, encoder: WatchedEncoder, passages: list[Passage], settings: dict[str, Any]
    ) -> None:
        """An adapter with its own logic silently hides slightly more or less."""
        settings = {"threshold": LEAST, **settings}
        results = self.clean(self.make(encoder=encoder, **settings), self.items(passages))
        check_findings(results, CorpusCleaner(encoder=encoder, **settings).screen(passages).cleaned)

    def test_the_collection_is_asked_and_what_loses_there_is_hidden(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A stored passage that loses to a new one must not be found for ever."""
        outcome, hidden = [], []
        settings: dict[str, Any] = {"resolution": "quarantine_all", "threshold": LEAST}
        for ours in (False, True):
            with PassageIndex.open("conformance", encoder, vectors=VECTORS) as index:
                index.add(passages[:5])
                if ours:
                    outcome = self.clean(
                        self.make(index=index, **settings), self.items(passages[5:])
                    )
                else:
                    core = CorpusCleaner(index, **settings)
                    expected = core.screen(passages[5:]).cleaned
                hidden.append([passage.id for passage in index.scroll() if passage.quarantined])
        check_findings(outcome, expected)
        assert hidden[0]
        assert hidden[1] == hidden[0]

    def test_a_dry_run_says_what_would_be_hidden_and_hides_nothing(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A trial run over production must not hide what users read."""
        settings: dict[str, Any] = {"resolution": "quarantine_all", "threshold": LEAST}
        with PassageIndex.open("conformance", encoder, vectors=VECTORS) as index:
            index.add(passages[:5])
            core = CorpusCleaner(index, **settings)
            expected = core.screen(passages[5:], dry_run=True).cleaned
            assert expected.quarantined
            made = self.make(index=index, dry_run=True, **settings)
            check_findings(self.clean(made, self.items(passages[5:])), expected)
            assert not [passage.id for passage in index.scroll() if passage.quarantined]

    def test_trusted_items_judge(self, encoder: WatchedEncoder, passages: list[Passage]) -> None:
        """Losing a trusted passage lets the false one in."""
        trusted = [Passage("law", passages[0].text.replace("nine", "noon"))]
        made = self.make(encoder=encoder, threshold=LEAST, trusted=self.items(trusted))
        core = CorpusCleaner(encoder=encoder, threshold=LEAST, trusted=trusted)
        expected = core.screen(passages).cleaned
        assert expected.quarantined
        check_findings(self.clean(made, self.items(passages)), expected)

    def test_every_setting_has_an_effect(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A dropped setting leaves the default, which looks right."""
        about = [
            replace(passage, metadata={"on": 2000 + at, "by": f"author {at % 2}"})
            for at, passage in enumerate(passages)
        ]
        signs = [
            Passage(word, f"The sign over the door of the old inn is {word} in the evening.")
            for word in ("mora", "lupa", "tiro")
        ]
        walls = [
            Passage("warm", "The walls of the inn keep it warm."),
            Passage("wind", "The walls of the inn let the wind through."),
        ]

        def half(pairs: Sequence[tuple[str, str]]) -> list[float]:
            return [0.5] * len(pairs)

        least: dict[str, Any] = {"threshold": LEAST}
        strict = least | {"resolution": "quarantine_all"}
        asking = strict | {"judge": half, "judge_above": LEAST}
        by_source = least | {
            "resolution": "prefer_source",
            "source_order": ["author 1", "author 0"],
        }
        vouched = least | {"trusted_filter": {"vouched": True}}
        for given, base, setting in (
            (passages, strict, {"resolution": "annotate"}),
            (about, least | {"resolution": "prefer_newest"}, {"date_key": "on"}),
            (about, by_source, {"source_key": "by"}),
            (about, by_source | {"source_key": "by"}, {"source_order": ["author 0", "author 1"]}),
            (passages, strict, {"scope_keys": ["source"]}),
            (signs, strict, {"neighbours": 1}),
            (signs, strict, {"judge": half}),
            (signs, strict, {"judge": FixedModel(0.5)}),
            (signs, asking, {"judge_above": 0.9999}),
            (walls, strict, {"threshold": 0.9}),
            (passages, least, {"trusted_filter": {"vouched": True}}),
            (passages, vouched, {"against_trusted": "annotate"}),
        ):
            core = CorpusCleaner(encoder=encoder, **{**base, **setting}).screen(given).cleaned
            without = CorpusCleaner(encoder=encoder, **base).screen(given).cleaned
            assert core.decisions != without.decisions, setting
            made = self.make(encoder=encoder, **{**base, **setting})
            check_findings(self.clean(made, self.items(given)), core)

    def test_nothing_is_lost_or_changed(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A cleaner that drops, reorders or renames passages spoils the corpus."""
        metadata = {"tags": ["a"], "logic": {"mine": 1}, "nested": {"list": [1, {}]}}
        given = [replace(passage, metadata=copy.deepcopy(metadata)) for passage in passages]
        items = self.items(given)
        before = copy.deepcopy(items)
        made = self.make(encoder=encoder, resolution="quarantine_all", threshold=LEAST)
        results = self.clean(made, items)
        assert items == before
        assert [(result.id, result.text) for result in results] == [
            (one.id, one.text) for one in given
        ]
        for result in results:
            assert {k: v for k, v in result.metadata.items() if k != LOGIC} == {
                k: v for k, v in metadata.items() if k != LOGIC
            }

    def test_an_earlier_verdict_is_replaced_and_not_read(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """A stale verdict hides a passage that nothing contradicts any more."""
        strict = self.make(encoder=encoder, resolution="quarantine_all", threshold=LEAST)
        first = self.clean(strict, self.items(passages))
        judged = [
            replace(passage, metadata=dict(one.metadata))
            for passage, one in zip(passages, first, strict=True)
        ]
        mild = self.make(encoder=encoder, threshold=LEAST)
        expected = CorpusCleaner(encoder=encoder, threshold=LEAST).screen(passages).cleaned
        check_findings(self.clean(mild, self.items(judged)), expected)

    def test_no_items(self, encoder: WatchedEncoder) -> None:
        """A night without new items is not an error."""
        made = self.make(encoder=encoder)
        assert self.clean(made, []) == []
        assert asyncio.run(self.aclean(made, [])) == []

    def test_asynchronous_cleaning_gives_the_same_and_blocks_no_event_loop(
        self, encoder: WatchedEncoder, passages: list[Passage]
    ) -> None:
        """Synchronous and asynchronous code must agree; a blocked loop slows all users."""
        made = self.make(encoder=encoder, threshold=LEAST, resolution="quarantine_all")
        items = self.items(passages)
        assert asyncio.run(self.aclean(made, items)) == self.clean(made, items)
        made = self.make(encoder=encoder)
        assert encoder.loop_runs_during(self.aclean(made, items))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"resolution": "no-such-resolution"}, "no-such-resolution"),
            ({"resolution": "prefer_source"}, "source_order"),
            ({"neighbours": 0}, "neighbours"),
            ({"threshold": 2.0}, "threshold"),
            ({"against_trusted": "drop"}, "quarantine"),
            ({"judge": FixedModel()}, "contradict each other"),
        ],
        ids=lambda given: " ".join(given) if isinstance(given, dict) else "",
    )
    def test_bad_settings_fail_at_construction(
        self, encoder: WatchedEncoder, settings: dict[str, Any], words: str
    ) -> None:
        """A wrong setting must not wait for the middle of an ingestion."""
        with pytest.raises(ValueError, match=words):
            self.make(encoder=encoder, **settings)


def check_findings(results: Sequence[Retrieved], expected: CleaningResult) -> None:
    """Check that each item shows its findings and whether it is hidden, and nothing else."""
    hidden = set(() if expected.dry_run else expected.quarantined)
    for result in results:
        logic = result.metadata.get(LOGIC, {})
        assert bool(logic.get("quarantined")) == (result.id in hidden)
        verdict = logic.get("cleaning", {"findings": []})
        assert json.loads(json.dumps(verdict, allow_nan=False)) == verdict
        told = [tuple(entry[name] for name in TOLD) for entry in verdict["findings"]]
        assert told == [
            (
                decision.finding.kind.value,
                decision.finding.other
                if decision.finding.one == result.id
                else decision.finding.one,
                decision.finding.probability,
                decision.action,
                decision.finding.reason,
                explain(expected, decision),
            )
            for decision in expected.decisions
            if result.id in (decision.finding.one, decision.finding.other)
        ]
