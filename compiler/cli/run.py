"""`trainc run`: compile if needed, launch here, follow."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from .. import bundle
from ..runs.pipeline import run_pipeline
from . import shared
from .compile import build


@click.command(epilog="Example: trainc run examples/quickstart/quickstart.train")
@click.argument("source", metavar="SPEC|BUNDLE")
@shared.params
@click.option("--stage", help="Only this stage.")
@click.option("--resume", is_flag=True, help="Go on with the newest run of this very spec.")
@click.option("--runs", "runs", default="runs", type=click.Path(file_okay=False), help="Where runs lie.", show_default=True)
def command(source: str, sets: tuple[str, ...], params: str | None, stage: str | None, resume: bool, runs: str) -> None:
    """Run a spec, or a bundle, on this machine.

    Ctrl-C writes a checkpoint and leaves a run that --resume continues. Exits with 1 if a stage fails or is interrupted.
    """
    given = shared.settings(sets, params)
    is_bundle = (Path(source) / bundle.MANIFEST).is_file()
    if is_bundle and given:
        raise click.UsageError("a bundle is compiled already: --set and --params go with a spec")
    folder = _verified(Path(source)) if is_bundle else _compiled(source, given, Path(runs))
    data_root = Path.cwd() if is_bundle else Path(source).resolve().parent
    again = shlex.join(["trainc", *sys.argv[1:], *([] if resume else ["--resume"])])
    end = run_pipeline(folder, Path(runs), data_root=data_root, resume=resume, stage=stage, resume_command=again)
    if end.fault is not None:
        shared.print_findings((end.fault,))
    sys.exit(shared.CLEAN if end.finished else shared.FINDINGS)


def _verified(folder: Path) -> Path:
    faults = bundle.verify(folder)
    if faults:
        shared.print_findings(faults)
        sys.exit(shared.FINDINGS)
    return folder


def _compiled(spec: str, given: dict[str, str], runs: Path) -> Path:
    analysis = shared.sound(spec, given)
    made = build(analysis, given)
    assert analysis.plan is not None
    # Named by its content: the same spec is written once, and its runs find it again.
    folder = runs / analysis.plan.pipeline / "bundles" / made.hash[:12]
    if not (folder.is_dir() and not bundle.verify(folder)):
        fault = bundle.write(made, folder)
        if fault is not None:
            shared.fail(fault)
    return folder
