"""Public names that a package imports on first use, so that importing the package is cheap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str], *eager: str
) -> tuple[Callable[[str], Any], list[str]]:
    """Return the ``__getattr__`` and ``__all__`` of a package, and set its ``__dir__``.

    Type checkers read the names in the package's ``__init__.pyi``.

    Args:
        package: name of the package.
        modules: module of the package -> its public names, separated by spaces.
        eager: public names that the package defines or imports itself.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}
    public = sorted([*module_of, *eager])

    def load(name: str) -> Any:
        try:
            module = module_of[name]
        except KeyError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        value = getattr(import_module(f"{package}.{module}"), name)
        setattr(sys.modules[package], name, value)  # later uses skip this function
        return value

    vars(sys.modules[package])["__dir__"] = lambda: public
    return load, public
