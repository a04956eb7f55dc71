"""Draws the graph of a pipeline as SVG: no script, no font of its own, light and dark as the reader's system is.

The same pipeline gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from .drawing import Drawing, Node
from .layers import Layout, layout

FONT_SIZE = 13
# Six tenths of the size is what a character of the usual monospaced fonts takes.
CHARACTER = 8
HEIGHT, PADDING = 36, 16
COLUMN_GAP, ROW_GAP, MARGIN = 72, 22, 16

STYLE = f"""\
text {{ font: {FONT_SIZE}px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-anchor: middle; fill: #1f2328; }}
.shape {{ stroke-width: 1.5; fill: #f6f8fa; stroke: #59636e; }}
.stage .shape {{ fill: #ddf4ff; stroke: #0969da; }}
.model .shape {{ fill: #fff8c5; stroke: #9a6700; }}
.data .shape {{ fill: #dafbe1; stroke: #1a7f37; }}
.edge {{ fill: none; stroke: #59636e; stroke-width: 1.5; }}
.tip {{ fill: #59636e; }}
@media (prefers-color-scheme: dark) {{
text {{ fill: #f0f6fc; }}
.stage .shape {{ fill: #0c2d6b; stroke: #58a6ff; }}
.model .shape {{ fill: #4b2900; stroke: #d29922; }}
.data .shape {{ fill: #033a16; stroke: #3fb950; }}
.edge {{ stroke: #9198a1; }}
.tip {{ fill: #9198a1; }}
}}"""


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node or a stand-in lies: its left edge, its middle line and its width."""

    left: int
    middle: int
    width: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def top(self) -> int:
        return self.middle - HEIGHT // 2

    @property
    def bottom(self) -> int:
        return self.middle + HEIGHT // 2


def picture(drawing: Drawing) -> str:
    """The drawing as an SVG document."""
    nodes = {node.key: node for node in drawing.nodes}
    placed = layout(list(nodes), [(edge.source.key, edge.target.key) for edge in drawing.edges])
    boxes = _boxes(placed, nodes)
    width = max(box.right for box in boxes.values()) + MARGIN
    height = max(box.bottom for box in boxes.values()) + MARGIN
    edges = [_edge([boxes[key] for key in route]) for route in placed.routes.values()]
    shapes = [line for node in drawing.nodes for line in _node(node, boxes[node.key])]
    title = f"{drawing.title}: what flows into each stage"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{_text(title)}</title>",
            f"<style>\n{STYLE}\n</style>",
            *edges,
            *shapes,
            "</svg>",
        ]
    )


def _boxes(placed: Layout, nodes: Mapping[str, Node]) -> dict[str, _Box]:
    """Columns beside each other, each as wide as its widest node and centred on one line."""
    tallest = max(map(len, placed.columns))
    boxes: dict[str, _Box] = {}
    left = MARGIN
    for column in placed.columns:
        width = max(_width(nodes[key]) for key in column if key in nodes)
        first = MARGIN + HEIGHT // 2 + (tallest - len(column)) * (HEIGHT + ROW_GAP) // 2
        boxes |= {key: _Box(left, first + row * (HEIGHT + ROW_GAP), width) for row, key in enumerate(column)}
        left += width + COLUMN_GAP
    return boxes


def _width(node: Node) -> int:
    return len(node.name) * CHARACTER + 2 * PADDING


def _edge(way: list[_Box]) -> str:
    """A curve from each place to the next, straight past stand-ins, with a tip at its end."""
    goal = way[-1]
    start = f"M{way[0].right} {way[0].middle}"
    parts = [start]
    for here, there in pairwise(way):
        bend = (here.right + there.left) // 2
        parts.append(f"C{bend} {here.middle} {bend} {there.middle} {there.left} {there.middle}")
        if there is not goal:
            parts.append(f"H{there.right}")
    tip = f"M{goal.left} {goal.middle}l-9 -5v10z"
    return f'<path class="edge" d="{" ".join(parts)}"/><path class="tip" d="{tip}"/>'


def _node(node: Node, box: _Box) -> Iterator[str]:
    yield f'<g class="{node.shape}">'
    yield f"<title>{_text(f'{node.shape} {node.name}: {node.detail}')}</title>"
    yield _shape(node.shape, box)
    yield f'<text x="{box.left + box.width // 2}" y="{box.middle + 4}">{_text(node.name)}</text>'
    yield "</g>"


def _shape(shape: str, box: _Box) -> str:
    """A rectangle for a stage, a rounded one for a model, a drum for data."""
    if shape == "data":
        left, right, top, bottom, half = box.left, box.right, box.top + 4, box.bottom - 4, box.width // 2
        arc = f"a{half} 4 0 0"
        sides = f"M{left} {top}{arc} 1 {right - left} 0V{bottom}{arc} 1 {left - right} 0z"
        return f'<path class="shape" d="{sides}M{left} {top}{arc} 0 {right - left} 0"/>'
    radius = HEIGHT // 2 if shape == "model" else 4
    return f'<rect class="shape" x="{box.left}" y="{box.top}" width="{box.width}" height="{HEIGHT}" rx="{radius}"/>'


def _text(text: str) -> str:
    """Text as XML has it; characters that XML does not allow, which a path may hold, become the replacement character."""
    return escape("".join(char if _is_allowed(ord(char)) else "\ufffd" for char in text))


def _is_allowed(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
