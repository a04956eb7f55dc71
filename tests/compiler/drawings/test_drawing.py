from __future__ import annotations

from typing import Any

import pydot
import pytest
from trainc.compiler.drawings import drawing

# pydot speaks to its parser by names that the parser is about to give up.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def pipeline(analysed: Any) -> Any:
    return analysed("stage next = base { model = base.model }").elaborated.pipeline


def parsed(dot: str) -> pydot.Dot:
    graphs = pydot.graph_from_dot_data(dot)
    assert graphs is not None
    (graph,) = graphs
    return graph


def test_a_line_a_stage(pipeline: Any) -> None:
    assert drawing.text(pipeline) == "base: llama_1m + corpus -> base.model\nnext: base.model + corpus -> next.model"


def test_graphviz_gets_each_node_once(pipeline: Any) -> None:
    graph = parsed(drawing.dot(pipeline))
    nodes = {node.get_name(): (node.get("label"), node.get("shape")) for node in graph.get_nodes()}
    assert nodes == {
        "stage_base": ('"base"', "box"),
        "stage_next": ('"next"', "box"),
        "model_llama_1m": ('"llama_1m"', "ellipse"),
        "data_corpus": ('"corpus"', "cylinder"),
    }
    assert {(edge.get_source(), edge.get_destination()) for edge in graph.get_edges()} == {
        ("model_llama_1m", "stage_base"),
        ("data_corpus", "stage_base"),
        ("stage_base", "stage_next"),
        ("data_corpus", "stage_next"),
    }


@pytest.mark.parametrize("name", ["graph", "node", "strict", "digraph", "subgraph", "edge"])
def test_graphviz_takes_a_pipeline_called_like_a_word_of_its_own(name: str, analysed: Any) -> None:
    spec = analysed(f"stage {name}_ = base {{ }}\npipeline {name} {{ stages = [base] }}")
    assert parsed(drawing.dot(spec.elaborated.pipeline)).get_name() == f'"{name}"'


def test_mermaid_draws_the_same_edges(pipeline: Any) -> None:
    drawn = drawing.mermaid(pipeline)
    assert drawn.startswith("flowchart LR\n")
    assert drawn.count("-->") == len(drawing.drawing(pipeline).edges) == 4
    assert '  stage_base["base"]' in drawn


def test_records_that_share_a_name_are_drawn_apart(analysed: Any) -> None:
    pipeline = analysed("stage short = base { data { sequence = 128 } }").elaborated.pipeline
    keys = [node.key for node in drawing.drawing(pipeline).nodes if node.shape == "data"]
    assert keys == ["data_corpus", "data_corpus__2"]
