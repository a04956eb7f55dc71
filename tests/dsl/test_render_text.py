from __future__ import annotations

import pytest
from trainc.dsl.diagnostics import Diagnostic, Edit, Fix, Related, Severity, error
from trainc.dsl.render_text import render_text, summary
from trainc.dsl.source import Source, Span


def place(source: Source, text: str) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def underlined(line: str, text: str) -> tuple[str, str]:
    """The shown line and the line of carets below it, without their gutters."""
    source = Source("t", line)
    shown = render_text([error("TRN001", "m", place(source, text))]).splitlines()
    return shown[3].partition("| ")[2], shown[4].partition("| ")[2]


def test_a_finding_with_everything() -> None:
    spec = Source("spec.train", "\n" * 10 + "mesh m {\n  tp = 16\n}\n")
    cluster = Source("cluster.train", "cluster c {\n  gpus_per_node = 8\n}\n")
    finding = error(
        "TRN203",
        "`tp` 16 spans 2 nodes",
        place(spec, "tp = 16"),
        Related(place(cluster, "gpus_per_node = 8"), "8 in a node"),
        help="set `tp = 8`",
        fix=Fix("set `tp = 8`", (Edit(place(spec, "16"), "8"),)),
    )
    assert render_text([finding]) == (
        "error[TRN203]: `tp` 16 spans 2 nodes\n"
        "  --> spec.train:12:3\n"
        "   |\n"
        "12 |   tp = 16\n"
        "   |   ^^^^^^^\n"
        "  ::: cluster.train:2:3\n"
        "   |\n"
        " 2 |   gpus_per_node = 8\n"
        "   |   ----------------- 8 in a node\n"
        "   |\n"
        "   = help: set `tp = 8`\n"
        "   = fix available: set `tp = 8`\n"
        "\n"
    )


def test_a_fix_needs_no_help_to_be_named() -> None:
    spec = Source("spec.train", "tp = 16\n")
    fix = Fix("set `tp = 8`", (Edit(place(spec, "16"), "8"),))
    assert "= fix available: set `tp = 8`" in render_text([error("TRN203", "too many", place(spec, "16"), fix=fix)])


def test_a_place_on_the_same_line_shares_its_snippet() -> None:
    source = Source("t", "x = [1, 2)")
    finding = error("TRN009", "m", place(source, ")"), Related(place(source, "["), "opened here"))
    assert render_text([finding]).splitlines()[3:] == ["1 | x = [1, 2)", "  |          ^", "  |     - opened here", ""]


def test_a_finding_without_a_place() -> None:
    assert render_text([error("TRN101", "no such file", None, help="look")]) == "error[TRN101]: no such file\n  = help: look\n\n"


def test_carets_below_tabs_and_wide_and_combining_characters() -> None:
    assert underlined("\tx = 1", "x") == ("    x = 1", "    ^")
    assert underlined('s = "漢字" + bad', "bad") == ('s = "漢字" + bad', " " * 13 + "^^^")
    assert underlined('s = "e\u0301" + bad', "bad") == ('s = "e\u0301" + bad', " " * 10 + "^^^")


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("\U0001f600", 2),  # an emoji
        ("\U0001f469\u200d\U0001f680", 2),  # two joined into one
        ("\U0001f44d\U0001f3fd", 2),  # with a skin tone
        ("\u2601\ufe0f", 2),  # a sign drawn as an emoji
        ("\u2601", 1),  # the same as text
        ("\U0001f1e9\U0001f1ea", 2),  # a flag is two letters
        ("\u1112\u1161\u11ab", 2),  # a syllable of Hangul in three parts
        ("n\u0303\u0323", 1),  # two marks on one letter
        ("\u200b", 0),  # a space of no width
        ("\uff21", 2),  # a wide Latin letter
    ],
)
def test_carets_stand_below_what_follows_a_character(text: str, cells: int) -> None:
    assert underlined(f'"{text}" bad', "bad")[1] == " " * (cells + 3) + "^^^"


def test_a_tab_goes_to_the_next_stop_after_wide_characters() -> None:
    assert underlined("漢\tx\ty = 1", "y") == ("漢  x   y = 1", "        ^")


def test_a_long_line_of_wide_characters_is_cut_by_cells() -> None:
    shown, carets = underlined("漢" * 500 + "BAD" + "字" * 500, "BAD")
    assert sum(2 if char in "漢字" else 1 for char in shown) <= 143
    assert shown.startswith("…漢")
    assert shown.endswith("字…")
    assert carets == " " * (1 + 2 * shown.count("漢")) + "^^^"


def test_a_place_that_the_cut_hides_is_named() -> None:
    source = Source("t", "a" * 500 + "BAD" + "c" * 500 + ")")
    finding = error("TRN009", "m", place(source, "BAD"), Related(place(source, ")"), "closed here"))
    assert render_text([finding]).splitlines()[5].endswith("- closed here: at column 1004")


def test_a_line_is_not_cut_between_a_letter_and_its_mark() -> None:
    shown, _ = underlined("e\u0301" * 500 + "BAD", "BAD")
    assert shown.startswith("…e")


def test_characters_that_act_on_the_terminal_are_replaced() -> None:
    assert underlined("a\x1b[31m\u202eb = 1", "b") == ("a\ufffd[31m\ufffdb = 1", "       ^")


def test_a_span_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    assert underlined("a {\n  b = 1\n}", "a {\n  b = 1\n}") == ("a {", "^^^ up to line 3")


def test_a_place_at_the_end_of_a_line_has_a_caret() -> None:
    source = Source("t", "x =")
    assert render_text([error("TRN002", "m", Span(source, 3, 3))]).splitlines()[4] == "  |    ^"


def test_a_very_long_line_is_cut_around_the_place() -> None:
    shown, carets = underlined("a" * 5000 + "BAD" + "c" * 5000, "BAD")
    assert len(shown) < 150
    assert shown[carets.index("^") :].startswith("BAD")


def test_colour_is_the_callers_choice() -> None:
    source = Source("t", "x")
    finding = error("TRN001", "m", Span(source, 0, 1))
    assert "\033[1;31m" in render_text([finding], colour=True)
    assert "\033" not in render_text([finding])


def test_the_summary_counts_each_severity() -> None:
    warning = Diagnostic("TRN901", Severity.WARNING, "m", None)
    assert summary([error("TRN001", "m", None), error("TRN002", "m", None), warning]) == "2 errors, 1 warning"
    assert summary([]) == "no findings"
