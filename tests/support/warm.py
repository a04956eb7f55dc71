"""Runs scripts as `python` or torchrun would, as forks of a process that has torch and transformers already.

Most of a short run is imports; a fork has them. What is about the launcher itself (lost ranks, restarts, signals) starts torchrun.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from places import places

# Not trainc's own modules: a bundle brings its copy of them.
IMPORTS = (
    "torch.distributed.device_mesh",
    "torch.distributed.fsdp",
    "torch.distributed.tensor.parallel",
    "torch.distributed.pipelining",
    "torch.distributed.checkpoint.state_dict",
    "torch.utils.tensorboard",
    "transformers.integrations.moe",
    "transformers.models.llama.modeling_llama",
)
# torchrun looks at its processes from time to time only.
NOTICED_SECONDS = 0.5
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(list(IMPORTS))


def run(
    script: Path, ranks: int, environment: dict[str, str], timeout_seconds: float, arguments: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Runs a script to its end on so many ranks; the code is torchrun's, 1 for any failure, or a lone process's own."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = (Path(folder) / "stdout", Path(folder) / "stderr")
        processes = [_start((str(script), *arguments), outputs, environment | variables) for variables in places(ranks)]
        try:
            _wait(processes, time.monotonic() + timeout_seconds, str(script))
        finally:
            _end(processes)
        codes = [process.exitcode or 0 for process in processes]
        stdout, stderr = (path.read_text(encoding="utf-8", errors="replace") for path in outputs)
        return subprocess.CompletedProcess([str(script)], codes[0] if ranks == 1 else int(any(codes)), stdout, stderr)


def _start(words: Sequence[str], outputs: Sequence[Path], environment: dict[str, str]) -> BaseProcess:
    process = _FORKS.Process(target=_become, args=(words, outputs, environment))
    # The server keeps the number of threads that it was started with.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", environment["OMP_NUM_THREADS"])
        process.start()
    return process


def _become(words: Sequence[str], outputs: Sequence[Path], environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for path, stream in zip(outputs, (sys.stdout, sys.stderr), strict=True):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream.fileno())
    sys.argv = list(words)
    sys.path[:0] = [str(Path(words[0]).parent), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    try:
        runpy.run_path(words[0], run_name="__main__")
    finally:
        # A fork leaves without what other processes do at their end.
        atexit._run_exitfuncs()


def _wait(processes: Sequence[BaseProcess], deadline: float, script: str) -> None:
    """Until all have ended well, or some time after one has not: its launcher then ends the others."""
    running = list(processes)
    while running and not any(process.exitcode for process in processes):
        left = deadline - time.monotonic()
        if not wait([process.sentinel for process in running], left):
            raise subprocess.TimeoutExpired(script, left)
        running = [process for process in running if process.exitcode is None]
    end = time.monotonic() + NOTICED_SECONDS
    while running and (left := end - time.monotonic()) > 0:
        wait([process.sentinel for process in running], left)
        running = [process for process in running if process.exitcode is None]


def _end(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        if process.exitcode is None:
            process.terminate()
    for process in processes:
        process.join(30)
        if process.exitcode is None:
            process.kill()
            process.join()
