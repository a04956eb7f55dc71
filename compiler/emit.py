"""From programs to a bundle: every file a node needs, and the manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trainc.dsl.version import VERSION

from . import chat_templates, zero_settings
from .bundle import Bundle, seal
from .files import SpecFiles
from .loader import Library
from .lower import Program
from .pins import requirements
from .plan import Plan
from .planfile import plan_json
from .spec import Parquet, StageSpec
from .targets import torchrun
from .targets.templates import environment

RUNTIME = Path(__file__).parent.parent / "runtime"


def emit(plan: Plan, programs: tuple[Program, ...], library: Library, settings: Mapping[str, str]) -> Bundle:
    """The bundle of a plan; `settings` are the params as given."""
    spec = {f"spec/{label}": module.file.source.text.encode() for label, module in _own(library).items()}
    files: dict[str, bytes] = {**spec, **_runtime()}
    for program in programs:
        files[f"stages/{program.folder}/plan.json"] = plan_json(plan.pipeline, program.stage)
        if settings_of_zero := zero_settings.settings_json(program.stage.spec, program.stage.batch):
            files[f"stages/{program.folder}/ds_config.json"] = settings_of_zero
        if template := chat_templates.text(program.stage.spec.data.chat_template, SpecFiles(library.folder)):
            files[f"stages/{program.folder}/{chat_templates.FILE}"] = template.encode()
        files[f"stages/{program.folder}/train.py"] = _render("train.py.j2", plan=plan, program=program, width=_width(program))
    files |= torchrun.emit(plan, programs)
    files["requirements.txt"] = requirements(
        (setting for stage in plan.stages for setting in _settings(stage.spec)),
        with_adapters=any(stage.spec.adapter for stage in plan.stages),
        with_parquet=any(
            isinstance(source, Parquet) for stage in plan.stages for source in (stage.spec.data.train, stage.spec.data.eval)
        ),
        with_deepspeed=any(("engines", "deepspeed") in program.parts for program in programs),
    ).encode()
    one = all(stage.spec.mesh.cluster.nodes == 1 for stage in plan.stages)
    about = {"plan": plan, "programs": programs, "version": VERSION, "root": library.root.label, "on_one_machine": one}
    files["README.md"] = _render("README.md.j2", **about)
    return seal(files, _facts(plan, programs, library, settings, spec))


def _facts(
    plan: Plan, programs: tuple[Program, ...], library: Library, settings: Mapping[str, str], spec: Mapping[str, bytes]
) -> dict[str, object]:
    digest = hashlib.sha256(b"".join(path.encode() + b"\0" + spec[path] + b"\0" for path in sorted(spec))).hexdigest()
    return {
        "compiler": VERSION,
        "pipeline": plan.pipeline,
        "spec": library.root.label,
        "spec_hash": digest,
        "parameters": dict(sorted(settings.items())),
        "targets": ["torchrun"],
        "stages": [{"name": program.stage.name, "folder": program.folder} for program in programs],
    }


def _settings(stage: StageSpec) -> tuple[str, ...]:
    """Those that need packages of their own."""
    return stage.precision.compute, stage.optimizer.variant, stage.model.quantization


def _own(library: Library) -> dict[str, Any]:
    return {label: module for label, module in library.modules.items() if not module.is_standard}


@cache
def _runtime() -> dict[str, bytes]:
    """The vendored runtime, without the standard library's `.train` files or anything else of trainc."""
    files = sorted(file for file in RUNTIME.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {f"runtime/trainc/runtime/{file.relative_to(RUNTIME).as_posix()}": file.read_bytes() for file in files}


def _width(program: Program) -> int:
    return max(len(call.code) for call in program.calls)


def _render(template: str, **values: object) -> bytes:
    return environment().get_template(template).render(**values).encode()
