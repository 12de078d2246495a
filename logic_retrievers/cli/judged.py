"""What ``evaluate`` prints about a judge: changed queries, and fitted settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from logic_retrievers.cli.console import out, print_json, print_status, progress_bar, shorten
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.files import is_file, is_folder

if TYPE_CHECKING:
    from logic_retrievers.evaluation import Changes, Dataset, Estimate, Fit
    from logic_retrievers.judging.settings import AnyJudge
    from logic_retrievers.search import Engine


def print_changes(title: str, changes: Changes) -> None:
    """Print how many queries a judge makes better and worse, and name the worst."""
    out.print_line(
        (f"{title}: ", "bold"),
        f"{changes.better} queries better, {changes.worse} worse, {changes.same} the same as"
        f" without it ({changes.measure})",
    )
    for query in changes.worst:
        values = f"  {query.before:.2f} -> {query.after:.2f}"
        name = (query.id, "dim")
        out.print_line("   worse: ", name, f" {shorten(query.text, 80)}", (values, "red"))


def warn_if_fitted_on(spec: str, dataset: Dataset) -> None:
    """Say so if a file's settings were fitted on the queries that are evaluated."""
    from logic_retrievers.evaluation.fitting import fitted_on

    if is_file(spec) and fitted_on(spec) == dataset.name:
        print_status(
            "warning",
            f"{spec} was fitted on {dataset.name}, so its figures here are too good; pass a --split"
            " that it was not fitted on",
        )


def check_fit_file(file: Path) -> None:
    """Refuse a file that cannot be written, before a judge is asked."""
    if is_folder(file) or not is_folder(file.absolute().parent):
        raise ConfigurationError(f"--fit: {file} cannot be written; name a file in a folder")


def fit(
    dataset: Dataset,
    engine: Engine,
    judge: AnyJudge,
    file: Path,
    *,
    command: Mapping[str, str],
    as_json: bool,
) -> None:
    """Fit a judge, write its settings to a file, and print them with their gain.

    ``command`` has the folder and the split, for the advice.
    """
    from logic_retrievers.evaluation import fit_judge

    with progress_bar("judged pairs") as progress:
        found = fit_judge(dataset, engine, judge, progress)
    found.save(file)
    if as_json:
        print_json(found.to_json())
    else:
        _print_fit(found)
    print_status(
        "written",
        f"{file}; measure it on other queries: logic-retrievers evaluate {command['folder']}"
        f" --judge {file}, with a --split other than {command['split']}",
    )


def _print_fit(found: Fit) -> None:
    chosen = ", ".join(f"{name} {value}" for name, value in found.chosen.items())
    out.print_line(("chosen: ", "bold"), chosen)
    _print_gain(
        "no judge",
        found.gain,
        f" on {found.queries} queries of {found.dataset}, each measured with settings chosen"
        " without it",
    )
    if found.over_shipped is not None:
        _print_gain("the shipped judge", found.over_shipped)
    if not any(value for name, value in found.chosen.items() if name.endswith("_weight")):
        out.print_line(("the file gives the judge no weight: search with --no-judge", "yellow"))
    elif found.gain.high < 0:
        out.print_line(("the judge makes these queries worse", "yellow"))
    elif not found.helps:
        out.print_line(
            ("no gain is shown: the interval includes 0, so no judge may be as good", "yellow")
        )
    print_changes("judge", found.changes)


def _print_gain(over: str, gain: Estimate, measured: str = "") -> None:
    mean, low, high = gain
    interval = f"{mean:+.4f} (95 % interval {low:+.4f} to {high:+.4f})"
    out.print_line((f"gain over {over}: ", "bold"), interval + measured)
