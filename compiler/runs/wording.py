"""Measured numbers in the words in which people read them."""

from __future__ import annotations

MISSING = "-"


def duration(seconds: float) -> str:
    """Seconds as `42s`, `3m05s` or `2h07m`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02}s"
    return f"{minutes // 60}h{minutes % 60:02}m"


def size(num_bytes: float | None) -> str:
    """Bytes in MiB, or in GiB from one GiB on."""
    if num_bytes is None:
        return MISSING
    gib = num_bytes / 2**30
    return f"{gib:.2f} GiB" if gib >= 1 else f"{num_bytes / 2**20:.1f} MiB"


def fixed(value: float | None, digits: int = 3) -> str:
    """A number with so many digits after the point."""
    return MISSING if value is None else f"{value:,.{digits}f}"


def rough(value: float | None) -> str:
    """A number that may be very small or large, with four significant digits."""
    return MISSING if value is None else f"{value:.4g}"
