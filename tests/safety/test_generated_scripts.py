"""No text of a spec is ever run: hostile names, paths and strings go into every place, and the bundle is executed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler import bundle
from trainc.compiler.driver import analyse
from trainc.compiler.emit import emit
from trainc.compiler.reading import UnreadableError

ROOT = Path(__file__).parents[2]
MARK = "pwned"
HOSTILE = [
    f"$(touch {MARK})",
    f"`touch {MARK}`",
    f"; touch {MARK};",
    f"'; touch {MARK}; '",
    f'"; touch {MARK}; "',
    f"a\n touch {MARK}\n",
    f"a\r\n#SBATCH --wrap=touch {MARK}",
    f"&& touch {MARK} ||",
    f"| touch {MARK}",
    f"--wrap=touch {MARK}",
    f"-oProxyCommand=touch {MARK}",
    f"${{IFS}}$(touch${{IFS}}{MARK})",
    f"a\u2028touch {MARK}",
    f"a\u00a0$(touch\u00a0{MARK})",
    f"a\u3000`touch {MARK}`",
    f"\\$(touch {MARK})",
    f'"""\nimport os; os.system("touch {MARK}")\n"""',
    f"{{{{ ''.__class__ }}}}{{% raw %}}$(touch {MARK})",
    f"%(touch {MARK})s",
    "\u202e$(hcuot)",
]
QUICKSTART = (ROOT / "examples/quickstart/quickstart.train").read_text(encoding="utf-8")


def literal(text: str) -> str:
    """A string of the language that means `text`."""
    escaped = "".join(char if char.isprintable() and char not in '"\\$' else f"\\u{{{ord(char):x}}}" for char in text)
    return f'"{escaped}"'


def hostile_spec(folder: Path, text: str) -> Path:
    """A sound spec with the text in its file's name, a comment, a reason, paths, a repository, a revision and a parameter."""
    name = "".join(char for char in text if char not in "/\0")
    path = folder / f"{name}.train"
    data = folder / "corpus" / f"{name}.txt"
    data.parent.mkdir()
    data.write_text("some text", encoding="utf-8")
    one_line = " ".join(text.split("\n")).replace("\r", " ")
    changed = QUICKSTART.replace("train    = python_stdlib", f"train    = text {{ path = {literal(f'corpus/{name}.txt')} }}")
    changed = changed.replace('else "the batch recipe changed"', f"else {literal(text)}")
    changed = changed.replace("import std.gpus", f"# {one_line}\nimport std.gpus", 1)
    hub = f"hf {{ repository = {literal(text)}, revision = {literal(text)} }}"
    param = f'\n## {one_line}\nparam label: string = {literal(text)}\nlet used = "${{label}}"\n'
    path.write_text(f"{changed}{param}model other = tiny.llama_1m {{ source = {hub} }}\n", encoding="utf-8")
    return path


def execute(folder: Path, where: Path) -> None:
    """Runs every script of a bundle with an interpreter that does nothing, and the head of each train.py with one that does."""
    stages = [stage.name for stage in (folder / "stages").iterdir()]
    idle = where / "python"
    idle.write_text("#!/bin/sh\nexit 0\n")
    idle.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], "PYTHON": str(idle), "MASTER_ADDR": "localhost"}
    for script in (folder / "launch").iterdir():
        for stage in stages:
            subprocess.run(["bash", str(script), stage], cwd=where, env=environment, check=True, capture_output=True)
    for stage in stages:
        # Everything but the launch itself: the imports stand for a runtime that does nothing.
        program = (folder / "stages" / stage / "train.py").read_text(encoding="utf-8")
        idle_modules = "import sys, unittest.mock as m\nclass Any(dict):\n    def __missing__(self, key): return m.MagicMock()\n"
        body = "\n".join(line for line in program.splitlines() if not line.startswith("from trainc"))
        scope = f"Any(__name__='__main__', __file__={str(folder / 'stages' / stage / 'train.py')!r})"
        run = f"{idle_modules}exec({body!r}, {scope})"
        subprocess.run([sys.executable, "-c", run], cwd=where, check=True, capture_output=True)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_never_run(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec").mkdir()
    path = hostile_spec(tmp_path / "spec", text)
    analysis = analyse(path, {"label": text})
    assert [finding.message for finding in analysis.findings if finding.code[3] != "9"] == []
    assert analysis.plan is not None
    assert analysis.programs is not None
    made = emit(analysis.plan, analysis.programs, analysis.library, {"label": text})
    assert bundle.write(made, tmp_path / "bundle") is None
    execute(tmp_path / "bundle", tmp_path)
    assert [str(found) for found in tmp_path.rglob(f"*{MARK}*") if found.name == MARK] == []


def test_the_execution_would_leave_a_marker(tmp_path: Path) -> None:
    (tmp_path / "bundle/launch").mkdir(parents=True)
    (tmp_path / "bundle/stages/10-s").mkdir(parents=True)
    (tmp_path / "bundle/launch/local.sh").write_text(f"echo $(touch {MARK})")
    (tmp_path / "bundle/stages/10-s/train.py").write_text(f"import os\nos.system('touch {MARK}2')\nlaunch()")
    execute(tmp_path / "bundle", tmp_path)
    assert (tmp_path / MARK).exists()
    assert (tmp_path / f"{MARK}2").exists()


@pytest.mark.parametrize("name", ["a b", "a;b", "a$b", "a-b", "a'b", "ä", "--x", "a.b"])
def test_names_that_reach_scripts_are_plain_words(name: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.train"
    path.write_text(
        QUICKSTART.replace("stage pretrain", f"stage {name}").replace("pretrain.batch", f"{name}.batch"), encoding="utf-8"
    )
    try:
        assert analyse(path, {}).findings
    except UnreadableError:
        pytest.fail("the spec can be read")


@pytest.mark.parametrize("case", sorted((ROOT / "tests/cases/bundles").iterdir()), ids=lambda case: case.name)
def test_shellcheck_has_nothing_to_say(case: Path) -> None:
    scripts = sorted(str(script) for script in case.rglob("*.sh"))
    assert scripts
    done = subprocess.run(
        [str(Path(sys.executable).with_name("shellcheck")), *scripts], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
