"""Names of parametrised tests that are the same in every process."""

from __future__ import annotations

import re


def stable(value: object) -> str:
    """What ``str`` says of a value, without the address of an object."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
