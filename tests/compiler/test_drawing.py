from __future__ import annotations

from typing import Any

import pytest
from trainc.compiler import drawing


@pytest.fixture
def pipeline(analysed: Any) -> Any:
    return analysed("stage next = base { model = base.model }").elaborated.pipeline


def test_a_line_a_stage(pipeline: Any) -> None:
    assert drawing.text(pipeline) == "base: llama_1m + corpus -> base.model\nnext: base.model + corpus -> next.model"


def test_graphviz_gets_each_node_once(pipeline: Any) -> None:
    drawn = drawing.dot(pipeline)
    assert drawn.count('[label="corpus", shape=cylinder];') == 1
    assert "  stage_base -> stage_next;" in drawn


def test_mermaid_draws_the_same_edges(pipeline: Any) -> None:
    drawn = drawing.mermaid(pipeline)
    assert drawn.startswith("flowchart LR\n")
    assert drawn.count("-->") == len(drawing.edges(pipeline)) == 4
