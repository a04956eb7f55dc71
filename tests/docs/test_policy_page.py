"""What docs/policy.md shows beside specs and sessions: settings, and a baseline."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from trainc.compiler.cli.check import command
from trainc.compiler.policy.project import KEYS, read

TEXT = Path("docs/policy.md").read_text()
SETTINGS = re.findall(r"^```toml\n(.*?)^```", TEXT, re.M | re.S)


@pytest.mark.parametrize("text", SETTINGS)
def test_settings_are_accepted(text: str, tmp_path: Path) -> None:
    file = tmp_path / ("pyproject.toml" if "[tool." in text else "trainc.toml")
    file.write_text(text)
    assert read([file]) is not None


def test_every_setting_is_shown() -> None:
    assert set(re.findall(r"^([\w-]+) +=", SETTINGS[0], re.M)) == set(KEYS)


def test_the_baseline_is_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```", TEXT, re.M | re.S)
    (tmp_path / "specs").mkdir()
    shutil.copy("examples/mistakes/mesh.train", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(command, ["specs", "--write-baseline", "known.json"]).exit_code == 0
    assert (tmp_path / "known.json").read_text() == shown
    assert CliRunner().invoke(command, ["specs", "--baseline", "known.json"]).exit_code == 0
