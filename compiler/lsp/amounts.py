"""The same amount in other units, for people: `80 GB` is 74.5 GiB."""

from __future__ import annotations

from ..units import Dimension, Quantity, format_quantity

_DECIMAL = (("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
_BINARY = (("PiB", 2**50), ("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
_BITS = (("Tb/s", 10**12), ("Gb/s", 10**9), ("Mb/s", 10**6), ("kb/s", 10**3))


def spellings(quantity: Quantity) -> list[str]:
    """The amount as the language shows it, and in the other units in which people know it."""
    forms = [format_quantity(quantity), *_others(quantity)]
    return list(dict.fromkeys(form for form in forms if form))


def _others(quantity: Quantity) -> list[str]:
    value = quantity.value
    match quantity.dimension:
        case Dimension.BYTES:
            return [_in(value, _DECIMAL), _in(value, _BINARY)]
        case Dimension.BANDWIDTH:
            bytes_a_second = _in(value, _DECIMAL)
            return [_in(value * 8, _BITS), f"{bytes_a_second}/s" if bytes_a_second else ""]
        case Dimension.DURATION:
            return [f"{_short(value)} s", f"{_short(value / 3600)} h" if value >= 3600 else ""]
        case Dimension.PERCENT:
            return [_short(quantity.fraction, 4)]
        case Dimension.FLOPS:
            return [f"{value:.4g} operations a second"]
    unit = "" if quantity.dimension is Dimension.NUMBER else f" {quantity.dimension.value}"
    return [f"{value:,}{unit}"] if isinstance(value, int) and value >= 10_000 else []


def _in(value: float, units: tuple[tuple[str, int], ...]) -> str:
    return next((f"{_short(value / factor)} {unit}" for unit, factor in units if value >= factor), "")


def _short(value: float, decimals: int = 1) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
