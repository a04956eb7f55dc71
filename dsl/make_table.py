"""Writes table.py, the LALR(1) table of train.lark; a tool for development, the only place that imports lark.

Run it with `make table` after a change of the grammar; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lark import Lark
from lark.grammar import Rule
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import IntParseTable, Reduce

HERE = Path(__file__).parent
STARTS = ("file", "expression")
HEAD = '''"""The LALR(1) table of train.lark, written by make_table.py: change the grammar, then run `make table`.

ACTIONS[state][symbol] is the next state (a shift, or the goto after a reduction), or `~rule` for a reduction;
at "END" a state that is not a reduction accepts. RULES[rule] is the symbol made, the number of symbols it replaces,
and the function of build.py that makes its value ("" passes the only one on).
"""

# fmt: off
# ruff: noqa: E501
'''


class _NoLexer(Lexer):
    # Lark wants a lexer to build its parser; the table needs none.
    def __init__(self, _config: object) -> None:
        pass

    def lex(self, _lexer_state: object, _parser_state: object) -> Iterator[object]:  # type: ignore[override]
        return iter(())


def table_text(grammar: str) -> str:
    """The text of table.py for a grammar."""
    lark = Lark(grammar, parser="lalr", lexer=_NoLexer, start=list(STARTS), keep_all_tokens=True)
    table: IntParseTable = lark.parser.parser._parse_table
    rules = sorted(lark.rules, key=_shape)
    return HEAD + "".join(f"{line}\n" for line in _lines(table, rules))


def _lines(table: IntParseTable, rules: list[Rule]) -> Iterator[str]:
    order = _numbers(table)
    numbers = {state: number for number, state in enumerate(order)}
    rule_numbers = {_shape(rule): number for number, rule in enumerate(rules)}
    yield f"STARTS = { ({start: numbers[table.start_states[start]] for start in STARTS}) }"
    yield "RULES = ("
    for rule in rules:
        yield f"    {(str(rule.origin.name), len(rule.expansion), _builder(rule))},"
    yield ")"
    yield "ACTIONS: tuple[dict[str, int], ...] = ("
    for state in order:
        row = {
            _symbol(symbol): ~rule_numbers[_shape(target)] if action is Reduce else numbers[target]
            for symbol, (action, target) in sorted(table.states[state].items())
        }
        yield f"    {row | ({'END': 0} if state in table.end_states.values() else {})},"
    yield ")"


def _numbers(table: IntParseTable) -> list[int]:
    """The states in an order that depends on the grammar alone; lark's own numbers change from run to run."""
    order = [table.start_states[start] for start in STARTS]
    for state in order:
        for _, (action, target) in sorted(table.states[state].items()):
            if action is not Reduce and target not in order:
                order.append(target)
    return [*order, *(state for state in table.end_states.values() if state not in order)]


def _builder(rule: Rule) -> str:
    if rule.alias is None and len(rule.expansion) != 1:
        raise ValueError(f"a rule of `{rule.origin.name}` needs a builder: {rule}")
    return rule.alias or ""


def _shape(rule: Rule) -> tuple[str, tuple[str, ...]]:
    return (str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion))


def _symbol(name: str) -> str:
    return "END" if name == "$END" else str(name)


def main() -> None:
    """Write table.py beside the grammar."""
    text = table_text((HERE / "train.lark").read_text(encoding="utf-8"))
    (HERE / "table.py").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
