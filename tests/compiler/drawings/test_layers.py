from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from trainc.compiler.drawings.layers import Layout, layout

NAMES = [f"n{number}" for number in range(9)]
# Edges from a lower number to a higher one make no circle.
EDGES = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8))
    .filter(lambda pair: pair[0] < pair[1])
    .map(lambda pair: (NAMES[pair[0]], NAMES[pair[1]])),
    unique=True,
)


def column_of(placed: Layout) -> dict[str, int]:
    return {key: number for number, column in enumerate(placed.columns) for key in column}


@given(EDGES)
def test_every_node_has_one_place_and_every_edge_goes_right_column_by_column(edges: list[tuple[str, str]]) -> None:
    placed = layout(NAMES, edges)
    keys = [key for column in placed.columns for key in column]
    assert len(keys) == len(set(keys))
    assert set(NAMES) <= set(keys)
    column = column_of(placed)
    assert set(placed.routes) == set(edges)
    for (source, target), route in placed.routes.items():
        assert (route[0], route[-1]) == (source, target)
        assert all(column[right] == column[left] + 1 for left, right in pairwise(route))


@given(EDGES)
def test_no_column_is_without_a_node(edges: list[tuple[str, str]]) -> None:
    assert all(set(column) & set(NAMES) for column in layout(NAMES, edges).columns)


@given(EDGES)
def test_the_same_graph_gives_the_same_layout(edges: list[tuple[str, str]]) -> None:
    assert layout(NAMES, edges) == layout(NAMES, edges)


def test_what_nothing_leads_to_stands_right_before_its_first_reader() -> None:
    placed = layout(["a", "b", "c", "late"], [("a", "b"), ("b", "c"), ("late", "c")])
    assert placed.columns == (("a",), ("b", "late"), ("c",))


def test_rows_follow_the_neighbours_so_that_edges_do_not_cross() -> None:
    placed = layout(["a", "b", "x", "y"], [("a", "y"), ("b", "x")])
    assert placed.columns in ((("a", "b"), ("y", "x")), (("b", "a"), ("x", "y")))
