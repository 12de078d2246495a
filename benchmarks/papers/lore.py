"""Query encoders trained in tiers (LORE)."""

from __future__ import annotations

from benchmarks.report.artefacts import Section
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.errors import MissingExtraError


def run(bench: Workbench) -> Section:
    """Disturb the questions, evaluate every query encoder, and compare."""
    # Imported here because listing the studies must not need PyTorch.
    try:
        from benchmarks.papers.lore_tables import section
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    return section(STUDY.name, STUDY.title, bench)


STUDY = Study(
    name="tiers",
    title="Disturbed questions (LORE)",
    data=("hotpotqa_train1000_pairs", "hotpotqa_train100", "msmarco_small"),
    run=run,
    models=("infonce", "lore"),
)
