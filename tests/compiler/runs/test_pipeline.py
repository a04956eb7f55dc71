"""What `trainc run` does with a bundle, seen from outside."""

import fcntl
import json
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
from trainc.compiler.runs import launch, pipeline
from trainc.compiler.runs.pipeline import PipelineEnd

FAKES = Path(__file__).parent / "fakes"


@pytest.fixture
def run(tmp_path: Path):
    def run_bundle(bundle: Path, **options: object) -> PipelineEnd:
        return pipeline.run_pipeline(bundle, tmp_path / "runs", data_root=tmp_path, **options)

    return run_bundle


def started(folder: Path) -> list[str]:
    return [json.loads(line)["event"] for line in (folder / "events.jsonl").read_text().splitlines()]


def test_a_run_goes_through_all_stages_and_leaves_a_report(make_bundle, run, capsys) -> None:
    end = run(make_bundle(pretrain="trains_well", align="trains_well"))
    assert end.finished
    assert re.fullmatch(r"\d{8}-\d{6}-0a1b2c3d", end.folder.name)
    assert end.folder.parent.name == "quick"
    output = capsys.readouterr()
    assert "9.000 -> 2.250" in output.out
    assert str(end.folder / "align" / "export") in output.out
    assert "align: step 4/4" in output.err
    assert (end.folder / "report" / "loss.png").read_bytes().startswith(b"\x89PNG")
    assert (end.folder / "report" / "report.html").is_file()


def test_the_stage_is_told_where_everything_lies(make_bundle, run, tmp_path: Path) -> None:
    launcher = 'printf "%s\\n" "$1" "$PWD" "$PYTHON"; env | grep ^TRAINC_; exit 3'
    bundle = make_bundle(launcher, pretrain="trains_well")
    folder = run(bundle).folder
    lines = (folder / "pretrain" / "log" / "launcher.log").read_text().splitlines()
    assert lines[:3] == ["10-pretrain", str(bundle), sys.executable]
    assert f"TRAINC_RUN_DIR={folder / 'pretrain'}" in lines
    assert f"TRAINC_DATA_ROOT={tmp_path}" in lines
    assert f"TRAINC_CACHE_DIR={tmp_path / 'cache' / 'trainc'}" in lines
    assert "TRAINC_RESUME=never" in lines


def test_the_first_ctrl_c_leaves_a_resumable_run(make_bundle, run, when_trained, capsys) -> None:
    when_trained(signal.SIGINT)
    end = run(make_bundle(pretrain="saves_when_asked"), resume_command="trainc run q.train --resume")
    assert end.interrupted
    assert end.fault is None
    assert "interrupted at step 1: go on with `trainc run q.train --resume`" in capsys.readouterr().err
    assert started(end.folder / "pretrain") == ["started", "interrupted"]


def test_the_launcher_is_asked_through_its_children(make_bundle, run, when_trained) -> None:
    # torchrun, like this launcher, stands between trainc and the ranks, and dies of a SIGTERM of its own.
    when_trained(signal.SIGTERM)
    end = run(make_bundle('"$PYTHON" "stages/$1/train.py" || exit 1', pretrain="saves_when_asked"))
    assert end.interrupted
    assert started(end.folder / "pretrain") == ["started", "interrupted"]


def test_the_second_ctrl_c_ends_every_process(make_bundle, run, when_trained, wait_until) -> None:
    when_trained(signal.SIGINT, signal.SIGINT)
    end = run(make_bundle('"$PYTHON" "stages/$1/train.py"', pretrain="never_stops"))
    assert end.interrupted
    pids = (end.folder / "pretrain" / "pids").read_text().split()
    assert len(pids) == 2
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_no_further_stage_starts_after_a_ctrl_c(make_bundle, run, when_trained, capsys) -> None:
    when_trained(signal.SIGINT)
    end = run(make_bundle(pretrain="finishes_when_asked", align="trains_well"))
    assert end.interrupted
    assert not (end.folder / "align").exists()
    assert "stopped before stage `align`" in capsys.readouterr().err


def test_the_handlers_of_signals_are_put_back(make_bundle, run) -> None:
    before = signal.getsignal(signal.SIGINT)
    run(make_bundle(pretrain="trains_well"))
    assert signal.getsignal(signal.SIGINT) is before


def test_resume_goes_on_in_the_same_folder_at_the_first_unfinished_stage(make_bundle, run, capsys) -> None:
    bundle = make_bundle(pretrain="trains_well", align="fails_with_a_word")
    first = run(bundle)
    assert first.fault.code == "TRN855"
    align = bundle / "stages" / "20-align" / "train.py"
    align.write_text((bundle / "stages" / "10-pretrain" / "train.py").read_text())
    second = run(bundle, resume=True)
    assert second.finished
    assert second.folder == first.folder
    assert "stage `pretrain` is finished already: skipped" in capsys.readouterr().err
    assert started(second.folder / "pretrain").count("started") == 1
    assert started(second.folder / "align").count("started") == 2


def test_an_interrupted_run_is_resumed_from_its_checkpoint(make_bundle, run, when_trained, capsys) -> None:
    bundle = make_bundle(pretrain="saves_when_asked")
    when_trained(signal.SIGINT)
    first = run(bundle)
    shutil.copy(FAKES / "trains_well.py", bundle / "stages" / "10-pretrain" / "train.py")
    second = run(bundle, resume=True)
    assert second.folder == first.folder
    assert second.finished
    events = started(second.folder / "pretrain")
    assert events[:4] == ["started", "interrupted", "started", "resumed"]
    assert "held-out loss" in capsys.readouterr().out


def test_a_rank_that_left_as_interrupted_by_someone_else_is_no_failure(make_bundle, run) -> None:
    report = (
        "Root Cause (first observed failure):\n[0]:\n  time      : x\n  host      : x\n"
        "  rank      : 0 (local_rank: 0)\n  exitcode  : 75 (pid: 4786) \n"
    )
    end = run(make_bundle(f"printf '%s' '{report}'; exit 1", pretrain="trains_well"))
    assert end.interrupted
    assert end.fault is None


def test_resume_takes_the_newest_run_of_this_very_bundle(make_bundle, run, tmp_path: Path) -> None:
    bundle = make_bundle(pretrain="trains_well")
    newest = [run(bundle).folder for _ in range(2)][-1]
    run(make_bundle(bundle_hash="0a1b2c3dffff", pretrain="trains_well"))
    assert run(bundle, resume=True).folder == newest


def test_resume_without_a_run_says_so(make_bundle, run) -> None:
    assert run(make_bundle(pretrain="trains_well"), resume=True).fault.code == "TRN856"


def test_one_stage_alone(make_bundle, run) -> None:
    end = run(make_bundle(pretrain="fails_with_a_word", align="trains_well"), stage="align")
    assert end.finished
    assert not (end.folder / "pretrain").exists()


def test_a_failed_stage_is_told_with_rank_cause_and_log(make_bundle, run, capsys) -> None:
    end = run(make_bundle(pretrain="fails_with_a_word"))
    assert end.fault.code == "TRN855"
    assert end.fault.message == "stage `pretrain` failed: rank 0: OutOfMemoryError: tried 20 GiB"
    assert str(end.folder / "pretrain" / "log" / "rank-0.log") in end.fault.help
    assert "  OutOfMemoryError: tried to allocate 20 GiB" in capsys.readouterr().err


def test_a_script_that_cannot_start_shows_its_traceback(make_bundle, run, capsys) -> None:
    end = run(make_bundle(pretrain="breaks_at_import"))
    assert end.fault.message == "stage `pretrain` failed: the launcher ended with exit code 1"
    assert "ModuleNotFoundError: No module named 'no_such_module'" in capsys.readouterr().err


def test_a_failure_of_an_earlier_launch_is_not_told_again(make_bundle, run) -> None:
    bundle = make_bundle(pretrain="fails_with_a_word")
    run(bundle)
    (bundle / "stages" / "10-pretrain" / "train.py").write_text("raise SystemExit(9)")
    assert "exit code 9" in run(bundle, resume=True).fault.message


def test_a_run_in_use_is_left_alone(make_bundle, run) -> None:
    bundle = make_bundle(pretrain="trains_well")
    folder = run(bundle).folder
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert run(bundle, resume=True).fault.code == "TRN859"


def test_a_runs_folder_that_cannot_be_made(make_bundle, run, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file stands here")
    fault = run(make_bundle(pretrain="trains_well")).fault
    assert fault.code == "TRN851"
    assert str(tmp_path / "runs") in fault.message


def test_a_run_that_may_only_be_read_is_not_resumed(make_bundle, run, monkeypatch) -> None:
    bundle = make_bundle(pretrain="fails_with_a_word")
    folder = run(bundle).folder
    # Root may write anywhere, so the answer of the system is replaced.
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != folder)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    assert run(bundle, resume=True).fault.code == "TRN851"


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("bundle.json", "bundle.json"),
        ("launch/local.sh", "launch/local.sh"),
        ("stages/10-pretrain/plan.json", "stages/10-pretrain/plan.json"),
    ],
)
def test_a_bundle_that_lacks_something_names_it(make_bundle, run, tmp_path: Path, missing: str, named: str) -> None:
    bundle = make_bundle(pretrain="trains_well")
    (bundle / missing).unlink()
    fault = run(bundle).fault
    assert fault.code == "TRN852"
    assert named in fault.message
    assert not (tmp_path / "runs").exists()


def test_a_bundle_of_nonsense(make_bundle, run) -> None:
    bundle = make_bundle(pretrain="trains_well")
    (bundle / "bundle.json").write_text('{"stages": 3}')
    assert run(bundle).fault.code == "TRN852"


def test_an_unknown_stage_lists_the_known_ones(make_bundle, run) -> None:
    fault = run(make_bundle(pretrain="trains_well", align="trains_well"), stage="pretrian").fault
    assert fault.code == "TRN857"
    assert fault.help == "the stages are `pretrain`, `align`"


def test_a_machine_without_bash(make_bundle, run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(make_bundle(pretrain="trains_well")).fault.code == "TRN853"


def test_a_python_without_the_runtime(make_bundle, run, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launch, "RUNTIME_PACKAGES", ("json", "no_such_torch"))
    fault = run(make_bundle(pretrain="trains_well")).fault
    assert fault.code == "TRN854"
    assert "`no_such_torch`" in fault.message
    assert "`json`" not in fault.message
    assert "pip install 'trainc[runtime]'" in fault.help
    assert not (tmp_path / "runs").exists()


def is_running(pid: str) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
