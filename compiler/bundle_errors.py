"""What can be wrong with a bundle's folder."""

from __future__ import annotations

from trainc.dsl.diagnostics import Diagnostic, error


def occupied(folder: str) -> Diagnostic:
    """TRN841: the folder for a bundle holds something else.

    Why: what lies there would be lost, as it was where a trainer emptied its output folder (jakeret/tf_unet#216).
    Example:
      $ mkdir notes
      $ touch notes/todo.txt
      $ trainc compile spec.train -o notes
    Instead: $ trainc compile spec.train -o bundle
    """
    return error("TRN841", f"`{folder}` holds files that are not a bundle", None, help="name a new folder, or an earlier bundle")


def cannot_write(folder: str, reason: str) -> Diagnostic:
    """TRN842: a bundle cannot be written.

    Why: half a bundle would look whole; nothing is left behind. Half-finished files of one step made the next one fail
    (Project-OSRM/osrm-backend#1756).
    Example: $ trainc compile spec.train -o spec.train/bundle
    Instead: $ trainc compile spec.train -o bundle
    """
    return error("TRN842", f"cannot write `{folder}`: {reason.lower()}", None, help="name a folder where you may write")


def not_a_bundle(folder: str, reason: str) -> Diagnostic:
    """TRN843: a folder is not a bundle.

    Why: there is no bundle.json that says what belongs in it; a script that was given a checkpoint's folder in place of the one
    above it missed a config.json (artidoro/qlora#175).
    Example:
      $ mkdir notes
      $ trainc verify notes
    Instead:
      $ trainc compile spec.train -o bundle
      $ trainc verify bundle
    """
    return error("TRN843", f"`{folder}` is not a bundle: bundle.json: {reason.lower()}", None, help="compile the spec again")


def changed(path: str) -> Diagnostic:
    """TRN844: a file of a bundle is not what was compiled.

    Why: what runs would not be what the spec says; a copy to another machine may also have been cut short. A deployment that
    compares versions called changed files up to date (Extra-Chill/homeboy#10058).
    Example:
      $ trainc compile spec.train -o bundle
      $ echo '{}' > bundle/stages/10-pretrain/plan.json
      $ trainc verify bundle
    Instead:
      $ trainc compile spec.train -o bundle
      $ trainc verify bundle
    """
    return error("TRN844", f"`{path}` was changed after it was compiled", None, help="compile the spec again")


def missing(path: str) -> Diagnostic:
    """TRN845: a file of a bundle is not there.

    Why: the bundle was copied in part; with one file of weights missing a model started, and its answers were garbage
    (sgl-project/sglang#32279).
    Example:
      $ trainc compile spec.train -o bundle
      $ rm -r bundle/runtime
      $ trainc verify bundle
    Instead:
      $ trainc compile spec.train -o bundle
      $ trainc verify bundle
    """
    return error("TRN845", f"`{path}` is missing", None, help="copy or compile the bundle again")


def added(path: str) -> Diagnostic:
    """TRN846: a bundle holds a file that was not compiled into it.

    Why: a module beside the runtime can be imported in place of another, as `onnx.py` was (pytorch/pytorch#110447).
    Example:
      $ trainc compile spec.train -o bundle
      $ touch bundle/runtime/trainc/runtime/json.py
      $ trainc verify bundle
    Instead:
      $ trainc compile spec.train -o bundle
      $ touch json.py
      $ trainc verify bundle
    """
    return error("TRN846", f"`{path}` does not belong to the bundle", None, help="move it out of the bundle")
