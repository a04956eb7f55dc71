"""What a user installs: sdist -> wheel -> the exact files -> the script."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from trainc.dsl.version import VERSION

ROOT = Path(__file__).parents[2]
FOLDERS = ("dsl", "compiler", "runtime", "stdlib")
KINDS = {".py", ".lark", ".train", ".j2", ".jinja"}

pytestmark = pytest.mark.slow


def package_files() -> set[str]:
    """The files below the four folders on disk, also those that git ignores: the build would leave them out."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def wheel_names(built: Path) -> set[str]:
    (wheel,) = built.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_the_four_folders_and_nothing_else(wheel_names: set[str]) -> None:
    inside = {name.removeprefix("trainc/") for name in wheel_names if ".dist-info/" not in name}
    assert inside == package_files()
    assert {name.split("/")[0] for name in inside} == set(FOLDERS)


def test_the_wheel_holds_only_known_kinds_of_files(wheel_names: set[str]) -> None:
    kinds = {Path(name).suffix for name in wheel_names if name.startswith("trainc/")}
    assert kinds == KINDS


def test_the_grammar_table_ships_with_the_grammar(wheel_names: set[str]) -> None:
    assert {"trainc/dsl/train.lark", "trainc/dsl/table.py"} <= wheel_names


def test_the_licence_ships_whole(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("licenses/LICENSE"))
        text = archive.read(name).decode()
    assert text == (ROOT / "LICENSE").read_text()
    assert "APPENDIX: How to apply the Apache License to your work" in text


def test_the_sdist_holds_no_tests(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert tops == {*FOLDERS, "README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml", ".gitignore", "PKG-INFO"}


def test_the_installed_script_runs_far_from_the_sources(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    # The dependencies are borrowed from here as bare paths, so that no editable trainc comes along with them.
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(tmp_path / "venv" / "bin" / "trainc"), "--version"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert VERSION in result.stdout
