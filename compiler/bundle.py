"""A bundle: everything a node needs to run a pipeline, as a value; the same bytes on every machine."""

from __future__ import annotations

import hashlib
import json
import shutil
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
    name = _hash(digests)
    manifest = {"schema": SCHEMA, **facts, "files": digests, "hash": name}
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return Bundle({**files, MANIFEST: text.encode()}, name)


def write(bundle: Bundle, folder: Path) -> Diagnostic | None:
    """Writes the bundle whole or not at all; replaces an earlier bundle, and refuses any other folder that holds something."""
    if folder.exists() and not (folder / MANIFEST).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        return bundle_errors.occupied(str(folder))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the goal, so that the rename at the end stays on one file system.
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for path, content in bundle.files.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_bytes(content)
            if path.endswith(".sh"):
                (draft / path).chmod(0o755)
        draft.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        draft.rename(folder)
    except OSError as fault:
        return bundle_errors.cannot_write(str(folder), fault.strerror or str(fault))
    return None


def verify(folder: Path) -> tuple[Diagnostic, ...]:
    """What differs between a folder and its manifest: changed, missing and added files, or the manifest itself."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        digests = {str(path): str(digest) for path, digest in manifest["files"].items()}
        stated = manifest["hash"]
    except OSError as fault:
        return (bundle_errors.not_a_bundle(str(folder), fault.strerror or str(fault)),)
    except (ValueError, KeyError, TypeError, AttributeError):
        return (bundle_errors.changed(MANIFEST),)
    found = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file() and not _is_cache(file)}
    faults = [bundle_errors.missing(path) for path in sorted(digests.keys() - found.keys())]
    faults += [bundle_errors.added(path) for path in sorted(found.keys() - digests.keys() - {MANIFEST})]
    faults += [
        bundle_errors.changed(path)
        for path, digest in sorted(digests.items())
        if path in found and hashlib.sha256(found[path].read_bytes()).hexdigest() != digest
    ]
    if _hash(digests) != stated:
        faults.append(bundle_errors.changed(MANIFEST))
    return tuple(faults)


def _hash(digests: Mapping[str, str]) -> str:
    return hashlib.sha256("".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items())).encode()).hexdigest()


def _is_cache(file: Path) -> bool:
    # Running a bundle leaves Python's caches beside its modules.
    return "__pycache__" in file.parts
