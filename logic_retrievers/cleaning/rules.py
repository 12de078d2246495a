"""What a cleaning judges by."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logic_retrievers.cleaning.gathering import Trust
from logic_retrievers.cleaning.telling import Reading
from logic_retrievers.contradiction.rules import ConflictPolicy
from logic_retrievers.contradiction.settings import VECTORS, ContradictionSettings
from logic_retrievers.contradiction.verdicts import AgainstTrusted

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder

_ADDRESS = re.compile(r" at 0x[0-9a-f]+", re.IGNORECASE)
"""Where an object lies in memory, which is another place in every process."""


@dataclass(frozen=True, slots=True)
class Rules:
    """All that a decision depends on beside the passages.

    Args:
        settings: of the contradiction vector.
        reading: of metadata and texts.
        trust: who is vouched for.
        policy: for a contradiction where nobody is trusted.
        against: what becomes of those that contradict a trusted one.
        neighbours: how many topical neighbours each passage is compared with.
        ask_above: least own probability of the pairs that a second opinion is asked about.
        asking: whether there is a second opinion.
        encoder: makes the vectors.
    """

    settings: ContradictionSettings
    reading: Reading
    trust: Trust
    policy: ConflictPolicy
    against: AgainstTrusted
    neighbours: int
    ask_above: float
    asking: bool
    encoder: Encoder

    def fingerprint(self) -> str:
        """sha256 of the rules; a function counts by its name, an encoder by its fingerprints."""
        parts = (
            self.settings,
            self.reading,
            self.trust,
            self.policy,
            self.against,
            self.neighbours,
            self.ask_above,
            self.asking,
            sorted((name, self.encoder.specs[name].fingerprint) for name in VECTORS),
        )
        told = _ADDRESS.sub("", repr(parts))
        return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()
