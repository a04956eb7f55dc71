"""What grows without end in a spec ends in a finding of its own, and soon."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from trainc.compiler import evaluate
from trainc.compiler.cli.group import trainc
from trainc.compiler.driver import analyse
from trainc.compiler.reading import MOST_BYTES, UnreadableError
from trainc.compiler.reference import shapes
from trainc.compiler.spec import KINDS


@pytest.mark.parametrize("start", ["[1]", '"ab"'])
def test_a_value_that_doubles_is_stopped(start: str, analysed: Any) -> None:
    lets = "\n".join(f"let a{index} = a{index - 1} + a{index - 1}" for index in range(1, 35))
    assert [finding.code for finding in analysed(f"let a0 = {start}\n{lets}").findings] == ["TRN137"]


def test_a_text_that_holds_itself_twice_is_stopped(analysed: Any) -> None:
    lets = "\n".join(f'let a{index} = "${{a{index - 1}}}${{a{index - 1}}}"' for index in range(1, 35))
    assert [finding.code for finding in analysed(f'let a0 = "x"\n{lets}').findings] == ["TRN137"]


def test_evaluation_ends_after_a_number_of_steps(analysed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "STEP_LIMIT", 200)
    lets = "\n".join(f"let a{index} = {index} + 1" for index in range(300))
    assert [finding.code for finding in analysed(lets).findings] == ["TRN138"]


def test_a_source_without_end_is_refused() -> None:
    if not Path("/dev/zero").exists():
        pytest.skip("a file without end")
    with pytest.raises(UnreadableError) as caught:
        analyse(Path("/dev/zero"), {})
    assert caught.value.finding.code == "TRN156"


def test_a_large_import_is_a_finding(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "large.train").write_text("#" * (MOST_BYTES + 1))
    (finding,) = analysed('import "./large.train"\nlet a = large.b').findings
    assert (finding.code, "2 MiB" in finding.message) == ("TRN152", True)


def test_imports_have_a_deepest_level(tmp_path: Path) -> None:
    for index in range(400):
        (tmp_path / f"m{index}.train").write_text(f'import "./m{index + 1}.train"\nlet a = m{index + 1}.a\n')
    codes = [finding.code for finding in analyse(tmp_path / "m0.train", {}).findings]
    assert codes == ["TRN157"]


FIELDS = sorted({name for shape in shapes().values() for name in (*shape.settings, *shape.variants)} | KINDS.keys())


@pytest.mark.parametrize("name", FIELDS)
def test_every_word_of_the_schema_can_be_a_name(name: str, analysed: Any) -> None:
    text = f"let {name} = 3\nmesh m_{name} = pair {{ dp_shard = if {name} == 3 then 2 else 1 }}\nassert {name} + 1 == 4"
    declaration = f"mesh {name} = pair {{ tp = 1 }}\nassert {name}.tp == 1"
    found = [finding.code for source in (text, declaration) for finding in analysed(source).findings]
    # A name that a field of the base takes for its own member is said to be one.
    assert [code for code in found if code not in ("TRN906", "TRN909")] == []


def test_thousands_of_misspelt_names_are_quick(analysed: Any) -> None:
    started = time.perf_counter()
    found = analysed("\n".join(f"let m{index} = nope{index}" for index in range(3000))).findings
    assert len(found) == 3000
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "spec.train", "--params", "deep.json"],
        ["check", "spec.train", "--baseline", "deep.json"],
        ["verify", "bundle"],
        ["diff", "bundle", "spec.train"],
        ["run", "bundle"],
    ],
)
def test_json_without_end_is_no_defect(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.train").write_text("let a = 1\nassert a == 1\n")
    (tmp_path / "bundle").mkdir()
    for name in ("deep.json", "bundle/bundle.json"):
        (tmp_path / name).write_text("[" * 100_000)
    result = CliRunner().invoke(trainc, arguments)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code in (1, 2)
