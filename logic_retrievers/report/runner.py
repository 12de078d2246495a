"""Runs studies one after the other and keeps what each found, so that a cut-off run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from logic_retrievers.errors import LogicRetrieversError, StorageError
from logic_retrievers.evaluation.files import write_text
from logic_retrievers.evaluation.folders import existing_folder
from logic_retrievers.report.artefacts import Section
from logic_retrievers.report.checking import check_names, check_shapes
from logic_retrievers.report.keys import Contents, digest, study_key
from logic_retrievers.report.setting import machine, setting, setting_section
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Report:
    """What a run gave.

    Args:
        sections: of the studies, in their order, and the set-up at the end.
        failed: study -> what was wrong.
        reused: studies whose kept section was used again.
        setting: versions, machine, data, models, seed and times, ready for JSON.
    """

    sections: tuple[Section, ...]
    failed: dict[str, str]
    reused: tuple[str, ...]
    setting: dict[str, Any]


def run_studies(
    studies: Sequence[Study], bench: Workbench, folder: Path, *, fresh: bool = False
) -> Report:
    """Runs what is not kept in ``folder/sections`` from the very same data, models and source.

    Args:
        studies: in the order of the report.
        bench: what they work with; its ``say`` is told of the progress.
        folder: of the report, made where there is none.
        fresh: run them all anew.

    Raises:
        ConfigurationError: two studies, tables or figures share a name.
        StorageError: no room, or no right to write there.
    """
    check_names([Section(name=study.name, title=study.title) for study in studies])
    kept = _Kept(folder)
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
            section = None if fresh else kept.section(study, key)
            if section is not None:
                reused.append(study.name)
                bench.say(f"{about}: kept from before")
            else:
                bench.say(f"{about}: begun")
                section, took = _measured(study, bench)
                kept.keep(study, key, section, took)
                bench.say(f"{about}: done; {_clock(time.monotonic() - begun)} so far")
        except StorageError:
            raise
        except (LogicRetrieversError, OSError) as error:
            failed[study.name] = str(error)
            bench.say(f"{about}: failed: {error}")
            section = Section(
                name=study.name, title=study.title, text=(f"This study failed: {error}",)
            )
        sections.append(section)
    found = setting(bench, studies, kept.seconds(), contents)
    write_text(folder / "setting.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    sections.append(setting_section(found, studies))
    check_names(sections)
    return Report(tuple(sections), failed, tuple(reused), found)


def _measured(study: Study, bench: Workbench) -> tuple[Section, float]:
    """The section that a study gives now, and the seconds that it took.

    Raises:
        ConfigurationError: it does not fit together.
    """
    begun = time.monotonic()
    section = study.run(bench)
    check_shapes(section)
    check_names([section])
    return section, time.monotonic() - begun


class _Kept:
    """Sections in files, each with the key of what it was made from, and their times apart."""

    def __init__(self, folder: Path) -> None:
        self._sections = folder / "sections"
        self._times = folder / "seconds.json"
        try:
            self._sections.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make {self._sections}: {error.strerror}") from error

    def section(self, study: Study, key: str) -> Section | None:
        """The section that is kept under this key; None where there is none, or it is damaged."""
        found = _read(self._sections / f"{study.name}.json")
        if found.get("key") != key:
            return None
        try:
            return Section.model_validate_json(json.dumps(found.get("section")))
        except ValidationError:
            return None

    def keep(self, study: Study, key: str, section: Section, took: float) -> None:
        """Keeps a section; how long it took stands elsewhere, or two runs would differ."""
        times = self.seconds() | {study.name: round(took, 1)}
        write_text(self._times, json.dumps(times, indent=1) + "\n")
        kept = {"key": key, "section": json.loads(section.model_dump_json())}
        text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
        write_text(self._sections / f"{study.name}.json", text)

    def seconds(self) -> dict[str, float]:
        """Study -> how long it took when it was run."""
        return _read(self._times)


def _read(path: Path) -> dict[str, Any]:
    """An object in a JSON file; empty where there is none, or it is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"
