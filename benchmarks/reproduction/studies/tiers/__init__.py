"""Query encoders trained in tiers (LORE), as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.artefacts import Section
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import MissingExtraError

NAME, TITLE = "tiers", "Disturbed questions (LORE)"


def run(bench: Workbench) -> Section:
    """See :func:`benchmarks.reproduction.studies.tiers.section.section`.

    Raises:
        MissingExtraError: the extra ``train`` is not installed.
    """
    try:
        from benchmarks.reproduction.studies.tiers.section import section
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    return section(bench)


STUDY = Study(
    name=NAME,
    title=TITLE,
    data=("hotpotqa_train1000_pairs", "hotpotqa_train100", "msmarco_small"),
    run=run,
    models=("infonce", "lore"),
)
