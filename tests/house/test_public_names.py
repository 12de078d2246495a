"""The public names are a list that somebody decided on."""

from __future__ import annotations

import logic_retrievers


def test_exported_names_are_sorted_exist_and_are_all_there_is():
    """A name that leaks out becomes a promise."""
    names = logic_retrievers.__all__
    assert names == sorted(names, key=str)
    assert set(names) - {"__version__"} == set(logic_retrievers._HOMES)
    for name in names:
        value = getattr(logic_retrievers, name)
        assert name == "__version__" or value.__name__ == name
    assert dir(logic_retrievers) == names


def test_every_error_stands_in_the_drawn_tree():
    """The docstring's tree is what callers read to know what to catch."""
    from logic_retrievers import errors

    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.LogicRetrieversError):
            assert f" {name}" in f" {errors.__doc__}", name
