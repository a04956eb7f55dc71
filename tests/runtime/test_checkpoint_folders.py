from __future__ import annotations

from pathlib import Path

import pytest
from trainc.runtime.checkpoint import folders


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for step in (1, 2, 3):
        partial = folders.partial_of(tmp_path, step)
        partial.mkdir()
        (partial / "weights").write_bytes(b"abc")
        folders.complete(partial, folders.folder_of(tmp_path, step))
    return tmp_path


def test_the_newest_complete_checkpoint_is_found(root: Path) -> None:
    assert folders.find(root) == folders.Found(root / "step-00000003", ())


def test_a_folder_that_was_never_finished_is_skipped_by_name(root: Path) -> None:
    folders.partial_of(root, 4).mkdir()
    assert folders.find(root) == folders.Found(root / "step-00000003", ("step-00000004.partial",))


def test_a_file_cut_short_makes_a_checkpoint_incomplete(root: Path) -> None:
    (root / "step-00000003" / "weights").write_bytes(b"ab")
    assert folders.find(root) == folders.Found(root / "step-00000002", ("step-00000003",))


def test_a_missing_marker_makes_a_checkpoint_incomplete(root: Path) -> None:
    (root / "step-00000003" / folders.MARKER).unlink()
    assert folders.find(root).newest == root / "step-00000002"


def test_pruning_keeps_the_newest_complete_ones(root: Path) -> None:
    folders.partial_of(root, 4).mkdir()
    folders.prune(root, keep=2)
    assert sorted(path.name for path in root.iterdir()) == ["step-00000002", "step-00000003"]
