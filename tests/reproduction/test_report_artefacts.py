"""What a study gives comes back from its file as it was, and is refused where it is torn."""

from __future__ import annotations

import json
import math

import pytest
from artefact_samples import FIGURES, SECTION, TABLE
from pydantic import ValidationError

from benchmarks.reproduction.artefacts import Curves, Figure, Section, Table
from benchmarks.reproduction.validation import check_names, check_shapes
from logic_retrievers.errors import ConfigurationError


def test_a_section_comes_back_as_it_was():
    """A figure that is read back as another kind, or a gap as a zero, is a false figure."""
    back = Section.model_validate_json(SECTION.model_dump_json())
    assert back.model_dump_json() == SECTION.model_dump_json()
    assert [type(artefact) for artefact in back.artefacts] == [Table] + [Figure] * len(FIGURES)
    assert back.artefacts[0] == TABLE
    plot = back.artefacts[1].plot
    assert isinstance(plot, Curves)
    assert math.isnan(plot.panels["NevIR"]["auto"].y[1])
    kinds = {artefact.plot.kind for artefact in back.artefacts[1:]}
    assert kinds == {"curves", "heat_maps", "histograms", "scatter", "bars"}


def test_a_section_of_another_form_is_refused():
    document = json.loads(SECTION.model_dump_json())
    document["artefacts"][0]["colour"] = "red"
    with pytest.raises(ValidationError):
        Section.model_validate_json(json.dumps(document))


@pytest.mark.parametrize("name", ["", "Upper", "../up", "a b", "a--b", "-a"])
def test_a_name_is_the_stem_of_a_file(name):
    """A name with a slash would write outside of the report."""
    with pytest.raises(ConfigurationError, match="lower case"):
        check_names([Section(name="a", title="A", artefacts=(TABLE, _named(name)))])


def _named(name: str) -> Figure:
    return FIGURES["bars"].model_copy(update={"name": name})


@pytest.mark.parametrize(
    ("kind", "torn", "problem"),
    [
        ("curves", {"panels": {"": {"a": {"x": [1], "y": [1, 2]}}}}, "different lengths"),
        ("heat", {"rows": ["0"]}, "no grid"),
        ("histograms", {"edges": [0, 1]}, "2 bins between 2 edges"),
        ("bars", {"labels": ["and"]}, "2 bars at 1 labels"),
    ],
)
def test_a_torn_plot_is_refused(kind, torn, problem):
    """Matplotlib would draw what is there, under the wrong labels."""
    document = json.loads(FIGURES[kind].model_dump_json())
    document["plot"] |= torn
    figure = Figure.model_validate_json(json.dumps(document))
    with pytest.raises(ConfigurationError, match=f"{kind}: .*{problem}"):
        check_shapes(Section(name="a", title="A", artefacts=(figure,)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"baseline": "nobody"}, "no row 'nobody'"),
        ({"better": {"speed": "lower"}}, "no column 'speed'"),
        ({"columns": ("system", "V@5")}, "6 cells under 2 columns"),
    ],
)
def test_a_torn_table_is_refused(change, problem):
    """Without its baseline, a table's marks would mean nothing."""
    torn = TABLE.model_copy(update=change)
    with pytest.raises(ConfigurationError, match=problem):
        check_shapes(Section(name="a", title="A", artefacts=(torn,)))


def test_what_fits_passes():
    check_names([SECTION])
    check_shapes(SECTION)
