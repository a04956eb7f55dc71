"""What a completion writes: a name with its required fields, and a stop for each in the editor's snippet language."""

from __future__ import annotations

from ..schema import Choice, Flag, Record, RecordOf, Setting, Type


def field(name: str, entry: Setting) -> str:
    """A field with its value to be filled in; the fields of a part stand in its block."""
    shape = entry.type.shape if isinstance(entry.type, RecordOf) else None
    if shape is not None and not shape.kind and not shape.variants:
        inner = _required(shape)
        return f"{name} {{ {_numbered(inner)} }}" if inner else f"{name} {{ $1 }}"
    return f"{name} = {_value(entry.type, 1)}"


def variant(shape: type[Record]) -> str:
    """A variant with what it requires."""
    inner = _required(shape)
    return f"{shape.variant} {{ {_numbered(inner)} }}" if inner else shape.variant


def declaration(shape: type[Record]) -> str:
    """A declaration of a kind, a line for each required field."""
    lines = [f"{shape.kind} ${{1:name}} {{"]
    for number, (name, entry) in enumerate(_required(shape).items(), start=2):
        is_part = isinstance(entry.type, RecordOf) and not entry.type.shape.kind and not entry.type.shape.variants
        lines.append(f"  {name} {{ ${number} }}" if is_part else f"  {name} = {_value(entry.type, number)}")
    return "\n".join([*lines, "}"])


def plain(snippet: str) -> str:
    """The same for editors without snippets: the text up to the first stop."""
    return snippet.split("$")[0].rstrip(" ") + " " if "$" in snippet else snippet


def _required(shape: type[Record]) -> dict[str, Setting]:
    return {name: entry for name, entry in shape.settings.items() if entry.required}


def _numbered(fields: dict[str, Setting]) -> str:
    return ", ".join(f"{name} = {_value(entry.type, number)}" for number, (name, entry) in enumerate(fields.items(), start=1))


def _value(type: Type, number: int) -> str:
    match type:
        case Choice(members):
            return f"${{{number}|{','.join(members)}|}}"
        case Flag():
            return f"${{{number}|true,false|}}"
    return f"${number}"
