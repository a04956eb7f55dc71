from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler.bundle import seal, write

QUICKSTART = Path("examples/quickstart/quickstart.train").resolve()
SOURCES = str(Path(".src").resolve())


def trainc(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    program = f"import sys; sys.path.insert(0, {SOURCES!r}); from trainc.compiler.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart compiled for 70 steps, away from its spec."""
    folder = tmp_path_factory.mktemp("compiled") / "bundle"
    assert trainc("compile", str(QUICKSTART), "-o", str(folder), "--set", "length=70steps").returncode == 0
    return folder


def test_specs_that_mean_the_same_exit_with_0(tmp_path: Path) -> None:
    (tmp_path / "copy.train").write_text("# a copy\n" + QUICKSTART.read_text())
    result = trainc("diff", str(QUICKSTART), str(tmp_path / "copy.train"))
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("mean the same\n")


def test_specs_that_differ_exit_with_1_and_say_what_it_does(tmp_path: Path) -> None:
    (tmp_path / "slower.train").write_text(QUICKSTART.read_text().replace("6e-3", "3e-3"))
    result = trainc("diff", str(QUICKSTART), str(tmp_path / "slower.train"))
    assert (result.returncode, result.stderr) == (1, "")
    assert "pretrain.optimizer.lr  0.006 -> 0.003" in result.stdout
    assert f"{QUICKSTART}:34 -> {tmp_path}/slower.train:34" in result.stdout
    assert "1 resume-safe; in all: resume-safe, a run can go on from its checkpoint" in result.stdout


def test_a_bundle_is_compared_with_the_params_it_was_compiled_with(bundle: Path) -> None:
    result = trainc("diff", str(bundle), str(QUICKSTART), "--format", "json")
    content = json.loads(result.stdout)
    assert (result.returncode, content["format_version"], content["effect"]) == (1, 1, "resume-safe")
    (change,) = content["changes"]
    assert change == {
        "path": "pretrain.duration",
        "change": "changed",
        "effect": "resume-safe",
        "old": {"text": "70 steps", "value": "70 steps", "place": "--set length"},
        "new": {"text": "300 steps", "value": "300 steps", "place": f"{QUICKSTART}:5"},
    }
    assert [(plan["old"]["steps"], plan["new"]["steps"]) for plan in content["plans"]] == [(70, 300)]


def test_set_goes_to_the_spec_beside_a_bundle(bundle: Path) -> None:
    assert trainc("diff", str(bundle), str(QUICKSTART), "--set", "length=70steps").returncode == 0


def test_set_goes_to_the_side_that_has_the_param(tmp_path: Path) -> None:
    fixed = QUICKSTART.read_text().replace("param length: extent = 300 steps", "let length = 70 steps")
    (tmp_path / "fixed.train").write_text(fixed)
    assert trainc("diff", str(tmp_path / "fixed.train"), str(QUICKSTART), "--set", "length=70steps").returncode == 0
    result = trainc("diff", str(tmp_path / "fixed.train"), str(QUICKSTART), "--set", "lenght=70steps")
    assert (result.returncode, "error[TRN110]: no param `lenght`" in result.stdout) == (2, True)


def test_the_plan_of_a_bundle_is_the_one_it_will_run_by(bundle: Path, tmp_path: Path) -> None:
    manifest = json.loads((bundle / "bundle.json").read_text())
    files = {path: (bundle / path).read_bytes() for path in manifest["files"]}
    plan = json.loads(files["stages/10-pretrain/plan.json"])
    plan["memory"]["peak_bytes"] += 2**30
    files["stages/10-pretrain/plan.json"] = json.dumps(plan).encode()
    facts = {name: value for name, value in manifest.items() if name not in ("files", "hash", "schema")}
    assert write(seal(files, facts), tmp_path / "planned-otherwise") is None
    result = trainc("diff", str(bundle), str(tmp_path / "planned-otherwise"))
    assert result.returncode == 1
    assert "peak memory a rank 142.2 MiB -> 1.1 GiB" in result.stdout
    assert "only the plans differ; in all: none, the run computes the same numbers" in result.stdout


@pytest.mark.parametrize("order", [1, -1])
def test_a_spec_with_errors_gives_its_findings_and_2(order: int, tmp_path: Path) -> None:
    (tmp_path / "bad.train").write_text("let a = b")
    subjects = [str(QUICKSTART), str(tmp_path / "bad.train")][::order]
    result = trainc("diff", *subjects)
    assert (result.returncode, result.stderr) == (2, "")
    assert "error[TRN101]: no name `b` here" in result.stdout
    findings = json.loads(trainc("diff", *subjects, "--format", "json").stdout)["findings"]
    assert [finding["code"] for finding in findings] == ["TRN101"]


def test_what_cannot_be_read_exits_with_2(tmp_path: Path, bundle: Path) -> None:
    assert "error[TRN150]" in trainc("diff", "absent.train", str(QUICKSTART)).stdout
    assert "error[TRN843]" in trainc("diff", str(tmp_path), str(QUICKSTART)).stdout
    both = trainc("diff", str(bundle), str(bundle), "--set", "length=5steps")
    assert (both.returncode, "--set and --params go with a spec" in both.stderr) == (2, True)
    for subject in ("absent.train", str(tmp_path), "HEAD:absent.train", "nothing:quickstart.train", ""):
        result = trainc("diff", subject, str(QUICKSTART))
        assert (result.returncode, "Traceback" in result.stderr) == (2, False)


def test_a_changed_bundle_is_refused_with_what_was_changed(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(bundle, tmp_path / "changed")
    (tmp_path / "changed" / "requirements.txt").write_text("torch\n")
    result = trainc("diff", str(tmp_path / "changed"), str(QUICKSTART))
    assert (result.returncode, "error[TRN844]" in result.stdout) == (2, True)


def test_data_that_is_not_here_is_no_difference(tmp_path: Path) -> None:
    spec = QUICKSTART.read_text().replace("python_stdlib", 'text { path = "corpus/*.txt" }')
    (tmp_path / "spec.train").write_text(spec)
    assert trainc("diff", str(tmp_path / "spec.train"), str(tmp_path / "spec.train")).returncode == 0


def test_a_revision_is_compared_with_the_file_of_today(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    spec = tmp_path / "spec.train"
    spec.write_text(QUICKSTART.read_text())
    git("init", "-q")
    git("add", "spec.train")
    git("commit", "-q", "-m", "first")
    spec.write_text(QUICKSTART.read_text().replace("dp_shard = 2", "dp_shard = 1, dp_replicate = 2"))
    result = trainc("diff", "HEAD:spec.train", "spec.train", cwd=tmp_path)
    assert result.returncode == 1
    assert "HEAD:spec.train:20 -> spec.train:20" in result.stdout
    assert "in all: reshards" in result.stdout


@pytest.mark.parametrize("spec", ["examples/quickstart/quickstart.train", "examples/changes/four.train"])
def test_what_show_prints_means_the_same(spec: str, tmp_path: Path) -> None:
    (tmp_path / "shown.train").write_text(trainc("show", spec).stdout)
    result = trainc("diff", spec, str(tmp_path / "shown.train"))
    assert (result.returncode, result.stdout) == (0, f"{spec} and {tmp_path}/shown.train mean the same\n")
