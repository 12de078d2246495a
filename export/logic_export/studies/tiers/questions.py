"""The test questions: as they were asked, and disturbed by clauses about wrong passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logic_export.data.tiers.building import build, read_parts
from logic_export.data.tiers.disturbing import undisturbed
from logic_export.data.tiers.examples import TieredExample
from logic_retrievers.evaluation import data_folder

SETS: Mapping[str, Sequence[str]] = {
    "HotpotQA": ("hotpotqa_train1000_pairs", "hotpotqa_train100"),
    "MS MARCO": ("msmarco_small",),
}
"""Set -> its folders, named together because they share passages."""
RAW, DISTURBED = "undisturbed", "disturbed"


def both_forms(folders: Sequence[str]) -> dict[str, list[TieredExample]]:
    """Both forms of each question; the same row has the same candidates in the same tiers.

    They are those that ``logic-retrievers disturbed-queries`` writes of the same folders.

    Raises:
        ReadError: a folder is not there.
    """
    part = "test"
    questions = read_parts([data_folder() / name for name in folders])[part]
    made = build({part: questions}, copies={})[part].examples
    return {RAW: [undisturbed(one) for one in made], DISTURBED: list(made)}
