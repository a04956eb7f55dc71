from __future__ import annotations

import inspect
import time

import pytest
from trainc.dsl.formatter import format_source
from trainc.dsl.source import Source


def formatted(text: str) -> str:
    result = format_source(Source("t", text))
    assert result.text is not None, [finding.message for finding in result.findings]
    return result.text


def becomes(before: str, after: str) -> None:
    assert formatted(inspect.cleandoc(before) + "\n") == inspect.cleandoc(after) + "\n"


def stays(text: str) -> None:
    becomes(text, text)


# Entries and blocks


def test_entries_stand_on_lines_of_their_own_in_two_spaces() -> None:
    becomes(
        "mesh m {\ndp_shard=2,  tp  =  4\n\t batch{micro=1\n}\n}",
        "mesh m {\n  dp_shard = 2\n  tp       = 4\n  batch {\n    micro = 1\n  }\n}",
    )


def test_a_block_written_on_one_line_stays_on_it() -> None:
    becomes("mesh m {dp_shard=2,tp=4,}", "mesh m { dp_shard = 2, tp = 4 }")


def test_a_block_written_on_several_lines_stays_on_them() -> None:
    becomes("mesh m { dp_shard = 2\n}", "mesh m {\n  dp_shard = 2\n}")


def test_an_empty_block_is_two_braces() -> None:
    becomes("stage a = b { \n\n }", "stage a = b {}")


def test_a_block_that_does_not_fit_is_broken_from_the_outside() -> None:
    inner = "optimizer = adamw { lr = 1e-3, betas = [0.9, 0.99] }, schedule = cosine { warmup = 10% }"
    becomes(
        f"stage first = base {{ {inner} }}",
        """
        stage first = base {
          optimizer = adamw { lr = 1e-3, betas = [0.9, 0.99] }
          schedule  = cosine { warmup = 10% }
        }
        """,
    )


def test_a_block_of_exactly_100_columns_fits_and_one_of_101_does_not() -> None:
    def text(columns: int) -> str:
        return f"let x = r {{ a = {'1' * (columns - 19)} }}"[:-2] + " }"

    fits = text(101)
    assert len(fits) == 100
    stays(fits)
    assert formatted(text(102)).count("\n") == 3


def test_alignment_counts_towards_the_width() -> None:
    block = f"{{ a = {'1' * 75}, b = 2 }}"
    becomes(
        f"x a_name_that_is_long = 1\nx b = c {block}",
        f"x a_name_that_is_long = 1\n\nx b = c {{\n  a = {'1' * 75}\n  b = 2\n}}",
    )
    stays(f"x b = c {block}")


def test_an_entry_that_alignment_breaks_no_longer_takes_part_in_it() -> None:
    long = f"{{ a = {'1' * 70}, b = 2 }}"
    becomes(
        f"data a {{\n  a = 1\n  a_rather_long_name {long}\n  b = r {long}\n}}",
        f"data a {{\n  a = 1\n  a_rather_long_name {{\n    a = {'1' * 70}\n    b = 2\n  }}\n  b = r {long}\n}}",
    )


def test_entries_that_alignment_makes_too_long_are_broken_alike() -> None:
    long = f"{{ a = {'1' * 78} }}"
    broken = f"r {{\n    a = {'1' * 78}\n  }}"
    becomes(
        f"data a {{\n  a_rather_long_name = 1\n  b = r {long}\n  c = r {long}\n}}",
        f"data a {{\n  a_rather_long_name = 1\n  b = {broken}\n  c = {broken}\n}}",
    )


# Alignment


def test_equal_signs_and_braces_of_a_run_share_a_column() -> None:
    becomes(
        "stage a {\nmodel = m\nbatch { micro = 1 }\nassert x == 1\nseed = 7\n}",
        "stage a {\n  model = m\n  batch { micro = 1 }\n  assert x == 1\n  seed = 7\n}",
    )


def test_words_of_the_language_are_aligned_where_they_name_fields() -> None:
    stays("data d {\n  if     = 1\n  assert = 2\n  not    { in = 3 }\n}")


@pytest.mark.parametrize("between", ["\n", "  # a comment\n", "  b = r {\n    c = 1\n  }\n", '  text = """\n  s"""\n'])
def test_a_run_ends_at_a_blank_line_a_comment_and_a_value_of_several_lines(between: str) -> None:
    stays(f"data d {{\n  a = 1\n{between}  long_name = 2\n}}")


def test_declarations_of_one_line_are_aligned_and_so_are_lets_and_params_among_themselves() -> None:
    becomes(
        "let a = 1\nlet bcd = 2\nparam x: count = 1\nparam y: [string]\nmesh a { tp = 1 }\ncluster bc = d",
        "let a   = 1\nlet bcd = 2\nparam x: count = 1\nparam y: [string]\nmesh a     { tp = 1 }\ncluster bc = d",
    )


def test_comments_of_a_run_share_a_column() -> None:
    becomes(
        "data d {\na = 1 # one\nb = 2\nccc = 345 # two\n\nd = 1 # three\n}",
        "data d {\n  a   = 1    # one\n  b   = 2\n  ccc = 345  # two\n\n  d = 1  # three\n}",
    )


# Lists and other brackets


def test_a_list_that_does_not_fit_has_one_element_a_line_and_a_trailing_comma() -> None:
    elements = [f'"element number {n}"' for n in range(6)]
    becomes(f"let x = [{', '.join(elements)}]", "let x = [\n" + "".join(f"  {element},\n" for element in elements) + "]")


def test_the_comma_after_an_element_counts_towards_the_width() -> None:
    stays(f"let x = [\n  r {{ a = {'1' * 86} }},\n]")
    becomes(f"let x = [\n  r {{ a = {'1' * 88} }},\n]", f"let x = [\n  r {{\n    a = {'1' * 88}\n  }},\n]")


def test_a_list_on_one_line_has_no_trailing_comma() -> None:
    becomes("let x = [ 1,2 , ]", "let x = [1, 2]")


def test_a_list_that_its_author_broke_stays_broken() -> None:
    becomes("let x = [1,\n2]", "let x = [\n  1,\n  2,\n]")


def test_arguments_are_broken_like_lists() -> None:
    becomes("let x = max(1,\n 2)", "let x = max(\n  1,\n  2,\n)")


def test_a_lone_element_shares_its_lines_with_the_brackets() -> None:
    stays("let x = [base {\n  a = 1\n}]")
    becomes("let x = [1, base {\n a = 1 }]", "let x = [\n  1,\n  base {\n    a = 1\n  },\n]")


def test_line_breaks_within_parentheses_are_the_authors() -> None:
    stays("assert (\n  a == 1\n  and b == 2\n)")
    becomes("assert (a == 1\n   and b == 2)", "assert (\n  a == 1\n  and b == 2\n)")


def test_brackets_of_an_index_and_of_a_type_get_no_comma() -> None:
    becomes("let x = a[\n0]\nparam p: [\ncount]=[\n]", "let x = a[\n  0\n]\n\nparam p: [count] = []")


# Words


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("let x = - 1+2*- a", "let x = -1 + 2 * -a"),
        ("let x = assert - 1", "let x = assert - 1"),
        ("assert - 1 == - y", "assert -1 == -y"),
        ("let x = not-1 in[ - 1]", "let x = not -1 in [-1]"),
        ("let x = f ( a , [ 1 ] [0] )", "let x = f(a, [1][0])"),
        ("let x = a . if [ 0 ] . b", "let x = a.if[0].b"),
        ("let x = (a)[0] - (b)", "let x = (a)[0] - (b)"),
        ("let x = if a then b else - c", "let x = if a then b else -c"),
        ("param  x :count", "param x: count"),
        ("import  std . gpus  as  g", "import std.gpus as g"),
        ("data d {if=1,not{in=2},assert=3,assert(a)}", "data d { if = 1, not { in = 2 }, assert = 3, assert (a) }"),
        ("let x = 7 %2", "let x = 7 % 2"),
        ("let x = 5%+1", "let x = 5% + 1"),
        ('assert a else"b"', 'assert a else "b"'),
    ],
)
def test_words_are_spaced(before: str, after: str) -> None:
    becomes(before, after)


def test_numbers_and_strings_are_left_as_they_are_spelled() -> None:
    stays('let x = [1_000, 80GB, 80  GiB, 2e-5, 15T  tokens, "a  ,b ${ x+1 }", "\\u{41}"]')


def test_lines_of_a_string_are_left_as_they_are() -> None:
    stays('data d {\n  text = """\n one  \n\n\n   # no comment ${a+b # nor one of ours\n   }\n    """\n}')


# Comments and blank lines


def test_comments_stay_at_what_they_stood_at() -> None:
    stays(
        """
        # The file.

        ## A cluster.
        # trainc: allow TRN201 -- known
        cluster c {  # opening
          # above
          nodes = 1  # beside

          # last
        }  # closing
        # The end.
        """
    )


def test_a_comment_after_a_comma_stays_with_what_the_comma_ends() -> None:
    becomes(
        "data d { a = 1, # one\nb = [1, # two\n2 # three\n] }",
        "data d {\n  a = 1  # one\n  b = [\n    1,  # two\n    2,  # three\n  ]\n}",
    )


def test_comments_around_a_comma_stay_in_order() -> None:
    becomes("let x = [1 # one\n, # two\n2]", "let x = [\n  1,  # one\n  # two\n  2,\n]")


def test_a_line_that_is_kept_whole_takes_no_comment_into_it() -> None:
    becomes(
        "let x = [\n1\n# trainc: allow TRN201 -- known\n, 2 # two\n# more\n, 3 # trainc: allow TRN201 -- known\n]",
        "let x = [\n  1,\n  # trainc: allow TRN201 -- known\n  2,  # two\n  # more\n  3,  # trainc: allow TRN201 -- known\n]",
    )


def test_comments_amid_an_expression_keep_their_place() -> None:
    stays("let x = (\n  a  # first\n  # then\n  + b\n)")


def test_comments_in_an_empty_group_stay() -> None:
    stays("data d {\n  # nothing\n}\n\nlet x = [\n  # nothing\n]")


@pytest.mark.parametrize("above", ["", "# trainc: allow TRN201 -- known\n"])
def test_a_line_whose_findings_are_suppressed_is_kept_whole(above: str) -> None:
    beside = "" if above else "  # trainc: allow TRN201 -- known"
    stays(f"{above}mesh m {{ dp_shard = {'1' * 90}, tp = 4 }}{beside}")
    stays("data d {\n" + (f"  {above}" if above else "") + f"  a = 1, b = 2, c = 3{beside}\n}}")


def test_one_blank_line_is_kept_and_none_at_the_ends_of_a_block() -> None:
    becomes("\n\ndata d {\n\n\na = 1\n\n\n\nb = 2\n\n}\n\n\n", "data d {\n  a = 1\n\n  b = 2\n}")


def test_blocks_of_several_lines_stand_apart_with_what_is_above_them() -> None:
    becomes(
        "let a = 1\n# about b\ndata b {\nc = 1\n}\nlet d = 2",
        "let a = 1\n\n# about b\ndata b {\n  c = 1\n}\n\nlet d = 2",
    )


# Imports


def test_imports_are_sorted_the_standard_library_first() -> None:
    becomes(
        """
        ## The file.
        import "./b.train" as b # two
        import std.models.tiny
        import "./a.train"
        import std.gpus # one
        let x = 1
        """,
        """
        ## The file.
        import std.gpus          # one
        import std.models.tiny
        import "./a.train"
        import "./b.train" as b  # two
        let x = 1
        """,
    )


def test_imports_are_not_moved_over_comments_blank_lines_or_items() -> None:
    stays("import std.d\n# about c\nimport std.c\n\nimport std.b\nlet x = 1\nimport std.a")


def test_what_stands_above_an_import_stays_above_it() -> None:
    stays("# trainc: allow TRN153 -- known\nimport std.b\nimport std.a")
    becomes(
        "import std.z\n# about b\nimport std.b\nimport std.d\nimport std.a",
        "import std.z\n# about b\nimport std.b\nimport std.a\nimport std.d",
    )


# Files


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "\r\n"])
def test_a_file_of_nothing_is_empty(text: str) -> None:
    assert formatted(text) == ""


def test_line_ends_are_those_of_the_file() -> None:
    assert formatted("let a=1\r\nlet b=[\r\n2]") == "let a = 1\r\n\r\nlet b = [\r\n  2,\r\n]\r\n"
    assert formatted("let a=1\nlet b=2\r\n") == "let a = 1\nlet b = 2\n"


def test_line_ends_within_strings_decide_nothing_and_stay() -> None:
    assert formatted('let a = """\r\nx\r\n"""\nlet b=1') == 'let a = """\r\nx\r\n"""\n\nlet b = 1\n'


def test_a_byte_order_mark_is_dropped() -> None:
    assert formatted("\ufefflet a = 1\n") == "let a = 1\n"


@pytest.mark.parametrize("text", ["let a =", "data d { a: 1 }", 'let x = "${1 +}"', "let x = [1"])
def test_what_does_not_parse_is_not_printed(text: str) -> None:
    result = format_source(Source("t", text))
    assert result.text is None
    assert result.findings


@pytest.mark.parametrize("opened", ["[", "(", "f(", "a {\n b = "])
def test_the_deepest_nesting_is_printed(opened: str) -> None:
    closing = "]" if opened == "[" else "}" if "{" in opened else ")"
    text = f"let x = {opened * 60}1{closing * 60}\n"
    once = formatted(text)
    assert formatted(once) == once


def test_a_large_file_takes_time_in_proportion() -> None:
    block = 'data d_{} {{ train = text {{ path = "corpus/*.txt" }}, holdout = 10%, sequence = 128, shuffle = false, seed = {} }}\n'
    text = "".join(block.format(n, n) for n in range(2000))
    started = time.perf_counter()
    formatted(text)
    assert time.perf_counter() - started < 5
