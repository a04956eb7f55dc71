from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from trainc.dsl import table
from trainc.dsl.make_table import table_text


def test_the_table_is_what_lark_makes_of_the_grammar() -> None:
    written = Path(table.__file__)
    grammar = written.with_name("train.lark").read_text(encoding="utf-8")
    assert written.read_text(encoding="utf-8") == table_text(grammar)


def test_parsing_does_not_import_lark() -> None:
    code = "import sys, trainc.dsl.parser; sys.exit('lark' in sys.modules)"
    path = Path(table.__file__).absolute().parent.parent.parent
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(path)}, check=False).returncode == 0
