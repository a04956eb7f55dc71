"""A bundle: everything a node needs to run a pipeline, as a value; the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainc.dsl.diagnostics import Diagnostic

from . import bundle_errors

MANIFEST = "bundle.json"
SCHEMA = 1


@dataclass(frozen=True)
class Bundle:
    """Paths below the bundle's folder and what they hold; the manifest is among them."""

    files: Mapping[str, bytes]
    hash: str


def seal(files: Mapping[str, bytes], facts: Mapping[str, object]) -> Bundle:
    """The bundle of these files: adds the manifest, which states `facts` and the sha256 of every file."""
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}
    content = {"schema": SCHEMA, **facts, "files": digests}
    name = hashlib.sha256(_written(content)).hexdigest()
    return Bundle({**files, MANIFEST: _written({**content, "hash": name})}, name)


def write(bundle: Bundle, folder: Path) -> Diagnostic | None:
    """Writes the bundle whole or not at all; replaces an earlier bundle, and refuses any folder that holds something else."""
    folder = folder.resolve()
    if folder.exists() and not _replaceable(folder):
        return bundle_errors.occupied(str(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the goal, so that the renames at the end stay on one file system.
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as beside:
            draft, earlier = Path(beside) / "draft", Path(beside) / "earlier"
            _write_files(bundle, draft)
            if folder.exists():
                folder.rename(earlier)
            draft.rename(folder)
    except OSError as fault:
        return bundle_errors.cannot_write(str(folder), fault.strerror or str(fault))
    return None


def _replaceable(folder: Path) -> bool:
    """Whether nothing is lost with a folder: it is empty, or a bundle to which nothing was added."""
    if not folder.is_dir():
        return False
    faults = verify(folder)
    foreign = any(fault.code in ("TRN843", "TRN846") for fault in faults) or bundle_errors.changed(MANIFEST) in faults
    return not foreign or not any(folder.iterdir())


def _write_files(bundle: Bundle, folder: Path) -> None:
    for path, content in bundle.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
        if path.endswith(".sh"):
            (folder / path).chmod(0o755)


def verify(folder: Path) -> tuple[Diagnostic, ...]:
    """What differs between a folder and its manifest: changed, missing and added files, or the manifest itself."""
    try:
        text = (folder / MANIFEST).read_bytes()
        manifest = json.loads(text)
        digests = {str(path): str(digest) for path, digest in manifest["files"].items()}
        stated = manifest["hash"]
    except OSError as fault:
        return (bundle_errors.not_a_bundle(str(folder), fault.strerror or str(fault)),)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return (bundle_errors.changed(MANIFEST),)
    found = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file() and not _is_cache(file)}
    faults = [bundle_errors.missing(path) for path in sorted(digests.keys() - found.keys())]
    faults += [bundle_errors.added(path) for path in sorted(found.keys() - digests.keys() - {MANIFEST})]
    faults += [
        bundle_errors.changed(path)
        for path, digest in sorted(digests.items())
        if path in found and hashlib.sha256(found[path].read_bytes()).hexdigest() != digest
    ]
    unnamed = {key: value for key, value in manifest.items() if key != "hash"}
    if hashlib.sha256(_written(unnamed)).hexdigest() != stated or _written(manifest) != text:
        faults.append(bundle_errors.changed(MANIFEST))
    return tuple(faults)


def _written(manifest: Mapping[str, object]) -> bytes:
    return (json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _is_cache(file: Path) -> bool:
    # Running a bundle leaves Python's caches beside its modules.
    return "__pycache__" in file.parts
