"""Number of functions and files of the package that a plain and an excluding search pass through.

    python -m benchmarks.call_counts [--list]

Comprehensions and lambdas are not counted. The first search warms up lazy imports and is not
measured.
"""

from __future__ import annotations

import argparse
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import logic_retrievers
from logic_retrievers import Engine, Passage, PassageIndex

PACKAGE = str(Path(logic_retrievers.__file__).parent)
QUERIES = {
    "plain": "a quiet hotel near the station",
    "excluding": "a quiet hotel near the station, but not above a nightclub",
}
TEXTS = (
    "The inn stands in a quiet street, five minutes on foot from the station.",
    "Our rooms lie above the nightclub; parties last until the morning.",
    "A hotel in the hills with a view of the lake and no traffic.",
    "The hostel beside the station is cheap and loud.",
    "Breakfast is served until ten, the garden is open to guests.",
)


def functions_called(action: Callable[[], object]) -> Counter[tuple[str, str]]:
    """(file, qualified name) of each function of the package -> how often the action calls it."""
    called: Counter[tuple[str, str]] = Counter()

    def record(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = not code.co_name.startswith("<")  # <listcomp>, <lambda>, ...
        if event == "call" and is_function and code.co_filename.startswith(PACKAGE):
            called[code.co_filename[len(PACKAGE) + 1 :], code.co_qualname] += 1

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return called


def main() -> None:
    """Prints one line a query, and with ``--list`` the functions by file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="also print every function")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the embedded engine warns about payload indexes
    index = PassageIndex.open("call-counts")
    index.add([Passage(str(number), text) for number, text in enumerate(TEXTS)])
    engine = Engine(index)
    for name, query in QUERIES.items():
        engine.search(query)
        called = functions_called(partial(engine.search, query))
        files = {file for file, _ in called}
        print(f"{name}: {len(called)} functions in {len(files)} files, {called.total()} calls")
        if arguments.list:
            for (file, function), calls in sorted(called.items()):
                print(f"  {file}: {function} ({calls})")


if __name__ == "__main__":
    main()
