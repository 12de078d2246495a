"""Names of parametrised tests that are equal in every process."""

from __future__ import annotations

import re


def stable(value: object) -> str:
    """Return ``str`` of a value without an object's address."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
