"""TRN802: stages that need each other's outputs in a circle.

Why: none of them could be the first to run; a scheduler that saved such a circle got stuck, and no other job could be submitted
(apache/dolphinscheduler#458).
Example:
  model looped { source = stage_output { stage = "align" }, architecture = small.architecture }
  model = looped
  stage align = pretrain { model = pretrain.model }
Instead:
  model = small
"""

from __future__ import annotations

from collections.abc import Iterator

from ..graph import needs, stage_graph
from ..spec import PipelineSpec
from . import Finding


def check_pipeline(pipeline: PipelineSpec) -> Iterator[Finding]:
    """Shows one circle of each knot of stages, beginning with the stage that is written first."""
    if not any(needs(stage) for stage in pipeline.stages):
        return
    import networkx as nx

    graph = stage_graph(pipeline)
    written = [stage.name for stage in pipeline.stages]
    for knot in nx.strongly_connected_components(graph):
        first = min(knot & set(written), key=written.index, default=None)
        if first is None or (len(knot) == 1 and not graph.has_edge(first, first)):
            continue
        # A graph of its own keeps the order of the edges, so that the same circle is shown each time.
        circle = nx.DiGraph([edge for edge in graph.edges if knot.issuperset(edge)])
        path = [source for source, _ in nx.find_cycle(circle, first)]
        shown = " -> ".join(f"`{name}`" for name in [*path, path[0]])
        yield Finding(
            at=f"{path[0]}.model",
            message=f"stages need each other's outputs: {shown}",
            help="start one of them from a model that none of them makes",
            also={f"{name}.model": f"`{name}` reads the one before" for name in path[1:]},
        )
