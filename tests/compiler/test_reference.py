from __future__ import annotations

from click.testing import CliRunner
from trainc.compiler import reference
from trainc.compiler.cli.docs import command


def test_the_figures_of_a_plan_have_no_defaults() -> None:
    shown = CliRunner().invoke(command, ["plan"]).output
    assert "peak_memory" in shown
    assert "required" not in shown


def test_what_the_schema_calls_plan_is_nothing_that_a_spec_writes() -> None:
    assert not reference.shapes().keys() & reference.figures().keys()


def test_the_page_of_fields_has_the_terms_of_memory() -> None:
    assert "## peak_memory_breakdown" in reference.markdown()
    assert "| `gathered_parameters` | bytes |" in reference.markdown()
