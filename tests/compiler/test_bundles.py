from __future__ import annotations

import json
import py_compile
import shutil
import subprocess
from pathlib import Path

import pytest
from trainc.compiler import bundle
from trainc.compiler.bundle import Bundle
from trainc.compiler.driver import analyse
from trainc.compiler.emit import emit

CASES = sorted(Path("tests/cases/bundles").resolve().iterdir())


def compiled(case: Path) -> Bundle:
    settings_file = case / "settings.json"
    settings = json.loads(settings_file.read_text()) if settings_file.exists() else {}
    analysis = analyse(case / "spec.train", settings)
    assert analysis.findings == ()
    assert analysis.plan is not None
    assert analysis.programs is not None
    return emit(analysis.plan, analysis.programs, analysis.library, settings)


def golden(made: Bundle) -> dict[str, str]:
    """What a bundle says itself: not the vendored runtime, the copied spec, and the manifest with their hashes."""
    own = {path: content.decode() for path, content in made.files.items() if path.split("/")[0] in ("stages", "launch")}
    return own | {name: made.files[name].decode() for name in ("README.md", "requirements.txt")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_spec_compiles_to_its_golden_bundle(case: Path, request: pytest.FixtureRequest) -> None:
    produced, folder = golden(compiled(case)), case / "bundle"
    if request.config.getoption("--bless"):
        shutil.rmtree(folder, ignore_errors=True)
        for path, text in produced.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    expected = {file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()}
    assert produced == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_spec_elsewhere_gives_the_same_bytes(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(case, tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert compiled(tmp_path / "elsewhere").files == compiled(case).files


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_generated_files_satisfy_their_own_tools(case: Path, tmp_path: Path) -> None:
    assert bundle.write(compiled(case), tmp_path / "bundle") is None
    for script in (tmp_path / "bundle" / "launch").glob("*.sh"):
        subprocess.run(["bash", "-n", script], check=True)
    for program in (tmp_path / "bundle" / "stages").glob("*/train.py"):
        py_compile.compile(str(program), cfile=str(tmp_path / "compiled"), doraise=True)


def test_no_path_of_this_machine_is_in_a_bundle() -> None:
    here = str(Path.cwd()).encode()
    for case in CASES:
        assert not [path for path, content in compiled(case).files.items() if here in content]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    assert bundle.write(compiled(CASES[0]), tmp_path / "bundle") is None
    return tmp_path / "bundle"


def test_an_unchanged_bundle_verifies(written: Path) -> None:
    assert bundle.verify(written) == ()


def test_one_flipped_bit_is_found_in_every_file(written: Path) -> None:
    for file in sorted(file for file in written.rglob("*") if file.is_file() and file.stat().st_size):
        content = file.read_bytes()
        middle = len(content) // 2
        file.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
        found = [finding.message for finding in bundle.verify(written)]
        file.write_bytes(content)
        if file.name != "bundle.json":
            assert found == [f"`{file.relative_to(written).as_posix()}` was changed after it was compiled"]
        else:
            assert found


def test_missing_and_added_files_are_named(written: Path) -> None:
    (written / "requirements.txt").unlink()
    (written / "extra.py").write_text("")
    assert [finding.code for finding in bundle.verify(written)] == ["TRN845", "TRN846"]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("mine")
    fault = bundle.write(compiled(CASES[0]), tmp_path / "work")
    assert fault is not None
    assert fault.code == "TRN841"
    assert [file.name for file in (tmp_path / "work").iterdir()] == ["thesis.txt"]


def test_a_bundle_to_which_something_was_added_is_left_alone(written: Path) -> None:
    (written / "checkpoint").write_text("precious")
    fault = bundle.write(compiled(CASES[1]), written)
    assert fault is not None
    assert fault.code == "TRN841"
    assert (written / "checkpoint").read_text() == "precious"


def test_a_manifest_that_says_something_else_is_found(written: Path) -> None:
    manifest = written / "bundle.json"
    manifest.write_text(manifest.read_text().replace('"pipeline": "spec"', '"pipeline": "other"'))
    assert [finding.message for finding in bundle.verify(written)] == ["`bundle.json` was changed after it was compiled"]


def test_a_bundle_replaces_an_earlier_one_whole(written: Path) -> None:
    assert bundle.write(compiled(CASES[1]), written) is None
    assert bundle.verify(written) == ()
    assert [entry.name for entry in written.parent.iterdir()] == ["bundle"]
