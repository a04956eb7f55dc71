"""What TRN701 suggests fits when it is done; where nothing fits, it says what the least would be."""

from collections.abc import Callable
from pathlib import Path

import pytest
from trainc.dsl.diagnostics import Diagnostic

SPEC = Path(__file__).parents[2] / "cases" / "rules" / "TRN701_remedy.train"
Findings = Callable[..., tuple[Diagnostic, ...]]


def spec(memory: str, fields: str) -> str:
    return f"""import "./base.train"
gpu device {{ memory = {memory}, compute_capability = 9.0, dtypes = [fp32, bf16] }}
cluster here = base.prod {{ gpu = device }}
stage only = base.pretrain {{ mesh = base.wide {{ cluster = here }}, {fields} }}
"""


def help_of(findings: tuple[Diagnostic, ...]) -> str:
    assert [finding.code for finding in findings] == ["TRN701"]
    return findings[0].help or ""


def test_the_largest_micro_batch_that_fits_is_suggested(findings: Findings) -> None:
    assert help_of(findings(SPEC, spec("80 GB", "batch { global = 1024, micro = 64 }"))).startswith("set `micro = 8`: ")
    assert findings(SPEC, spec("80 GB", "batch { global = 1024, micro = 8 }")) == ()


def test_one_change_is_suggested_where_it_suffices(findings: Findings) -> None:
    assert help_of(findings(SPEC, spec("19 GB", "batch { global = 256, micro = 16 }"))).startswith("set `micro = 2`: ")
    assert findings(SPEC, spec("19 GB", "batch { global = 256, micro = 2 }")) == ()
    assert help_of(findings(SPEC, spec("19 GB", "batch { global = 256, micro = 16, accumulation = 1 }"))).startswith(
        "set `recompute = full`: "
    )
    assert findings(SPEC, spec("19 GB", "batch { global = 256, micro = 16, accumulation = 1 }, recompute = full")) == ()


def test_changes_add_up_where_one_does_not_suffice(findings: Findings) -> None:
    assert help_of(findings(SPEC, spec("9 GB", "batch { global = 256, micro = 16 }"))).startswith(
        "set `micro = 2` and `recompute = full`: "
    )
    assert findings(SPEC, spec("9 GB", "batch { global = 256, micro = 2 }, recompute = full")) == ()


@pytest.mark.parametrize("batch", ["{ global = 64, micro = 4 }", "{ global = 64, micro = 4, accumulation = 1 }"])
def test_where_nothing_fits_the_least_is_named(findings: Findings, batch: str) -> None:
    help = help_of(findings(SPEC, spec("1 GB", f"batch {batch}")))
    assert help.startswith("use more or larger GPUs: even with ")
    assert "`recompute = full`" in help
    assert help.endswith(" GiB")


def test_a_stage_with_nothing_left_to_save_is_told_so(findings: Findings) -> None:
    fields = "batch { global = 16, micro = 1, accumulation = 1 }, recompute = full"
    assert help_of(findings(SPEC, spec("1 GB", fields))) == "use more or larger GPUs"
