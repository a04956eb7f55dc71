"""Draws a pipeline: its stages, what each reads, and what it makes; as text, Graphviz or Mermaid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .graph import execution_order, needs
from .spec import PipelineSpec, StageSpec


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` is read by `target`; `shape` is `model`, `data` or `stage`: what the source is."""

    source: str
    target: str
    shape: str


def edges(pipeline: PipelineSpec) -> list[Edge]:
    """What flows into each stage, in order of execution."""
    found: list[Edge] = []
    for stage in execution_order(pipeline):
        found += [Edge(need, stage.name, "stage") for need in needs(stage)]
        if not needs(stage):
            found.append(Edge(stage.model.name, stage.name, "model"))
        found.append(Edge(stage.data.name, stage.name, "data"))
    return found


def text(pipeline: PipelineSpec) -> str:
    """A line a stage: what it reads, what it makes."""
    return "\n".join(f"{stage.name}: {_inputs(stage)} -> {stage.name}.model" for stage in execution_order(pipeline))


def dot(pipeline: PipelineSpec) -> str:
    """The graph in Graphviz's language."""
    shapes = {"stage": "box", "model": "ellipse", "data": "cylinder"}
    nodes = _nodes(pipeline)
    lines = [f'  {_identifier(shape, name)} [label="{name}", shape={shapes[shape]}];' for shape, name in nodes]
    lines += [f"  {_identifier(edge.shape, edge.source)} -> {_identifier('stage', edge.target)};" for edge in edges(pipeline)]
    return "\n".join([f"digraph {pipeline.name} {{", "  rankdir=LR;", *lines, "}"])


def mermaid(pipeline: PipelineSpec) -> str:
    """The graph as a Mermaid flowchart."""
    shapes = {"stage": ("[", "]"), "model": ("([", "])"), "data": ("[(", ")]")}
    lines = [f"  {_identifier(shape, name)}{name.join(shapes[shape])}" for shape, name in _nodes(pipeline)]
    lines += [f"  {_identifier(edge.shape, edge.source)} --> {_identifier('stage', edge.target)}" for edge in edges(pipeline)]
    return "\n".join(["flowchart LR", *lines])


FORMATS: Mapping[str, Callable[[PipelineSpec], str]] = {"text": text, "dot": dot, "mermaid": mermaid}


def _inputs(stage: StageSpec) -> str:
    model = f"{needs(stage)[0]}.model" if needs(stage) else stage.model.name
    return f"{model} + {stage.data.name}"


def _nodes(pipeline: PipelineSpec) -> Sequence[tuple[str, str]]:
    stages = [("stage", stage.name) for stage in execution_order(pipeline)]
    return list(dict.fromkeys([*stages, *((edge.shape, edge.source) for edge in edges(pipeline))]))


def _identifier(shape: str, name: str) -> str:
    # A model and a stage may share a name; names of the language hold nothing that needs quoting but the dot of `sft.model`.
    return f"{shape}_{name.replace('.', '_')}"
