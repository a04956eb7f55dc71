"""Draws a pipeline: its stages, what each reads, and what it makes; as text, Graphviz, Mermaid or SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..graph import execution_order, needs
from ..schema import RecordOf
from ..show import inline
from ..spec import DataSource, ModelSource, PipelineSpec, StageSpec


@dataclass(frozen=True, slots=True)
class Node:
    """One thing drawn: `shape` is `model`, `data` or `stage`. `detail` is what a tooltip says; `key` is a name of its own."""

    key: str
    shape: str
    name: str
    detail: str


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` is read by `target`."""

    source: Node
    target: Node


@dataclass(frozen=True, slots=True)
class Drawing:
    """What there is to draw, stages first, in order of execution."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def drawing(pipeline: PipelineSpec) -> Drawing:
    """What flows into each stage. Two records that share a name are two nodes; one that two stages read is one."""
    order = execution_order(pipeline)
    stages = {stage.name: Node(f"stage_{stage.name}", "stage", stage.name, _detail(stage)) for stage in order}
    inputs: dict[tuple[str, object], Node] = {}
    edges: list[Edge] = []
    for stage in order:
        read = [stages[need] for need in needs(stage)] or [_input(inputs, "model", stage.model.name, stage)]
        edges += [Edge(source, stages[stage.name]) for source in (*read, _input(inputs, "data", stage.data.name, stage))]
    return Drawing(pipeline.name, (*stages.values(), *inputs.values()), tuple(edges))


def text(pipeline: PipelineSpec) -> str:
    """A line a stage: what it reads, what it makes."""
    return "\n".join(f"{stage.name}: {_inputs(stage)} -> {stage.name}.model" for stage in execution_order(pipeline))


def dot(pipeline: PipelineSpec) -> str:
    """The graph in Graphviz's language."""
    drawn = drawing(pipeline)
    shapes = {"stage": "box", "model": "ellipse", "data": "cylinder"}
    lines = [f'  {node.key} [label="{node.name}", shape={shapes[node.shape]}];' for node in drawn.nodes]
    lines += [f"  {edge.source.key} -> {edge.target.key};" for edge in drawn.edges]
    # In quotes, because a pipeline may be called `graph`, or after a file whose name begins with a digit.
    return "\n".join([f'digraph "{drawn.title}" {{', "  rankdir=LR;", *lines, "}"])


def mermaid(pipeline: PipelineSpec) -> str:
    """The graph as a Mermaid flowchart."""
    drawn = drawing(pipeline)
    # In quotes, because Mermaid takes a bare `end` for a word of its own.
    shapes = {"stage": ('["', '"]'), "model": ('(["', '"])'), "data": ('[("', '")]')}
    lines = [f"  {node.key}{node.name.join(shapes[node.shape])}" for node in drawn.nodes]
    lines += [f"  {edge.source.key} --> {edge.target.key}" for edge in drawn.edges]
    return "\n".join(["flowchart LR", *lines])


def svg(pipeline: PipelineSpec) -> str:
    """The graph as a picture that browsers show."""
    from .picture import picture

    return picture(drawing(pipeline))


FORMATS: Mapping[str, Callable[[PipelineSpec], str]] = {"text": text, "dot": dot, "mermaid": mermaid, "svg": svg}


def _inputs(stage: StageSpec) -> str:
    model = f"{needs(stage)[0]}.model" if needs(stage) else stage.model.name
    return f"{model} + {stage.data.name}"


def _detail(stage: StageSpec) -> str:
    fields = ("strategy", "objective", "optimizer", "duration")
    return ", ".join(f"{name} = {inline(stage.__dict__[name], stage.settings[name].type)}" for name in fields)


def _input(known: dict[tuple[str, object], Node], shape: str, name: str, stage: StageSpec) -> Node:
    """The node of a stage's model or data; records that say the same are one."""
    record = stage.model if shape == "model" else stage.data
    if (shape, record) not in known:
        source = stage.model.source if shape == "model" else stage.data.train
        detail = inline(source, RecordOf(ModelSource if shape == "model" else DataSource))
        namesakes = sum(node.shape == shape and node.name == name for node in known.values())
        # Names of the language hold nothing that an identifier may not but the dot of `sft.model`.
        key = f"{shape}_{name.replace('.', '_')}" + (f"__{namesakes + 1}" if namesakes else "")
        known[shape, record] = Node(key, shape, name, detail)
    return known[shape, record]
