"""Puts the nodes of a graph into columns and rows so that edges lead to the right and cross seldom.

The way of Sugiyama et al. 1981 (doi:10.1109/TSMC.1981.4308636) in small: columns by longest path, a stand-in in each column that an
edge passes, rows by the mean row of the neighbours. The same graph gives the same places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

# More sweeps change nothing on graphs of this size.
_SWEEPS = 4

Route = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of keys from top to bottom, and for each edge the keys on its way: source, stand-ins, target."""

    columns: tuple[tuple[str, ...], ...]
    routes: Mapping[tuple[str, str], Route]


def layout(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> Layout:
    """The layout of a graph without circles; `nodes` in the order that wins where nothing else decides."""
    column = _columns(nodes, edges)
    routes = {(source, target): _route(source, target, column) for source, target in edges}
    columns: list[list[str]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node in nodes:
        columns[column[node]].append(node)
    for source, *between, _ in routes.values():
        for step, key in enumerate(between, start=1):
            columns[column[source] + step].append(key)
    neighbours = _neighbours(routes.values())
    for sweep in range(_SWEEPS):
        _sweep(columns, neighbours, forward=sweep % 2 == 0)
    return Layout(tuple(map(tuple, columns)), routes)


def _columns(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The column of each node: its longest path from the left; what nothing leads to stands right before its first reader."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    column = {node: depth for depth, generation in enumerate(nx.topological_generations(graph)) for node in generation}
    readers = {node: [column[target] for target in graph.successors(node)] for node in nodes if graph.in_degree(node) == 0}
    return column | {node: min(found) - 1 for node, found in readers.items() if found}


def _route(source: str, target: str, column: Mapping[str, int]) -> Route:
    # A space is in no key.
    between = (f"{source} {target} {step}" for step in range(column[source] + 1, column[target]))
    return (source, *between, target)


def _neighbours(routes: Iterable[Route]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for route in routes:
        for left, right in pairwise(route):
            found.setdefault(left, []).append(right)
            found.setdefault(right, []).append(left)
    return found


def _sweep(columns: list[list[str]], neighbours: Mapping[str, Sequence[str]], forward: bool) -> None:
    """Sorts each column by the mean row of the neighbours in the column before it, seen in the sweep's direction."""
    steps = range(len(columns)) if forward else range(len(columns) - 1, -1, -1)
    for before, here in pairwise(steps):
        near, own = _rows(columns[before]), _rows(columns[here])
        means = {key: _mean([near[other] for other in neighbours.get(key, ()) if other in near], own[key]) for key in own}
        columns[here].sort(key=means.__getitem__)


def _rows(column: Sequence[str]) -> dict[str, float]:
    """Rows counted from the column's middle, since columns stand centred."""
    return {key: row - (len(column) - 1) / 2 for row, key in enumerate(column)}


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
