"""The public names are a list that somebody decided on."""

from __future__ import annotations

import pytest

import logic_retrievers


def test_exported_names_are_sorted_exist_and_are_all_there_is():
    """A name that leaks out becomes a promise."""
    names = logic_retrievers.__all__
    assert names == sorted(names, key=str)
    assert set(names) - {"__version__"} == set(" ".join(logic_retrievers._MODULES.values()).split())
    for name in names:
        value = getattr(logic_retrievers, name)
        assert name == "__version__" or value.__name__ == name
    assert dir(logic_retrievers) == names


def test_names_load_on_first_use():
    """A misspelt name must fail as it does in any module, and a name that is there only once."""
    from logic_retrievers import cleaning, contradiction, encoders

    for package in (logic_retrievers, cleaning, contradiction, encoders):
        for name in package.__all__:
            assert getattr(package, name) is getattr(package, name), name
        assert dir(package) == package.__all__
        with pytest.raises(AttributeError, match=f"module {package.__name__!r} has no .* 'Nobody'"):
            _ = package.Nobody


def test_every_error_stands_in_the_drawn_tree():
    """The docstring's tree is what callers read to know what to catch."""
    from logic_retrievers import errors

    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.LogicRetrieversError):
            assert f" {name}" in f" {errors.__doc__}", name
