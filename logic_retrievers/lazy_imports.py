"""Names that a package imports on first use, so that importing the package stays cheap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_getattr(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package, whose ``dir`` lists its ``__all__`` from then on.

    ``modules``: module of the package -> the public names that it defines, separated by blanks.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> Any:
        try:
            module = module_of[name]
        except KeyError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        value = getattr(import_module(f"{package}.{module}"), name)
        setattr(sys.modules[package], name, value)  # later uses do not call this function
        return value

    namespace = vars(sys.modules[package])
    namespace["__dir__"] = lambda: namespace["__all__"]
    return load
