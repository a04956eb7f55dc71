"""What the schema calls built has its part on every side of the border, and nothing else has."""

from __future__ import annotations

import ast
from pathlib import Path

from trainc.compiler.schema import Choice, Record
from trainc.compiler.spec import Adapter, ArchitectureSpec, Objective, Optimizer, Schedule, StageSpec, Strategy


def built(family: type[Record]) -> set[str]:
    return {name for name, variant in family.variants.items() if not variant.later}


def modules(folder: str) -> set[str]:
    return {file.stem for file in Path(folder).glob("*.py") if file.stem != "__init__"}


def functions(file: str) -> set[str]:
    return {node.name for node in ast.parse(Path(file).read_text()).body if isinstance(node, ast.FunctionDef)}


def test_every_strategy_stands_on_both_sides() -> None:
    assert built(Strategy) == modules("compiler/strategies") == modules("runtime/parallel")


def test_every_objective_has_its_loss() -> None:
    assert built(Objective) == modules("runtime/objectives")


def test_every_adapter_stands_on_both_sides() -> None:
    assert built(Adapter) == modules("compiler/adapters") == modules("runtime/adapters") - {"inject", "merge"}


def test_every_optimizer_stands_on_both_sides() -> None:
    assert built(Optimizer) == modules("compiler/optimizers") == modules("runtime/optimizers")


def test_every_schedule_can_be_called() -> None:
    public = {name for name in functions("runtime/optim.py") if not name.startswith("_")}
    assert public == built(Schedule)


def test_every_recomputation_can_be_called() -> None:
    recompute = StageSpec.settings["recompute"]
    assert isinstance(recompute.type, Choice)
    members = {member for member in recompute.type.members if not recompute.is_later(member)}
    assert members - {"none"} == {name for name in functions("runtime/recompute.py") if not name.startswith("_")}


def test_every_family_of_the_language_has_its_arithmetic() -> None:
    family = ArchitectureSpec.settings["family"].type
    assert isinstance(family, Choice)
    assert set(family.members) == modules("compiler/families")
