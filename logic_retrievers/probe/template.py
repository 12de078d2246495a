"""A question set to fill in, with two worked questions on the notices of a swimming pool."""

from __future__ import annotations

import os
from pathlib import Path

from logic_retrievers.atomic_files import write_folder

TEMPLATE = Path(__file__).with_name("template_files")


def write_template(folder: str | os.PathLike[str]) -> None:
    """Writes a set of two worked questions, with a README that explains its files.

    Raises:
        ConfigurationError: the folder exists already.
        StorageError: the disk is full, or the place may not be written to.
    """
    files = {file.name: file.read_text("utf-8") for file in sorted(TEMPLATE.iterdir())}
    write_folder(Path(folder), files)
