"""Runs studies and stores each section, so that an interrupted run can continue."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmarks.reproduction.artefacts import Section
from benchmarks.reproduction.cache_keys import Contents, digest, study_key
from benchmarks.reproduction.environment import machine, run_setting, setting_section
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.validation import check_names, check_shapes
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.atomic_files import write_text
from logic_retrievers.errors import LogicRetrieversError, StorageError
from logic_retrievers.evaluation.datasets import existing_folder


@dataclass(frozen=True, slots=True)
class Report:
    """Outcome of a run.

    Args:
        sections: of the studies, in their order, and the set-up at the end.
        failed: study -> error message.
        reused: studies whose stored section was used.
        setting: versions, machine, data, models, seed and times, ready for JSON.
    """

    sections: tuple[Section, ...]
    failed: dict[str, str]
    reused: tuple[str, ...]
    setting: dict[str, Any]


def run_studies(
    studies: Sequence[Study], bench: Workbench, folder: Path, *, fresh: bool = False
) -> Report:
    """Runs studies, except those with a stored section of the same data, models and source.

    Args:
        studies: in the order of the report.
        bench: data, encoder and models; its ``log`` gets the progress.
        folder: of the report; created if it is missing.
        fresh: ignore stored sections.

    Raises:
        ConfigurationError: two studies, tables or figures share a name.
        StorageError: the folder cannot be written.
    """
    check_names([Section(name=study.name, title=study.title) for study in studies])
    store = _SectionStore(folder)
    contents, on, begun = Contents(), digest(machine()), time.monotonic()
    sections: list[Section] = []
    failed: dict[str, str] = {}
    reused: list[str] = []
    for number, study in enumerate(studies, start=1):
        about = f"{number} of {len(studies)}, {study.name}"
        try:
            for name in study.data:
                existing_folder(Path(name))
            key = study_key(study, bench, contents, on)
            section = None if fresh else store.section(study, key)
            if section is not None:
                reused.append(study.name)
                bench.log(f"{about}: kept from before")
            else:
                bench.log(f"{about}: begun")
                section, took = _run_study(study, bench)
                store.keep(study, key, section, took)
                bench.log(f"{about}: done; {_clock(time.monotonic() - begun)} so far")
        except StorageError:
            raise
        except (LogicRetrieversError, OSError) as error:
            failed[study.name] = str(error)
            bench.log(f"{about}: failed: {error}")
            section = Section(
                name=study.name, title=study.title, text=(f"This study failed: {error}",)
            )
        sections.append(section)
    facts = run_setting(bench, studies, store.seconds(), contents)
    write_text(folder / "setting.json", json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    sections.append(setting_section(facts, studies))
    check_names(sections)
    return Report(tuple(sections), failed, tuple(reused), facts)


def _run_study(study: Study, bench: Workbench) -> tuple[Section, float]:
    """Runs a study; returns its section and the seconds it took.

    Raises:
        ConfigurationError: its tables or plots are inconsistent.
    """
    begun = time.monotonic()
    section = study.run(bench)
    check_shapes(section)
    check_names([section])
    return section, time.monotonic() - begun


class _SectionStore:
    """Stores sections with their cache keys in files, and their times in another file."""

    def __init__(self, folder: Path) -> None:
        self._sections = folder / "sections"
        self._times = folder / "seconds.json"
        try:
            self._sections.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make {self._sections}: {error.strerror}") from error

    def section(self, study: Study, key: str) -> Section | None:
        """The section stored under this key; None if it is missing or damaged."""
        stored = _read(self._sections / f"{study.name}.json")
        if stored.get("key") != key:
            return None
        try:
            return Section.model_validate_json(json.dumps(stored.get("section")))
        except ValidationError:
            return None

    def keep(self, study: Study, key: str, section: Section, took: float) -> None:
        """Stores a section; its time goes to another file, or two runs would differ."""
        times = self.seconds() | {study.name: round(took, 1)}
        write_text(self._times, json.dumps(times, indent=1) + "\n")
        stored = {"key": key, "section": json.loads(section.model_dump_json())}
        text = json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
        write_text(self._sections / f"{study.name}.json", text)

    def seconds(self) -> dict[str, float]:
        """Study -> seconds of its last run."""
        return _read(self._times)


def _read(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty if it is missing or damaged."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"
