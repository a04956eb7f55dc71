from __future__ import annotations

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
        "\n"
    )


def test_a_fix_speaks_where_no_help_does() -> None:
    spec = Source("spec.train", "tp = 16\n")
    fix = Fix("set `tp = 8`", (Edit(place(spec, "16"), "8"),))
    assert "= fix: set `tp = 8`" in render_text([error("TRN203", "too many", place(spec, "16"), fix=fix)])


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
