"""A fuzzing harness: every public entry gets hostile input, drawn from a seed.

    python -m tests.fuzz                                            20,000 inputs, a few minutes
    python -m tests.fuzz --only filters rows --inputs 5000
    python -m tests.fuzz --only filters --seed 3 --index 127        one input again

An input is handled rightly if it gives a result that passes the target's own check, or an error of
the package's tree. Everything else is a failure: another exception, more than 5 seconds, or a value
that was accepted and cannot be read back.

    harness      a target, one input run and judged, a run of many
    isolation    the same in a process of its own, for native code that may abort
    values       hostile values, and mutations of bytes and of JSON
    workplace    a folder to work in, a small encoder, an index
    arguments    values for arguments by their kind
    targets      all targets; each of the other modules holds those of one family
"""

import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent
for _folder in (_TESTS, _TESTS / "conformance", _TESTS / "encoders"):  # small encoders and doubles
    if str(_folder) not in sys.path:
        sys.path.append(str(_folder))
