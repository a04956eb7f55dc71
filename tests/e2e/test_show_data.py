"""`trainc show --data`: what is learnt, token by token, before anything trains."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result
from trainc.compiler.cli.group import trainc

SPEC = """
import "./base.train"
data chats = base.corpus {{ train = jsonl {{ path = "rows.jsonl" }}, format = chat, chat_template = {}, sequence = {} }}
stage tuned = base.pretrain {{ data = chats, objective = sft }}
"""
BASE = Path(__file__).resolve().parents[1] / "cases" / "rules" / "base.train"


def shown(folder: Path, template: str = "plain", sequence: int = 64, *options: str) -> Result:
    turns = [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "Down."}]
    (folder / "rows.jsonl").write_text(json.dumps({"messages": turns}) + "\n" + json.dumps({"messages": turns * 9}) + "\n")
    (folder / "base.train").write_text(BASE.read_text())
    (folder / "spec.train").write_text(SPEC.format(template, sequence))
    return CliRunner().invoke(trainc, ["show", str(folder / "spec.train"), "--data", "2", *options])


def test_learnt_tokens_are_marked(tmp_path: Path) -> None:
    result = shown(tmp_path)
    assert result.exit_code == 0, result.output
    head, *lines = result.output.splitlines()
    assert head.endswith("rows.jsonl line 1: 11 tokens, 3 learnt")
    learnt = [line.split(maxsplit=2)[2] for line in lines[:11] if line.startswith("+")]
    assert learnt == ["' Down'", "'.'", "'<|endoftext|>'"]
    assert lines[11].endswith("99 tokens, 27 learnt, longer than a sample")


def test_what_hinders_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "chat.jinja").write_text("{{ raise_exception('no question') }}")
    result = shown(tmp_path, 'jinja { path = "chat.jinja" }')
    assert result.exit_code == 1
    assert "error[TRN865]" in result.output
    assert "rows.jsonl line 1 does not fit the chat template: no question" in result.output


def test_tokens_have_no_other_form(tmp_path: Path) -> None:
    assert shown(tmp_path, "plain", 64, "--origins").exit_code == 2
