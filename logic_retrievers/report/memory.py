"""How much memory this process takes."""

from __future__ import annotations

from pathlib import Path


def resident_mib() -> float:
    """Memory of this process now, in MiB; NaN where the system does not tell it."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    for line in lines:
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    return float("nan")
