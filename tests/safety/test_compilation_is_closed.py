"""Compiling reads the spec, its imports and what it declares below its folder, and nothing else: shown under an audit hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

# Everything is imported and every template is loaded before the hook is set; then the same spec is compiled as a stranger's.
WATCHED = """
import json, os, sys, time
from pathlib import Path

from trainc.compiler import bundle
from trainc.compiler.driver import analyse
from trainc.compiler.emit import emit

spec = Path(sys.argv[1])

def compile():
    analysis = analyse(spec, {})
    if analysis.plan is None:
        return [finding.code for finding in analysis.findings]
    return sorted(emit(analysis.plan, analysis.programs, analysis.library, {}).files)[:1]

compile()
events, environment = [], dict(os.environ)

class Watched(type(os.environ)):
    def __getitem__(self, key):
        events.append(["environment", str(key)])
        return super().__getitem__(key)

def hook(name, arguments):
    if name in ("open", "os.listdir", "os.scandir", "glob.glob"):
        events.append([name, str(arguments[0])])
    elif name.split(".")[0] in ("socket", "subprocess", "urllib", "ctypes", "shutil", "tempfile") or name in (
        "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename", "os.mkdir", "os.chmod", "exec", "import"
    ):
        events.append([name, str(arguments[0])])

def no_clock(*_):
    events.append(["clock", ""])
    return 0

for name in ("time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime"):
    setattr(time, name, no_clock)
os.environ.__class__ = Watched
sys.addaudithook(hook)
result = compile()
os.environ.__class__ = Watched.__base__
json.dump({"result": result, "events": events}, sys.stdout)
"""


def watched(spec: Path) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", WATCHED, str(spec)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def below(folder: Path, place: str) -> bool:
    return Path(place).resolve().is_relative_to(folder.resolve())


@pytest.mark.parametrize("spec", ["examples/quickstart/quickstart.train", "tests/cases/rules/base.train"])
def test_compiling_reads_nothing_but_the_spec_and_trainc_itself(spec: str) -> None:
    path = ROOT / spec
    seen = watched(path)
    places = [place for name, place in seen["events"] if name in ("open", "os.listdir", "os.scandir", "glob.glob")]
    others = [event for event in seen["events"] if event[0] not in ("open", "os.listdir", "os.scandir", "glob.glob")]
    assert str(path) in places
    own = (path.parent, *(ROOT / layer for layer in ("dsl", "compiler", "runtime", "stdlib")))
    assert [place for place in places if not any(below(folder, place) for folder in own)] == []
    assert others == []


def test_the_hook_notices_what_it_looks_for(tmp_path: Path) -> None:
    # The same watch over a compilation that is made to misbehave: a spec read through a link that leads out of the repository.
    (tmp_path / "spec.train").write_text("mesh m { tp = 1 }")
    (tmp_path / "link.train").symlink_to(tmp_path / "spec.train")
    places = [place for name, place in watched(tmp_path / "link.train")["events"] if name == "open"]
    assert [place for place in places if not below(ROOT, place)] != []


def test_a_link_is_followed_before_it_is_judged(tmp_path: Path) -> None:
    (tmp_path / "secret.train").write_text("let token = 1")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "link.train").symlink_to(tmp_path / "secret.train")
    (tmp_path / "project" / "spec.train").write_text('import "./link.train"')
    seen = watched(tmp_path / "project" / "spec.train")
    assert seen["result"] == ["TRN153"]
    assert not [place for _, place in seen["events"] if place.endswith(("secret.train", "link.train"))]


def test_a_declared_file_behind_a_link_that_leads_out_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "config.json").write_text('{"hidden_size": 7}')
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "weights").symlink_to(tmp_path / "elsewhere")
    text = (ROOT / "examples/quickstart/quickstart.train").read_text()
    local = 'tiny.llama_1m { source = local { path = "weights" }, tokenizer = pretrained { path = "weights" } }'
    (tmp_path / "project" / "spec.train").write_text(text.replace("tiny.llama_1m", local))
    seen = watched(tmp_path / "project" / "spec.train")
    assert seen["result"] == ["TRN607"]
    assert not [place for name, place in seen["events"] if name == "open" and "config.json" in place]
