"""What can go wrong between a bundle and its report, each fault as a diagnostic made in one place.

The docstring of each function is the page that `trainc explain` shows for its code.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic, Severity, error


def runs_folder_not_writable(folder: Path, reason: str) -> Diagnostic:
    """TRN851: the folder for runs cannot be written.

    Why: metrics, checkpoints and the exported model would have nowhere to go, and training would be lost; a run whose weights could
    not be written stopped in the middle (ultralytics/ultralytics#14558).
    Example:
      $ trainc compile first.train -o bundle
      $ trainc run bundle --runs first.train/runs
    Instead:
      $ trainc compile first.train -o bundle
      $ trainc run bundle --runs runs
    """
    return error("TRN851", f"cannot write to `{folder}`: {reason.lower()}", None, help="name another folder with `--runs`")


def bundle_not_launchable(bundle: Path, lack: str) -> Diagnostic:
    """TRN852: the bundle has nothing that can be launched on this machine.

    Why: launching needs bundle.json, a launch script for one machine, and a folder for each stage; a template named a launch script
    in its image and never wrote it (onyx-platform/onyx-template#13).
    Example: $ trainc run bundle-of-another-version
    Instead:
      $ trainc compile first.train -o bundle
      $ trainc run bundle
    """
    return error("TRN852", f"cannot launch `{bundle}`: {lack}", None, help="compile it again with `trainc compile`")


def no_bash() -> Diagnostic:
    """TRN853: the launch script needs bash, which is not on this machine.

    Why: launch scripts are bash scripts, the same ones that a cluster node runs; small images come without it, and then nothing
    starts (Quantisan/docker-clojure#77).
    Example: $ PATH=/nowhere trainc run first.train
    Instead: $ trainc run first.train
    """
    return error("TRN853", "`bash` is not on the PATH, and launch scripts need it", None, help="install bash")


def interpreter_lacks(python: str, packages: Sequence[str], severity: Severity = Severity.ERROR) -> Diagnostic:
    """TRN854: the Python that would train, or draw the curves of a report, lacks packages of the runtime.

    Why: the compiler installs light, without torch; training needs the runtime's packages as well. `torchrun` of another
    environment did not find what was installed in this one (pytorch/pytorch#92132).
    Example:
      $ pip install trainc
      $ trainc run first.train
    Instead:
      $ pip install 'trainc[runtime]'
      $ trainc run first.train
    """
    missing = ", ".join(f"`{package}`" for package in packages)
    help_text = "run `pip install 'trainc[runtime]'`"
    return Diagnostic("TRN854", severity, f"`{python}` lacks {missing}", None, help=help_text)


def stage_failed(stage: str, reason: str, log: Path) -> Diagnostic:
    """TRN855: a stage ended before it was finished.

    Why: one rank that dies takes the others with it, and the first to die is the one whose log explains it; launchers
    often say no more than that something was killed (horovod/horovod#469).
    Example: $ trainc run spec.train
    Instead: $ trainc run first.train
    """
    help_text = f"read {log}, mend the cause, and go on from the last checkpoint with `--resume`"
    return error("TRN855", f"stage `{stage}` failed: {reason}", None, help=help_text)


def no_sample(reason: str) -> Diagnostic:
    """TRN865: the rows of a stage's data cannot be shown as tokens.

    Why: what hinders showing them would hinder training on them, after the queue: a tokenizer without a chat template, as in
    unslothai/unsloth#2096, or a row without the column.
    Example:
      $ cat rows.jsonl
      {"messages": [{"role": "system", "content": "Be brief."}, {"role": "assistant", "content": "Yes."}]}
      $ cat chat.jinja
      {{ raise_exception("no system message") }}
      $ cat tuned.train
      import std.gpus
      import std.models.tiny
      cluster here { gpu = gpus.host, gpus_per_node = 1 }
      mesh one { cluster = here }
      data chats {
        train = jsonl { path = "rows.jsonl" }, format = chat, sequence = 64
        chat_template = jinja { path = "chat.jinja" }
      }
      stage tuned {
        model = tiny.llama_1m, data = chats, mesh = one, objective = sft
        batch { global = 8 }
        optimizer = adamw { lr = 1e-3 }, duration = 9 steps
      }
      $ trainc show tuned.train --data 1
    Instead: $ trainc show first.train --data 1
    """
    return error("TRN865", reason, None, help="mend the rows, the template or the tokenizer that it names")


def nothing_to_resume(runs: Path, pipeline: str, bundle_hash: str) -> Diagnostic:
    """TRN856: there is no run of this bundle to go on with.

    Why: a run is resumed only by the very bundle that began it; another spec or another parameter makes another
    bundle, and going on with another batch would count its steps wrong (huggingface/transformers#21271).
    Example:
      $ trainc run first.train --set length=200steps
      $ trainc run first.train --resume
    Instead:
      $ trainc run first.train
      $ trainc run first.train --resume
    """
    message = f"`{runs}` holds no run of `{pipeline}` with the bundle {bundle_hash[:8]}"
    return error("TRN856", message, None, help="leave `--resume` out to begin a new run")


def unknown_stage(name: str, known: Sequence[str]) -> Diagnostic:
    """TRN857: the pipeline has no stage of that name.

    Why: running another stage than the one meant costs hours, and to run none is no better: a script of tests did so and reported
    success (Mbed-TLS/mbedtls#2783).
    Example: $ trainc run first.train --stage pretrian
    Instead: $ trainc run first.train --stage pretrain
    """
    stages = ", ".join(f"`{stage}`" for stage in known)
    return error("TRN857", f"there is no stage `{name}`", None, help=f"the stages are {stages}")


def not_a_run(folder: Path, found: Sequence[Path] = ()) -> Diagnostic:
    """TRN858: the folder is not a run.

    Why: a report is made from the files that a run leaves: run.json, and metrics and events of each stage; TensorBoard shows an
    empty page for a wrong folder (lanpa/tensorboardX#618).
    Example:
      $ trainc run first.train
      $ trainc report runs
    Instead:
      $ trainc run first.train
      $ trainc report runs/*/2*
    """
    help_text = f"did you mean `{found[-1]}`?" if found else "name a folder like runs/PIPELINE/DATE-HASH"
    return error("TRN858", f"`{folder}` is not a run: it has no run.json", None, help=help_text)


def run_in_use(folder: Path) -> Diagnostic:
    """TRN859: another trainc is working on this run.

    Why: two launches that write the same checkpoints and metrics ruin both (meta-pytorch/torchtune#481).
    Example:
      $ trainc run first.train &
      $ trainc run first.train --resume
    Instead:
      $ trainc run first.train
      $ trainc run first.train --resume
    """
    return error("TRN859", f"another `trainc run` is working on `{folder}`", None, help="wait for it, or stop it first")
