"""The faults of syntax, one function each; its docstring is the page that `trainc explain` shows."""

from __future__ import annotations

from . import certain_fixes
from .diagnostics import Diagnostic, Edit, Fix, Related, error
from .source import Span
from .suggest import closest
from .unit_words import FOREIGN_WORDS, WORDS

# Named, because recovery leaves out all the fields that one such fault puts outside.
UNCLOSED = "TRN007"

_FOREIGN_MARKS = {"&&": "and", "||": "or", "!": "not"}


def unexpected(span: Span, found: str, expected: tuple[str, ...], hint: str | None) -> Diagnostic:
    """TRN001: something else has to stand here.

    Why: a file that is read otherwise than it was meant trains something else; one stray backslash made a whole file of settings
    fall back to its defaults (cortexkit/magic-context#421).
    Example: mesh m = wide { tp = 2 4 }
    Instead: mesh m = wide { tp = 2 }
    """
    return error("TRN001", f"expected {_alternatives(expected)}, found {found}", span, help=hint)


def missing_value(after: Span, span: Span, found: str) -> Diagnostic:
    """TRN002: a value is missing after `=` or after an operator.

    Why: an entry ends with its line, so a value on the next line is not seen; a reader that looks there took the next option for
    the value (JaneliaSciComp/msg#37).
    Example: mesh m = wide { tp = }
    Instead: mesh m = wide { tp = 2 }
    """
    hint = "leave the entry out to take the default"
    if after.text != "=":
        hint = "put an expression that spans several lines in parentheses"
    return error("TRN002", f"expected a value after `{after.text}`, found {found}", span, help=hint)


def missing_equal(name: Span, value: Span) -> Diagnostic:
    """TRN003: a field and its value without `=` between them.

    Why: `name value` sets nothing, so the field would keep its default and nobody would notice; Terraform called it a bad block,
    and the forgotten sign took a while to find (hashicorp/terraform#25039).
    Example: mesh m = wide { tp 2 }
    Instead: mesh m = wide { tp = 2 }
    """
    fix = Fix("insert `=`", (Edit(Span(name.source, name.end, name.end), " ="),))
    return error(
        "TRN003",
        f"expected `=` after `{name.text}`, found `{value.text}`",
        value,
        help="a field is set with `name = value`",
        fix=fix,
    )


def missing_field_value(name: Span) -> Diagnostic:
    """TRN004: a field that is named and not set.

    Why: a bare name says nothing; a flag has to be set to `true`. In YAML it is set to null, and a program fails far from there:
    'NoneType' has no `strip` (NousResearch/hermes-agent#3214).
    Example: mesh m = wide { sequence_parallel }
    Instead: mesh m = wide { sequence_parallel = true }
    """
    hint = f"write `{name.text} = value` or `{name.text} {{ ... }}`; a flag is switched on with `= true`"
    return error("TRN004", f"`{name.text}` has no value", name, help=hint)


def colon_for_equal(mark: Span, name: str, before_block: bool) -> Diagnostic:
    """TRN005: `:` where the language has `=`, or nothing before a block.

    Why: `:` gives a parameter its type and nothing else; whoever copied TOML with colons from a manual got an error of the decoder
    (zensical/docs#3).
    Example: mesh m = wide { tp: 2 }
    Instead: mesh m = wide { tp = 2 }
    """
    colon = _mark(mark, ":")
    text = " " if before_block else " = "
    way_out = f"write `{name} {{ ... }}`" if before_block else f"write `{name} = ...`"
    fix = Fix(f"replace `:` by `{text.strip()}`" if text.strip() else "leave out `:`", (Edit(mark, text),))
    return error("TRN005", f"`:` does not set `{name}`", colon, help=way_out, fix=fix)


def typed_field(colon: Span, name: str, mark: Span | None = None) -> Diagnostic:
    """TRN028: a field with a type.

    Why: the kind of a record gives its fields their types; only a parameter states its own. Python lets a name have a type and no
    value (PEP 526), and a reader of configurations failed on one (omni-us/jsonargparse#148).
    Example: mesh m = wide { tp: count = 2 }
    Instead: mesh m = wide { tp = 2 }
    """
    # `mark` is what stands between the name and its `=`, where it is a field's.
    fix = Fix("leave out the type", (Edit(mark, " "),)) if mark is not None else None
    return error("TRN028", f"`{name}` takes no type here", colon, help=f"write `{name} = ...`", fix=fix)


def equal_before_block(mark: Span, name: str) -> Diagnostic:
    """TRN006: `=` before a block that amends nothing.

    Why: `name { ... }` changes only the fields it names; `name = { ... }` looks as if it replaced all of them. Terraform took
    either form until subtle bugs made it insist on one (ulamlabs/terraform-aws-rabbitmq#17).
    Example: stage s = pretrain { batch = { micro = 1 } }
    Instead: stage s = pretrain { batch { micro = 1 } }
    """
    fix = Fix("leave out `=`", (Edit(mark, " "),))
    return error("TRN006", f"`{name}` takes its block without `=`", _mark(mark, "="), help=f"write `{name} {{ ... }}`", fix=fix)


def unclosed_bracket(opened: Span, outer: tuple[Span, ...] = ()) -> Diagnostic:
    """TRN007: a bracket that is not closed.

    Why: everything that follows would be read as its content; a shell that pointed at the end of the file left its user to search
    150 lines (nushell/nushell#4338).
    Example: let betas = [0.9, 0.95
    Instead: let betas = [0.9, 0.95]
    """
    closer = {"{": "}", "[": "]", "(": ")"}[opened.text]
    related = [Related(span, f"this `{span.text}` is not closed either") for span in outer]
    return error(UNCLOSED, f"`{opened.text}` is not closed", opened, *related, help=f"add the `{closer}` it misses")


def stray_bracket(span: Span) -> Diagnostic:
    """TRN008: a closing bracket that closes nothing.

    Why: one bracket too many often means that a block ended earlier than it seems; a server did not start again for one, and nobody
    could see where it stood (WWBN/AVideo#4412).
    Example: let micro = 1]
    Instead: let micro = 1
    """
    opener = {"}": "{", "]": "[", ")": "("}[span.text]
    return error("TRN008", f"`{span.text}` closes nothing", span, help=f"remove it, or add the `{opener}` it belongs to")


def mismatched_bracket(span: Span, opened: Span) -> Diagnostic:
    """TRN009: a bracket closed by one of another kind.

    Why: which of the two is wrong can seldom be told; a parser that blames one of them pointed at a class, and the fault was lines
    below it (marko-js/marko#1329).
    Example: let betas = [0.9, 0.95)
    Instead: let betas = [0.9, 0.95]
    """
    closer = {"[": "]", "(": ")", "{": "}"}[opened.text]
    related, help = Related(opened, "opened here"), f"close it with `{closer}`"
    fix = certain_fixes.closer(opened, span, closer)
    return error("TRN009", f"`{opened.text}` is closed by `{span.text}`", span, related, help=help, fix=fix)


def unclosed_string(opened: Span) -> Diagnostic:
    """TRN010: a string that is not closed.

    Why: a string ends on its line, so that a forgotten quote does not swallow the file; in syslog-ng a file that is included was
    read in part, without a message (syslog-ng/syslog-ng#4748).
    Example: let name = "run
    Instead: let name = "run"
    """
    hint = 'close it on the same line; a text of several lines stands between `"""`'
    if opened.text != '"':
        hint = 'add the closing `"""`'
    return error("TRN010", "the string is not closed", opened, help=hint, fix=certain_fixes.closing_quote(opened))


def unclosed_interpolation(opened: Span) -> Diagnostic:
    """TRN011: an interpolation that is not closed.

    Why: without its brace the rest of the text is read as an expression; in Ballerina that was the rest of the file, and the
    compiler crashed (ballerina-platform/ballerina-lang#39724).
    Example: let name = "run-${2 * 3"
    Instead: let name = "run-${2 * 3}"
    """
    hint = "close it with `}`; for the characters themselves write `\\u{24}{`"
    return error("TRN011", "`${` is not closed", opened, help=hint)


def bad_escape(span: Span) -> Diagnostic:
    r"""TRN012: a backslash before something that is no escape.

    Why: it would be dropped or kept silently, and a path would name another file; `\U` of a Windows path was an escape to YAML, and
    the server that read it did not start (kLOsk/adloop#30).
    Example: let path = "C:\data"
    Instead: let path = "C:\\data"
    """
    if span.text.startswith("\\u"):
        hint = "a character's number stands in braces, in hexadecimal: `\\u{1F600}`"
    else:
        hint = 'the escapes are `\\n`, `\\t`, `\\"`, `\\\\` and `\\u{...}`; a backslash itself is `\\\\`'
    return error("TRN012", f"`{span.text}` is no escape", span, help=hint)


def single_quotes(span: Span) -> Diagnostic:
    """TRN013: a text in single quotes.

    Why: strings have one form, so that `fmt` and every reader agree; in YAML the choice of quotes decides whether `\\n` is a new
    line or two characters (lvgl/lv_i18n#30).
    Example: let name = 'run'
    Instead: let name = "run"
    """
    inner = span.text[1:-1]
    fix = Fix("use double quotes", (Edit(span, f'"{inner}"'),)) if not set('"\\$') & set(inner) else None
    return error("TRN013", f"{span.text} is not a string", span, help="strings stand in double quotes", fix=fix)


def unknown_unit(unit: Span, number: str) -> Diagnostic:
    """TRN014: a number with a unit that does not exist.

    Why: a unit that is ignored is a factor of a thousand that nobody sees; `2G` and `2Gi` are mixed up already
    (sourcegraph/deploy-sourcegraph#587).
    Example: let memory = 80GX
    Instead: let memory = 80GB
    """
    fix = certain_fixes.unit(unit)
    meant = FOREIGN_WORDS.get(unit.text) or (fix.edits[0].text if fix is not None else closest(unit.text, WORDS))
    message = f"`{unit.text}` after `{number}` is no unit"
    if unit.text in WORDS:
        return error("TRN014", f"`{unit.text}` after `{number}` is a second unit", unit, help="a number has one unit")
    if meant is None:
        return error("TRN014", message, unit, help="units are such as `GB`, `Gb/s`, `TFLOPS`, `min`, `steps`, `%`")
    return error("TRN014", message, unit, help=f"did you mean `{meant}`?", fix=fix)


def reserved_word(span: Span) -> Diagnostic:
    """TRN015: a reserved word used as a name.

    Why: where an expression can stand, the word is an operator or a value; YAML reads a bare `NO` as false, so Norway stood under
    another key than the one looked up (18F/identity-idp#1735).
    Example: let if = 3
    Instead: let condition = 3
    """
    return error("TRN015", f"`{span.text}` is a reserved word", span, help="use another name here")


def brace_on_next_line(mark: Span, name: str) -> Diagnostic:
    """TRN016: a block that opens on the line after its name.

    Why: the end of a line ends an entry; HCL refuses such a block since its second version (hashicorp/hcl2#83,
    hashicorp/terraform#22875).
    Example:
      mesh m = wide
      { tp = 2 }
    Instead: mesh m = wide { tp = 2 }
    """
    brace = Span(mark.source, mark.end, mark.end + 1)
    fix = Fix("join the lines", (Edit(mark, " "),)) if not mark.text.strip() else None
    return error("TRN016", f"`{{` stands on the line after `{name}`", brace, help=f"write `{name} {{` on one line", fix=fix)


def field_outside_block(name: Span) -> Diagnostic:
    """TRN017: a field outside of any block.

    Why: a field belongs to a record; a name for a value is made with `let`. An option outside of its table is ignored by pytest
    without a word (pytest-dev/pytest#14638).
    Example: micro = 1
    Instead: stage s = pretrain { batch { micro = 1 } }
    """
    hint = f"for a name of your own write `let {name.text} = ...`; a field belongs in a block, as in `stage s {{ ... }}`"
    return error("TRN017", f"`{name.text}` stands outside of any block", name, help=hint)


def unnamed_item(kind: Span) -> Diagnostic:
    """TRN027: a record without a name.

    Why: a record that nothing can refer to does nothing; an editor that lets it pass leaves the error to Terraform
    (VladRassokhin/intellij-hcl#238).
    Example: mesh { cluster = prod, dp_shard = 16 }
    Instead: mesh m { cluster = prod, dp_shard = 16 }
    """
    return error("TRN027", f"`{kind.text}` has no name", kind, help=f"write `{kind.text} NAME {{ ... }}`")


def item_in_block(word: Span) -> Diagnostic:
    """TRN018: an import, a parameter or a `let` inside a block.

    Why: names are the same in the whole file, so they are made at its top level; a `local` inside an object of Jsonnet was not seen
    where it was meant to be, and that cost 45 minutes (google/go-jsonnet#385).
    Example: mesh m = wide { let size = 2 }
    Instead:
      let size = 2
      mesh m = wide { tp = size }
    """
    return error("TRN018", f"`{word.text}` stands inside a block", word, help="move it to the top level of the file")


def equal_for_comparison(span: Span) -> Diagnostic:
    """TRN019: `=` where two values are compared.

    Why: `=` sets a field; a comparison is `==`. Where `=` is allowed in a condition, three checks set what they should have
    compared (project-chip/connectedhomeip#2962).
    Example: assert 1 = 1
    Instead: assert 1 == 1
    """
    fix = Fix("replace `=` by `==`", (Edit(span, "=="),))
    return error("TRN019", "`=` does not compare", span, help="compare with `==`", fix=fix)


def comparison_for_equal(span: Span) -> Diagnostic:
    """TRN020: `==` where a field is set.

    Why: `==` compares; a field is set with `=`. Where a comparison may stand alone, a group of display modes was never changed
    (raspberrypi/userland#20).
    Example: mesh m = wide { tp == 2 }
    Instead: mesh m = wide { tp = 2 }
    """
    fix = Fix("replace `==` by `=`", (Edit(span, "="),))
    return error("TRN020", "`==` does not set a field", span, help="set it with `=`, or write `assert` before it", fix=fix)


def chained_comparison(span: Span) -> Diagnostic:
    """TRN021: comparisons in a chain.

    Why: some languages read `a < b < c` as a range and some as a comparison of a truth value with a number; in Chapel `0 <= n <= 2`
    held for an `n` of 3 (chapel-lang/chapel#24152).
    Example: assert 1 < 2 < 3
    Instead: assert 1 < 2 and 2 < 3
    """
    return error("TRN021", "comparisons do not chain", span, help="join two comparisons with `and`")


def missing_comma(before: Span, span: Span) -> Diagnostic:
    """TRN022: two items without a comma between them.

    Why: two values side by side could be one that was cut in two; Python joins two strings without a comma, and a list of ROS had
    one name in place of two (ros/ros_comm#1760).
    Example: let betas = [0.9 0.95]
    Instead: let betas = [0.9, 0.95]
    """
    fix = certain_fixes.comma(before, span)
    return error("TRN022", f"expected `,` before `{span.text}`", span, help="commas separate the items", fix=fix)


def foreign_mark(span: Span) -> Diagnostic:
    """TRN023: a character that the language does not have.

    Why: other languages give it a meaning that is not assumed here; non-breaking spaces gave a network other settings than its file
    shows (nmstate/nmstate#2051).
    Example: let both = true && false
    Instead: let both = true and false
    """
    fix = certain_fixes.mark(span)
    if (word := _FOREIGN_MARKS.get(span.text)) is not None:
        return error("TRN023", f"`{span.text}` is no operator", span, help=f"write `{word}`", fix=fix)
    hints = {
        ";": "a new line or a comma ends an entry",
        "'": "strings stand in double quotes",
        "$": 'interpolation stands inside a string: `"${...}"`',
        "?": "a condition is written `if c then a else b`",
        "**": "there is no operator for powers",
        "<>": "unequal is `!=`",
        **dict.fromkeys(("=>", "->", ":=", "+=", "-=", "*=", "/="), "a field is set with `=`"),
    }
    return error("TRN023", f"`{_visible(span.text)}` means nothing here", span, help=hints.get(span.text, "remove it"), fix=fix)


def foreign_comment(span: Span) -> Diagnostic:
    """TRN024: a comment in the style of another language.

    Why: `//` divides whole numbers; a reader that did not know the style of a comment took it for the value (citra-emu/citra#640).
    Example: // the learning rate
    Instead: # the learning rate
    """
    fix = certain_fixes.comment(span)
    return error("TRN024", f"`{span.text}` does not start a comment", span, help="comments start with `#`", fix=fix)


def glued_percent(span: Span) -> Diagnostic:
    """TRN025: a `%` glued to a number where a remainder is meant.

    Why: `10%` is ten percent; the operator needs spaces on both sides. A library that decides for one of the two calculates `8% 9`
    as 8, to the surprise of its users (fkleon/math-expressions#53).
    Example: let rest = 10% 3
    Instead: let rest = 10 % 3
    """
    fix = Fix("put spaces around `%`", (Edit(span, certain_fixes.spaced("%", span)),))
    return error("TRN025", "`%` glued to a number is percent", span, help="for the remainder put spaces around `%`", fix=fix)


def too_deep(span: Span, limit: int, what: str) -> Diagnostic:
    """TRN026: an expression nested deeper than the compiler follows.

    Why: no specification needs it; generated files that do should name the parts. Without a limit brackets alone end a parser's
    stack (CVE-2019-6292, jbeder/yaml-cpp#657).
    Example:
      let x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
      ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
    Instead:
      let part = [[1]]
      let x = [[part]]
    """
    return error("TRN026", f"more than {limit} {what} inside each other", span, help="name a part with `let`")


def _alternatives(words: tuple[str, ...]) -> str:
    if len(words) < 2:
        return "".join(words) or "nothing more"
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _mark(span: Span, mark: str) -> Span:
    start = span.start + span.text.index(mark)
    return Span(span.source, start, start + 1)


def _visible(text: str) -> str:
    return text if text.isprintable() and text != "`" else "".join(f"U+{ord(char):04X}" for char in text)
