"""An unchanged spec that was clean is not analysed again; whatever could change the outcome makes it be."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from trainc.compiler import cache_file, driver
from trainc.compiler.cli.group import trainc

SPEC = """import std.gpus
import std.models.tiny
import "./parts.train"

param steps: count = 10

stage s {
  model     = tiny.llama_1m
  data      { train = text { path = "corpus/*.txt" }, sequence = 64 }
  mesh      = parts.one
  batch     { micro = 1 }
  optimizer = adamw { lr = 1e-3 }
  duration  = steps * 1 steps
}

let kept = gpus.host
assert kept.memory > 1 GB
"""
PARTS = "import std.gpus\ncluster here { gpu = gpus.host, gpus_per_node = 1 }\nmesh one { cluster = here }\n"


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "notes.txt").write_text("text")
    (tmp_path / "spec.train").write_text(SPEC)
    (tmp_path / "parts.train").write_text(PARTS)
    monkeypatch.chdir(tmp_path)
    analysed: list[str] = []
    real = driver.analyse

    def counting(path: Path, *arguments: Any, **named: Any) -> Any:
        analysed.append(path.name)
        return real(path, *arguments, **named)

    monkeypatch.setattr(driver, "analyse", counting)

    def run(*arguments: str) -> tuple[int, list[str]]:
        analysed.clear()
        result = CliRunner().invoke(trainc, ["check", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, list(analysed)

    return run


def test_an_unchanged_clean_spec_is_analysed_once(check: Any, tmp_path: Path) -> None:
    assert check("spec.train") == (0, ["spec.train"])
    assert check("spec.train") == (0, [])
    assert (tmp_path / ".trainc_cache" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("file", ["spec.train", "parts.train"])
def test_a_changed_file_is_analysed(check: Any, tmp_path: Path, file: str) -> None:
    check("spec.train")
    (tmp_path / file).write_text((tmp_path / file).read_text() + "# more\n")
    assert check("spec.train") == (0, ["spec.train"])


def test_a_declared_file_that_is_gone_is_noticed(check: Any, tmp_path: Path) -> None:
    check("spec.train")
    (tmp_path / "corpus" / "notes.txt").unlink()
    assert check("spec.train") == (1, ["spec.train"])
    assert check("spec.train") == (1, ["spec.train"])


def test_an_import_that_is_gone_is_noticed(check: Any, tmp_path: Path) -> None:
    check("spec.train")
    (tmp_path / "parts.train").unlink()
    assert check("spec.train")[0] == 1


def test_params_are_part_of_what_was_found(check: Any) -> None:
    check("spec.train")
    assert check("spec.train", "--set", "steps=0")[0] == 1
    assert check("spec.train", "--set", "steps=7") == (0, ["spec.train"])
    assert check("spec.train", "--set", "steps=7") == (0, [])


def test_the_cache_can_be_left_alone(check: Any, tmp_path: Path) -> None:
    assert check("spec.train", "--no-cache") == (0, ["spec.train"])
    assert not (tmp_path / ".trainc_cache").exists()


def test_another_version_of_trainc_looks_again(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check("spec.train")
    monkeypatch.setattr(cache_file, "VERSION", "another")
    assert check("spec.train") == (0, ["spec.train"])


@pytest.mark.parametrize("content", ["", "[]", "{", '{"stamp": 1, "entries": {}}', "\xff"])
def test_a_cache_that_makes_no_sense_is_as_none(check: Any, tmp_path: Path, content: str) -> None:
    check("spec.train")
    (tmp_path / ".trainc_cache" / "clean.json").write_text(content, encoding="latin-1")
    assert check("spec.train") == (0, ["spec.train"])


def test_an_entry_that_makes_no_sense_is_as_none(check: Any, tmp_path: Path) -> None:
    check("spec.train")
    file = tmp_path / ".trainc_cache" / "clean.json"
    content = json.loads(file.read_text())
    for broken in ({}, [], {"files": 3, "folder": "."}, {"files": {}, "folder": ".", "asked": [["nonsense", "x", 1]]}):
        file.write_text(json.dumps({**content, "entries": dict.fromkeys(content["entries"], broken)}))
        assert check("spec.train", "--no-strict") == (0, ["spec.train"])


def test_what_another_spec_reads_stays_used_when_that_one_is_known(check: Any, tmp_path: Path) -> None:
    assert check(".")[0] == 0
    code, analysed = check(".")
    assert (code, analysed) == (0, [])


def test_a_spec_that_is_a_link_is_looked_at_where_it_leads_now(check: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.train").write_text(SPEC.replace("micro = 1", "micro = 0"))
    (tmp_path / "link.train").symlink_to("spec.train")
    assert check("link.train") == (0, ["link.train"])
    (tmp_path / "link.train").unlink()
    (tmp_path / "link.train").symlink_to("broken.train")
    assert check("link.train") == (1, ["link.train"])


def test_an_import_through_a_link_is_looked_at_where_it_leads_now(check: Any, tmp_path: Path) -> None:
    for name, text in (("one", PARTS), ("two", PARTS.replace("gpus_per_node = 1", "gpus_per_node = 2"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "parts.train").write_text(text)
    (tmp_path / "spec.train").write_text(SPEC.replace("./parts.train", "./link/parts.train"))
    (tmp_path / "link").symlink_to("one")
    assert check("spec.train") == (0, ["spec.train"])
    assert check("spec.train") == (0, [])
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")
    assert check("spec.train") == (1, ["spec.train"])


def test_what_was_written_during_a_check_is_looked_at_again(check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = driver.analyse

    def saving(path: Path, *arguments: Any, **named: Any) -> Any:
        found = real(path, *arguments, **named)
        time.sleep(0.05)
        path.write_text(SPEC.replace("micro = 1", "micro = 0"))
        return found

    monkeypatch.setattr(driver, "analyse", saving)
    assert check("spec.train")[0] == 0
    monkeypatch.setattr(driver, "analyse", real)
    assert check("spec.train")[0] == 1
