"""Run studies and store each section, so that an interrupted run can continue."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmarks.report.artefacts import Section
from benchmarks.report.set_up import Contents, set_up, set_up_section, study_key
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.errors import ConfigurationError, LogicRetrieversError, StorageError
from logic_retrievers.evaluation.datasets import existing_folder
from logic_retrievers.files import write_text


@dataclass(frozen=True, slots=True)
class Report:
    """Outcome of a run.

    Args:
        sections: sections in the order of the studies, with the set-up at the end.
        failed: study -> error message.
        reused: studies whose stored section was used.
    """

    sections: tuple[Section, ...]
    failed: dict[str, str]
    reused: tuple[str, ...]


def run_studies(
    studies: Sequence[Study], bench: Workbench, folder: Path, *, fresh: bool = False
) -> Report:
    """Run studies, except those with a stored section of the same data, models and source.

    ``fresh`` ignores stored sections.
    """
    _reject_duplicates(study.name for study in studies)
    store, contents, begun = folder / "sections", Contents(), time.monotonic()
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {store}: {error.strerror}") from error
    seconds: dict[str, float] = _read(folder / "seconds.json")
    sections: list[Section] = []
    failed: dict[str, str] = {}
    reused: list[str] = []
    for number, study in enumerate(studies, start=1):
        about, path = f"{number} of {len(studies)}, {study.name}", store / f"{study.name}.json"
        try:
            for name in study.data:
                existing_folder(Path(name))
            key = study_key(study, bench, contents)
            section = None if fresh else _stored_section(path, key)
            if section is not None:
                reused.append(study.name)
                bench.log(f"{about}: kept from before")
            else:
                bench.log(f"{about}: begun")
                started = time.monotonic()
                section = study.run(bench)
                # Times go to a separate file, so that sections of two runs are equal.
                seconds[study.name] = round(time.monotonic() - started, 1)
                write_text(folder / "seconds.json", json.dumps(seconds, indent=1) + "\n")
                stored = {"key": key, "section": json.loads(section.model_dump_json())}
                write_text(path, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
                minutes, rest = divmod(round(time.monotonic() - begun), 60)
                bench.log(f"{about}: done; {minutes}:{rest:02} min so far")
        except StorageError:
            raise
        except (LogicRetrieversError, OSError, ValidationError) as error:
            failed[study.name] = str(error)
            bench.log(f"{about}: failed: {error}")
            problem = f"This study failed: {error}"
            section = Section(name=study.name, title=study.title, text=(problem,))
        sections.append(section)
    facts = set_up(bench, studies, seconds, contents)
    write_text(folder / "setting.json", json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    sections.append(set_up_section(facts))
    _reject_duplicates(one.name for section in sections for one in section.artefacts)
    return Report(tuple(sections), failed, tuple(reused))


def _reject_duplicates(names: Iterable[str]) -> None:
    """Refuse duplicate names of studies or artefacts, whose files overwrite each other."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ConfigurationError(f"the name {name!r} is there {count} times in the report")


def _stored_section(path: Path, key: str) -> Section | None:
    """Read the section stored under this key; None if it is missing or damaged."""
    stored = _read(path)
    if stored.get("key") != key:
        return None
    try:
        return Section.model_validate_json(json.dumps(stored.get("section")))
    except ValidationError:
        return None


def _read(path: Path) -> dict[str, Any]:
    """Read the object in a JSON file; empty if the file is missing or damaged."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
