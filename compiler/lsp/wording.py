"""How features speak of the language's words: one line for each function and type, markdown for kinds, variants and fields."""

from __future__ import annotations

import inspect

from .. import reference
from ..schema import Record, Setting

FUNCTIONS = {
    "min": ("min(a, b, ...)", "The smallest of values of one dimension, or of a list."),
    "max": ("max(a, b, ...)", "The largest of values of one dimension, or of a list."),
    "sum": ("sum(a, b, ...)", "The sum of values of one dimension, or of a list."),
    "len": ("len(x)", "The number of items of a list, or of characters of a string."),
    "ceil": ("ceil(x)", "The next whole number above."),
    "floor": ("floor(x)", "The next whole number below."),
    "round": ("round(x)", "The nearest whole number."),
    "abs": ("abs(x)", "The value without its sign."),
    "mod": ("mod(a, b)", "The rest of a division."),
    "gcd": ("gcd(a, b, ...)", "The greatest common divisor of whole numbers."),
}

TYPES = {
    "count": "A whole number, 0 or more: `8`, `4Ki`, `8B`.",
    "number": "A number: `0.1`, `2e-5`.",
    "bool": "`true` or `false`.",
    "string": "Text in double quotes.",
    "path": "A path, relative to the file it is written in.",
    "bytes": "An amount of memory: `80 GiB`, `80 GB`.",
    "bandwidth": "Bits or bytes a second: `400 Gb/s`, `50 GB/s`.",
    "flops": "Operations a second: `989 TFLOPS`.",
    "duration": "Wall time: `30min`, `2h30min`.",
    "extent": "A length of training: `500 steps`, `3 epochs`, `15T tokens`, `1M samples`, or a percentage of the run.",
    "percent": "A share: `3%`.",
}


def sort(shape: type[Record]) -> str:
    """What a record class is called: a kind, a part, or a variant of its family."""
    if shape.kind:
        return f"kind {shape.kind}"
    if shape.variant:
        family = next((base.title for base in shape.__bases__ if issubclass(base, Record)), "")
        return f"{family} {shape.variant}"
    return shape.title


def shape_text(shape: type[Record]) -> str:
    """A kind or variant with its fields, as markdown."""
    lines = [f"```train\n{sort(shape)}\n```", doc(shape)]
    if shape.later:
        lines.append("*Not built yet.*")
    fields = [f"- `{name}`: {entry.type.word}, {_given(entry)}: {entry.doc}" for name, entry in shape.settings.items()]
    return "\n\n".join([*lines, "\n".join(fields)]).strip()


def doc(shape: type[Record]) -> str:
    """What a kind or variant is for."""
    return inspect.cleandoc(shape.__doc__ or "")


def field_text(name: str, entry: Setting) -> str:
    """A field's type, meaning and default, as markdown."""
    parts = [f"```train\n{name}: {entry.type.word}\n```", sentence(entry.doc), f"{sentence(_given(entry))}{_later(entry)}"]
    if entry.effect is not None:
        parts.append(f"Changed after a checkpoint: {entry.effect.meaning}.")
    return "\n\n".join(parts)


def sentence(words: str) -> str:
    """Some words with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def _given(entry: Setting) -> str:
    default = reference.default(entry)
    if entry.required:
        return "required"
    return "optional" if default == "left out" else f"default `{default}`"


def _later(entry: Setting) -> str:
    if isinstance(entry.later, tuple):
        return f" Not built yet: {', '.join(f'`{word}`' for word in entry.later)}."
    return " Not built yet: anything but the default." if entry.later else ""
