"""The public names are a deliberate list."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import logic_retrievers
from logic_retrievers import conflicts, encoders, judging

LAZY = (logic_retrievers, conflicts, encoders, judging)


def test_exported_names_are_sorted_exist_and_are_all_there_is():
    """A leaked name becomes a promise."""
    names = logic_retrievers.__all__
    assert names == sorted(names, key=str)
    for name in names:
        value = getattr(logic_retrievers, name)
        assert name == "__version__" or value.__name__ == name
    assert dir(logic_retrievers) == names


def test_names_load_on_first_use():
    """A misspelt name must fail as in any module; a loaded name is the same object each time."""
    for package in LAZY:
        for name in package.__all__:
            assert getattr(package, name) is getattr(package, name), name
        assert dir(package) == package.__all__
        with pytest.raises(AttributeError, match=f"module {package.__name__!r} has no .* 'Nobody'"):
            _ = package.Nobody


@pytest.mark.parametrize("package", LAZY, ids=lambda package: package.__name__)
def test_type_checkers_see_the_same_names(package):
    """Editors must complete every name, and no name that fails at run time."""
    stub = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text("utf-8"))
    names = [node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)]
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            for imported in node.names:
                assert imported.asname == imported.name  # otherwise not public to a type checker
                assert getattr(package, imported.name) is getattr(module, imported.name)
                names.append(imported.name)
    assert sorted(names) == package.__all__


def test_every_error_stands_in_the_drawn_tree():
    """Callers read the docstring's tree to know what to catch."""
    from logic_retrievers import errors

    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.LogicRetrieversError):
            assert f" {name}" in f" {errors.__doc__}", name
