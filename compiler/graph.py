"""The graph of stages: an edge wherever a stage reads what another makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .spec import PipelineSpec, StageOutput, StageSpec

if TYPE_CHECKING:
    import networkx as nx


def needs(stage: StageSpec) -> tuple[str, ...]:
    """The stages whose outputs a stage reads."""
    return (stage.model.source.stage,) if isinstance(stage.model.source, StageOutput) else ()


def stage_graph(pipeline: PipelineSpec) -> nx.DiGraph[str]:
    """Stages as nodes, an edge from each to those that need it."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(stage.name for stage in pipeline.stages)
    graph.add_edges_from((need, stage.name) for stage in pipeline.stages for need in needs(stage))
    return graph


def execution_order(pipeline: PipelineSpec) -> list[StageSpec]:
    """The stages so that each comes after what it needs; otherwise as they are written."""
    if not any(needs(stage) for stage in pipeline.stages):
        return list(pipeline.stages)
    import networkx as nx

    written = {stage.name: position for position, stage in enumerate(pipeline.stages)}
    order = nx.lexicographical_topological_sort(stage_graph(pipeline), key=written.__getitem__)
    return [pipeline.stages[written[name]] for name in order]
