from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from trainc.dsl.diagnostics import Edit, Fix
from trainc.dsl.edits import applied, compatible
from trainc.dsl.source import Source, Span

TEXT = "0123456789"
SOURCE = Source("t", TEXT)


def fix(*edits: tuple[int, int, str]) -> Fix:
    return Fix("m", tuple(Edit(Span(SOURCE, start, end), text) for start, end, text in edits))


def test_edits_of_several_fixes_are_made_at_once() -> None:
    assert applied(TEXT, [fix((5, 6, "five")), fix((1, 2, ""), (8, 8, "-"))]) == "0234five67-89"


def test_the_first_of_two_that_overlap_wins() -> None:
    first, second = fix((2, 5, "a")), fix((4, 6, "b"))
    assert compatible([first, second]) == (first,)


def test_a_fix_is_made_whole_or_not_at_all() -> None:
    first, second, third = fix((2, 3, "a")), fix((2, 3, "b"), (7, 8, "b")), fix((7, 8, "c"))
    assert compatible([first, second, third]) == (first, third)


def test_two_insertions_at_one_place_do_not_go_together() -> None:
    first, second = fix((4, 4, "a")), fix((4, 4, "b"))
    assert compatible([first, second]) == (first,)


def test_a_fix_that_contradicts_itself_is_not_made() -> None:
    assert compatible([fix((1, 4, "a"), (3, 5, "b"))]) == ()


def test_places_of_other_files_do_not_meet() -> None:
    other = Fix("m", (Edit(Span(Source("other", TEXT), 2, 5), "b"),))
    assert len(compatible([fix((2, 5, "a")), other])) == 2


SPANS = st.tuples(st.integers(0, 10), st.integers(0, 10), st.text("xyz", max_size=2)).map(lambda s: (min(s[:2]), max(s[:2]), s[2]))


@given(st.lists(st.lists(SPANS, min_size=1, max_size=3).map(lambda edits: fix(*edits)), max_size=6))
def test_what_no_edit_touches_is_kept(fixes: list[Fix]) -> None:
    kept = compatible(fixes)
    touched = {place for one in kept for edit in one.edits for place in range(edit.span.start, edit.span.end)}
    result = applied(TEXT, kept)
    assert [char for char in result if char.isdigit()] == [char for place, char in enumerate(TEXT) if place not in touched]
