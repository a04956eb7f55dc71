// The grammar of `.train` files for tree-sitter; the compiler's own is dsl/train.lark, and the names of the levels are its names.
// Newlines, brackets, numbers, strings and comments come from src/scanner.c: whether a newline ends an entry depends on the innermost bracket.
/// <reference types="tree-sitter-cli/dsl" />

const ITEM_WORDS = ['import', 'param', 'let', 'assert', 'as'];
const EXPRESSION_WORDS = ['if', 'then', 'else', 'and', 'or', 'not', 'in', 'true', 'false'];

// Words that start an item stay usable as names; words of expressions only where no expression can stand.
const softName = ($) => choice($.identifier, ...ITEM_WORDS.map((word) => alias(word, $.identifier)));
const anyName = ($) => choice(softName($), ...EXPRESSION_WORDS.map((word) => alias(word, $.identifier)));

const binary = (left, operator, right) => seq(field('left', left), field('operator', operator), field('right', right));
const commaList = (item) => seq(item, repeat(seq(',', item)), optional(','));

module.exports = grammar({
  name: 'train',

  externals: ($) => [
    $._newline, // ends an entry or an item
    $._free_newline, // inside `[]`, `()` and `${}`, where it means nothing
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    $.digits,
    $.unit,
    $._quote,
    $._text,
    $.escape,
    '${',
    $._interpolation_end,
    $._end_quote,
    $.comment,
    $._fault, // never part of a tree: what the compiler's lexer refuses
  ],

  extras: ($) => [/[ \t\r]/, $.comment, $._free_newline],

  word: ($) => $.identifier,

  reserved: { global: () => [...ITEM_WORDS, ...EXPRESSION_WORDS] },

  rules: {
    file: ($) => seq(repeat($._newline), optional(seq($._item, repeat(seq($._separator, $._item)), optional($._separator)))),

    _separator: ($) => choice($._newline, seq($._separator, $._newline)),

    _item: ($) => choice($.import, $.param, $.let, $.declaration, $.assertion),

    import: ($) =>
      seq(
        'import',
        choice(field('module', $.import_path), field('file', alias($._plain_string, $.string))),
        optional(seq('as', field('alias', softName($)))),
      ),

    import_path: ($) => seq(softName($), repeat(seq('.', anyName($)))),

    param: ($) =>
      seq('param', field('name', softName($)), ':', field('type', $.param_type), optional(seq('=', field('default', $._expression)))),

    param_type: ($) => choice(softName($), seq('[', softName($), ']')),

    let: ($) => seq('let', field('name', softName($)), '=', field('value', $._expression)),

    declaration: ($) =>
      seq(
        field('kind', $.identifier),
        field('name', softName($)),
        choice(field('block', $.block), seq('=', field('base', $._expression))),
      ),

    assertion: ($) => seq('assert', field('condition', $._expression), optional(seq('else', field('reason', $.string)))),

    block: ($) => seq('{', repeat($._newline), optional($._entries), '}'),

    _entries: ($) => seq($._entry, repeat(seq($._entry_end, $._entry)), optional($._entry_end)),

    // After a comma newlines mean nothing; after a newline no comma can stand.
    _entry_end: ($) => choice($._newline, ',', seq($._entry_end, $._newline)),

    _entry: ($) => choice($.field, $.assertion),

    field: ($) =>
      seq(field('name', anyName($)), choice(field('block', $.block), seq('=', field('value', $._expression)))),

    // Lowest precedence first; each level is a rule of its own because comparisons do not chain.

    _expression: ($) => choice($._disjunction, $.conditional),

    conditional: ($) =>
      seq(
        'if',
        field('condition', $._expression),
        'then',
        field('consequence', $._expression),
        'else',
        field('alternative', $._expression),
      ),

    _disjunction: ($) => choice($._conjunction, alias($._or, $.binary)),
    _or: ($) => binary($._disjunction, 'or', $._conjunction),

    _conjunction: ($) => choice($._negation, alias($._and, $.binary)),
    _and: ($) => binary($._conjunction, 'and', $._negation),

    _negation: ($) => choice($._comparison, alias($._not, $.unary)),
    _not: ($) => seq(field('operator', 'not'), field('operand', $._negation)),

    _comparison: ($) => choice($._total, alias($._compare, $.binary)),
    _compare: ($) => binary($._total, choice('==', '!=', '<', '<=', '>', '>=', 'in', $.not_in), $._total),
    not_in: () => seq('not', 'in'),

    _total: ($) => choice($._product, alias($._sum, $.binary)),
    _sum: ($) => binary($._total, choice('+', '-'), $._product),

    _product: ($) => choice($._signed, alias($._times, $.binary)),
    _times: ($) => binary($._product, choice('*', '/', '//', '%'), $._signed),

    _signed: ($) => choice($._postfix, alias($._minus, $.unary)),
    _minus: ($) => seq(field('operator', '-'), field('operand', $._signed)),

    _postfix: ($) => choice($._atom, $.member, $.index, $.amend),

    member: ($) => seq(field('base', $._postfix), '.', field('name', anyName($))),

    index: ($) => seq(field('base', $._postfix), '[', field('position', $._expression), ']'),

    amend: ($) => seq(field('base', $._postfix), field('block', $.block)),

    _atom: ($) => choice($.number, $.string, $.boolean, $.reference, $.call, $.parenthesised, $.list),

    number: ($) => seq($.digits, optional($.unit)),

    boolean: () => choice('true', 'false'),

    reference: ($) => softName($),

    call: ($) => seq(field('function', softName($)), '(', optional(commaList($._expression)), ')'),

    parenthesised: ($) => seq('(', $._expression, ')'),

    list: ($) => seq('[', optional(commaList($._expression)), ']'),

    string: ($) => seq($._quote, repeat(choice($._text, $.escape, $.interpolation)), $._end_quote),

    _plain_string: ($) => seq($._quote, repeat(choice($._text, $.escape)), $._end_quote),

    interpolation: ($) => seq('${', $._expression, alias($._interpolation_end, '}')),

    identifier: () => /[A-Za-z_][A-Za-z0-9_]*/,
  },
});
