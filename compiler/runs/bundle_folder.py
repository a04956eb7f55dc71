"""What launching reads of a bundle on disk: its pipeline, its hash and its stages in order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import faults


@dataclass(frozen=True, slots=True)
class BundleStage:
    """A stage's name, and its folder below the bundle's `stages`."""

    name: str
    folder: str


@dataclass(frozen=True, slots=True)
class BundleFolder:
    """A bundle that can be launched on this machine."""

    path: Path
    pipeline: str
    hash: str
    stages: tuple[BundleStage, ...]

    @property
    def launch_script(self) -> Path:
        """The script that launches one stage on this machine."""
        return self.path / "launch" / "local.sh"


def read_bundle(path: Path) -> BundleFolder | Diagnostic:
    """The bundle in a folder, or what it lacks."""
    try:
        content = json.loads((path / "bundle.json").read_text(encoding="utf-8"))
        stages = tuple(BundleStage(str(stage["name"]), str(stage["folder"])) for stage in content["stages"])
        bundle = BundleFolder(path, str(content["pipeline"]), str(content["hash"]), stages)
    except OSError as fault:
        return faults.bundle_not_launchable(path, f"bundle.json cannot be read: {(fault.strerror or str(fault)).lower()}")
    except (ValueError, RecursionError, KeyError, TypeError):
        return faults.bundle_not_launchable(path, "its bundle.json is not one that trainc wrote")
    if not bundle.launch_script.is_file():
        return faults.bundle_not_launchable(path, "launch/local.sh is missing")
    for stage in bundle.stages:
        if not (path / "stages" / stage.folder / "plan.json").is_file():
            return faults.bundle_not_launchable(path, f"stages/{stage.folder}/plan.json is missing")
    return bundle
