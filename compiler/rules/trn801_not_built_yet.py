"""TRN801: the spec asks for something that this version of trainc cannot run yet.

Why: the language is complete before the runtime is; a setting that would be ignored, as accelerate ignored a batch size that it was
given (huggingface/accelerate#2298), must stop the compilation.
Example:
  stage pretrain { spike_guard = true }
Instead:
  stage pretrain { nonfinite = skip }    # until the release notes say that loss spikes are skipped too
"""

from __future__ import annotations

from collections.abc import Iterator

from ..schema import Record
from ..spec import StageSpec
from . import Finding


def check_record(record: Record) -> Iterator[Finding]:
    """Refuses declarations of a kind that nothing reads yet."""
    if record.later:
        yield Finding(at="", message=f"kind `{record.kind}` is not built in this version of trainc", help="leave it out for now")


def check_stage(stage: StageSpec) -> Iterator[Finding]:
    """Looks through every field of the stage for what the schema marks as built later."""
    yield from _look(stage, "")


def _look(record: Record, prefix: str) -> Iterator[Finding]:
    for name, value in record.__dict__.items():
        setting = record.settings.get(name)
        if setting is None:
            continue
        path = f"{prefix}{name}"
        if setting.is_later(value):
            yield _finding(path, f"`{name}` = {_shown(value)}", setting.later is True)
        elif isinstance(value, Record) and value.later:
            yield _finding(path, f"`{value.title}`", False)
        elif isinstance(value, Record):
            yield from _look(value, f"{path}.")


def _finding(path: str, what: str, whole_field: bool) -> Finding:
    help = "leave the field out for now" if whole_field else "choose another that this version runs"
    return Finding(at=path, message=f"{what} is not built in this version of trainc", help=help)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
