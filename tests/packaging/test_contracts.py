"""The layer contracts of pyproject.toml are kept, and would be noticed if they were not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = ("dsl", "compiler", "runtime")


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(root / ".src")}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for layer in LAYERS:
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / layer, tmp_path / ".src" / "trainc" / layer, ignore=ignore)
    return tmp_path


def test_the_contracts_are_kept() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "3 kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("dsl/bad.py", "from trainc.compiler import runs"),
        ("runtime/bad.py", "import trainc.dsl.ast"),
        ("runtime/bad.py", "from trainc.compiler import runs"),
        ("compiler/bad.py", "import trainc.runtime.planfile"),
        ("compiler/runs/bad.py", "def late():\n    from torch.nn import Linear"),
        ("dsl/bad.py", "import transformers"),
        ("compiler/bad.py", "import deepspeed"),
        ("compiler/bad.py", "from peft import LoraConfig"),
    ],
)
def test_a_forbidden_import_is_noticed(copy: Path, module: str, statement: str) -> None:
    (copy / ".src" / "trainc" / module).write_text(statement + "\n")
    result = lint_imports(copy)
    assert result.returncode == 1
    assert "trainc." + module.removesuffix(".py").replace("/", ".") in result.stdout


def test_every_folder_of_modules_is_a_package() -> None:
    # import-linter and mypy pass over a folder without __init__.py in silence.
    bare = {
        module.parent.relative_to(ROOT)
        for layer in LAYERS
        for module in (ROOT / layer).rglob("*.py")
        if not (module.parent / "__init__.py").exists()
    }
    assert not bare
