"""The launcher over the real torchrun: ranks that die, and a trainc that dies."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from trainc.compiler.runs.pipeline import run_pipeline

pytestmark = pytest.mark.slow

TORCHRUN = (
    'exec "$PYTHON" -m torch.distributed.run --nnodes 1 --nproc-per-node 2 --rdzv-backend c10d'
    ' --rdzv-endpoint "localhost:${MASTER_PORT:-0}" "stages/$1/train.py"'
)
ROOT = Path(__file__).parents[3]


def is_running(pid: str) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_killed_rank_is_named_and_the_others_are_ended(make_bundle, tmp_path: Path, capsys) -> None:
    bundle = make_bundle(TORCHRUN, pretrain="one_rank_is_killed")
    end = run_pipeline(bundle, tmp_path / "runs", data_root=tmp_path)
    assert end.fault is not None
    assert end.fault.message.startswith("stage `pretrain` failed: rank 1 was ended by SIGKILL")
    stage = end.folder / "pretrain"
    assert str(stage / "log" / "rank-1.log") in end.fault.help
    assert "  this is rank 1" in capsys.readouterr().err
    assert not any(is_running((stage / f"pid-{rank}").read_text()) for rank in (0, 1))


def test_ctrl_c_reaches_the_ranks_and_they_save(make_bundle, tmp_path: Path, when_trained) -> None:
    when_trained(signal.SIGINT)
    bundle = make_bundle(TORCHRUN, pretrain="saves_when_asked")
    end = run_pipeline(bundle, tmp_path / "runs", data_root=tmp_path)
    assert end.interrupted
    assert end.fault is None
    assert (end.folder / "pretrain" / "events.jsonl").read_text().count('"interrupted"') == 2


def test_two_launches_at_the_same_time_do_not_meet_at_a_port(make_bundle, tmp_path: Path) -> None:
    programs = [start_trainc(make_bundle(TORCHRUN, name, pretrain="trains_well"), tmp_path) for name in ("aa11", "bb22")]
    assert [program.wait(60) for program in programs] == [0, 0]


def test_a_killed_trainc_leaves_no_rank_behind(make_bundle, tmp_path: Path, wait_until) -> None:
    program = start_trainc(make_bundle(TORCHRUN, pretrain="saves_when_asked"), tmp_path)
    wait_until(lambda: any(tmp_path.glob("runs/*/*/pretrain/metrics.jsonl")))
    ranks = descendants(program.pid)
    assert len(ranks) >= 3
    program.kill()
    program.wait()
    wait_until(lambda: not any(is_running(pid) for pid in ranks))


def start_trainc(bundle: Path, folder: Path) -> subprocess.Popen[bytes]:
    program = (
        "import sys; from pathlib import Path; from trainc.compiler.runs.pipeline import run_pipeline;"
        "sys.exit(not run_pipeline(Path(sys.argv[1]), Path('runs'), data_root=Path('.')).finished)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".src")}
    command = [sys.executable, "-c", program, str(bundle)]
    return subprocess.Popen(command, env=environment, cwd=folder, stderr=subprocess.DEVNULL)


def descendants(pid: int) -> list[str]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in children for one in (child, *descendants(int(child)))]
