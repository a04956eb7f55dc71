from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from trainc.compiler.drawings import drawing

SVG = "{http://www.w3.org/2000/svg}"
# A path may hold what XML escapes, and what it does not allow at all.
ODD = 'data odd { train = text { path = "a & b/<c> \\"d\\" ]]> \\u{1}/*.txt" }, sequence = 256 }\n'
CHAIN = """
stage second = base { model = base.model }
stage third = base { model = second.model, data = odd }
stage other = base { data { sequence = 128 } }
"""


@pytest.fixture
def pipeline(analysed: Any) -> Any:
    found = analysed(ODD + CHAIN).elaborated.pipeline
    assert found is not None
    return found


def test_the_picture_is_xml_with_every_node_and_edge(pipeline: Any) -> None:
    root = ElementTree.fromstring(drawing.svg(pipeline))
    drawn = drawing.drawing(pipeline)
    assert root.tag == f"{SVG}svg"
    assert [text.text for text in root.iter(f"{SVG}text")] == [node.name for node in drawn.nodes]
    assert len(root.findall(f"{SVG}path[@class='edge']")) == len(drawn.edges) == 8


def test_what_xml_does_not_take_is_escaped_or_replaced(pipeline: Any) -> None:
    titles = [title.text or "" for title in ElementTree.fromstring(drawing.svg(pipeline)).iter(f"{SVG}title")]
    assert 'data odd: text { path = "a & b/<c> "d" ]]> \ufffd/*.txt" }' in titles


def test_the_picture_has_the_same_bytes_each_time(pipeline: Any) -> None:
    assert drawing.svg(pipeline) == drawing.svg(pipeline)


def test_no_two_nodes_lie_over_each_other_and_all_lie_inside(pipeline: Any) -> None:
    root = ElementTree.fromstring(drawing.svg(pipeline))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    places = [(float(text.get("x", "")), float(text.get("y", ""))) for text in root.iter(f"{SVG}text")]
    assert all(0 < x < width and 0 < y < height for x, y in places)
    for index, (x, y) in enumerate(places):
        assert all(abs(x - other_x) > 60 or abs(y - other_y) > 36 for other_x, other_y in places[:index])


def test_every_colour_has_a_dark_counterpart() -> None:
    from trainc.compiler.drawings.picture import STYLE

    light, _, dark = STYLE.partition("@media (prefers-color-scheme: dark)")
    coloured = {selector.strip() for selector, rule in re.findall(r"^([^@{}]+?) \{([^}]*)\}", light, re.M) if "#" in rule}
    assert coloured - {".shape"} <= {selector.strip() for selector in re.findall(r"^([^@{}]+?) \{", dark, re.M)}


def test_a_picture_of_one_stage(analysed: Any, tmp_path: Path) -> None:
    root = ElementTree.fromstring(drawing.svg(analysed("").elaborated.pipeline))
    assert [text.text for text in root.iter(f"{SVG}text")] == ["base", "llama_1m", "corpus"]
