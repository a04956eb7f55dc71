"""Which texts count, which specs a file belongs to, and what is not computed twice."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls")

from trainc.compiler.lsp.buffers import Buffer, Buffers
from trainc.compiler.lsp.roots import roots_of
from trainc.compiler.lsp.workspace import Workspace
from trainc.dsl.source import Source


def put(buffers: Buffers, path: Path, text: str) -> None:
    buffers.put(path, Buffer(path.as_uri(), 1, text))


def test_an_unchanged_text_is_parsed_once() -> None:
    buffers = Buffers()
    first = buffers.parse(Source("a.train", "let a = 1"))
    assert buffers.parse(Source("a.train", "let a = 1")) is first
    assert buffers.parse(Source("a.train", "let a = 2")) is not first


def test_a_file_on_disk_is_read_again_when_it_changes(tmp_path: Path) -> None:
    buffers = Buffers()
    (tmp_path / "a.train").write_text("let a = 1")
    assert buffers.read(tmp_path / "a.train") == "let a = 1"
    (tmp_path / "a.train").write_text("let other = 1")
    assert buffers.read(tmp_path / "a.train") == "let other = 1"


def test_a_spec_is_analysed_again_only_when_a_text_that_it_reads_changes(tmp_path: Path) -> None:
    tmp_path = tmp_path.resolve()
    workspace = Workspace(folders=[tmp_path])
    spec, parts, other = (tmp_path / name for name in ("spec.train", "parts.train", "other.train"))
    put(workspace.buffers, spec, 'import "./parts.train"')
    put(workspace.buffers, parts, "let a = 1")
    first = workspace.snapshot(spec)
    put(workspace.buffers, other, "let b = 1")
    assert workspace.snapshot(spec) is first
    put(workspace.buffers, parts, "let a = 2")
    assert workspace.snapshot(spec) is not first


def test_a_file_that_appears_mends_the_import_that_missed_it(tmp_path: Path) -> None:
    tmp_path = tmp_path.resolve()
    workspace = Workspace(folders=[tmp_path])
    put(workspace.buffers, tmp_path / "spec.train", 'import "./parts.train"')
    assert [finding.code for finding in workspace.snapshot(tmp_path / "spec.train").analysis.findings] == ["TRN152"]
    (tmp_path / "parts.train").write_text("let a = 1")
    assert workspace.snapshot(tmp_path / "spec.train").analysis.findings == ()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`spec` imports `deep/part`, which imports `deep/inner`."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "spec.train").write_text('import "./deep/part.train"')
    (tmp_path / "deep" / "part.train").write_text('import "./inner.train"')
    (tmp_path / "deep" / "inner.train").write_text("let a = 1")
    return tmp_path.resolve()


def test_a_file_belongs_to_the_spec_that_reads_it_through_others(folder: Path) -> None:
    assert roots_of(folder / "deep" / "inner.train", Buffers(), [folder]) == [folder / "spec.train"]


def test_a_file_that_nothing_imports_is_its_own_spec(folder: Path) -> None:
    assert roots_of(folder / "spec.train", Buffers(), [folder]) == [folder / "spec.train"]


def test_open_specs_come_before_those_on_disk(folder: Path) -> None:
    (folder / "also.train").write_text('import "./deep/inner.train"')
    buffers = Buffers()
    inner = folder / "deep" / "inner.train"
    assert roots_of(inner, buffers, [folder]) == [folder / "also.train", folder / "spec.train"]
    put(buffers, folder / "spec.train", 'import "./deep/part.train"')
    assert roots_of(inner, buffers, [folder]) == [folder / "spec.train", folder / "also.train"]


def test_files_that_import_each_other_are_judged_where_they_are(folder: Path) -> None:
    (folder / "a.train").write_text('import "./b.train"')
    (folder / "b.train").write_text('import "./a.train"')
    assert roots_of(folder / "a.train", Buffers(), [folder]) == [folder / "a.train"]


def test_only_folders_of_the_workspace_are_searched(folder: Path) -> None:
    inner = folder / "deep" / "inner.train"
    assert roots_of(inner, Buffers(), [folder / "deep"]) == [folder / "deep" / "part.train"]
