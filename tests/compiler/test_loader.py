from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trainc.compiler.loader import Files, load
from trainc.compiler.reading import UnreadableError


def test_an_import_cycle_shows_its_way(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text('import "./b.train"')
    (tmp_path / "b.train").write_text('import "./a.train"')
    (finding,) = analysed('import "./a.train"').findings
    assert finding.code == "TRN154"
    assert "a.train -> b.train -> a.train" in finding.message


def test_a_file_outside_the_folder_is_refused(analysed: Any, tmp_path: Path) -> None:
    (tmp_path.parent / "out.train").write_text("let x = 1")
    (tmp_path / "link.train").symlink_to(tmp_path.parent / "out.train")
    assert [finding.code for finding in analysed('import "../out.train"').findings] == ["TRN153"]
    assert [finding.code for finding in analysed('import "./link.train"').findings] == ["TRN153"]


def test_a_missing_import_says_where_it_was_looked_for(analysed: Any) -> None:
    (finding,) = analysed('import "./absent.train"').findings
    assert finding.code == "TRN152"
    assert "absent.train" in finding.message


def test_a_missing_import_is_named_as_other_files_are(analysed: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (finding,) = analysed('import "./parts/absent.train"').findings
    assert finding.message.endswith("cannot read `parts/absent.train`: no such file or directory")


def test_imports_of_folders_are_one_finding_each(analysed: Any) -> None:
    assert [finding.code for finding in analysed('import ""\nimport "./"').findings] == ["TRN152", "TRN152"]


def test_an_unknown_standard_module_suggests(analysed: Any) -> None:
    (finding,) = analysed("import std.gpu").findings
    assert (finding.code, finding.help) == ("TRN155", "did you mean `std.gpus`?")


def test_a_module_imported_twice_is_one(analysed: Any, tmp_path: Path) -> None:
    (tmp_path / "a.train").write_text("let x = 1")
    (tmp_path / "b.train").write_text('import "./a.train"\nlet y = a.x')
    assert analysed('import "./a.train"\nimport "./b.train"\nassert a.x == b.y').findings == ()


@pytest.mark.parametrize(("content", "code"), [(b"\xff\xfe\x00", "TRN151"), (None, "TRN150")])
def test_an_unreadable_spec_is_one_finding(content: bytes | None, code: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.train"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableError) as caught:
        load(path)
    assert caught.value.finding.code == code


def test_texts_can_come_from_elsewhere_than_the_disk(tmp_path: Path) -> None:
    texts = {tmp_path / "spec.train": 'import "./part.train"', tmp_path / "part.train": "let x = 1"}
    library = load(tmp_path / "spec.train", files=Files(texts.__getitem__, lambda path: path.name))
    assert library.findings == ()
    assert [module.file.source.name for module in library.modules.values()] == ["part.train", "spec.train"]
    assert [module.path for module in library.modules.values()] == [tmp_path / "part.train", tmp_path / "spec.train"]


def test_imports_may_reach_up_to_the_folder_that_is_given_as_root(tmp_path: Path) -> None:
    (tmp_path / "x.train").write_text("let n = 1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.train").write_text('import "../x.train"\n')
    assert [finding.code for finding in load(tmp_path / "sub" / "a.train").findings] == ["TRN153"]
    library = load(tmp_path / "sub" / "a.train", root=tmp_path)
    assert library.findings == ()
    assert set(library.modules) == {"sub/a.train", "x.train"}
