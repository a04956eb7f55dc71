// Newlines, brackets, numbers, strings and comments of `.train`, as dsl/lexer.py cuts them.
//
// The state is the stack of open brackets, strings and interpolations: it decides whether a newline ends an entry.

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"
#include "units.h"

#include <string.h>

enum Token {
    NEWLINE,
    FREE_NEWLINE,
    LBRACE,
    RBRACE,
    LBRACK,
    RBRACK,
    LPAREN,
    RPAREN,
    DIGITS,
    UNIT,
    QUOTE,
    TEXT,
    ESCAPE,
    INTERPOLATION,
    INTERPOLATION_END,
    END_QUOTE,
    COMMENT,
    FAULT,
};

// What the stack holds: the bracket's own character, or one of these.
enum { STRING = '"', LINES = 'L', HOLE = 'H', ONE_LINE_HOLE = 'O' };

// MAX_BRACKETS of dsl/tokens.py bounds brackets and interpolations; each interpolation stands in one string.
#define MAX_BRACKETS 64
#define MAX_FRAMES (2 * MAX_BRACKETS + 1)
// Longer than any unit but an absurd compound duration.
#define MAX_WORD 64

typedef struct {
    // Whether digits came just before: a unit stands on their line, with nothing but blanks between.
    bool after_digits;
    uint8_t size;
    char frames[MAX_FRAMES];
} Scanner;

void *tree_sitter_train_external_scanner_create(void) {
    return ts_calloc(1, sizeof(Scanner));
}

void tree_sitter_train_external_scanner_destroy(void *payload) {
    ts_free(payload);
}

unsigned tree_sitter_train_external_scanner_serialize(void *payload, char *buffer) {
    Scanner *scanner = payload;
    buffer[0] = (char)scanner->after_digits;
    memcpy(buffer + 1, scanner->frames, scanner->size);
    return scanner->size + 1u;
}

void tree_sitter_train_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    Scanner *scanner = payload;
    scanner->after_digits = length > 0 && buffer[0] != 0;
    scanner->size = (uint8_t)(length > 0 ? length - 1 : 0);
    if (scanner->size > 0) memcpy(scanner->frames, buffer + 1, scanner->size);
}

static char innermost(const Scanner *scanner) {
    return scanner->size > 0 ? scanner->frames[scanner->size - 1] : 0;
}

static bool has_room(const Scanner *scanner) {
    unsigned brackets = 0;
    for (unsigned index = 0; index < scanner->size; index++) {
        if (scanner->frames[index] != STRING && scanner->frames[index] != LINES) brackets++;
    }
    return brackets < MAX_BRACKETS;
}

static void push(Scanner *scanner, char frame) {
    if (scanner->size < MAX_FRAMES) scanner->frames[scanner->size++] = frame;
}

static void pop(Scanner *scanner) {
    if (scanner->size > 0) scanner->size--;
}

static bool in_one_line(const Scanner *scanner) {
    return memchr(scanner->frames, ONE_LINE_HOLE, scanner->size) != NULL;
}

static bool found(TSLexer *lexer, enum Token token) {
    lexer->result_symbol = (TSSymbol)token;
    return true;
}

// A token that no rule has: the parser must not read on as if nothing had been there.
static bool fault(TSLexer *lexer) {
    lexer->mark_end(lexer);
    return found(lexer, FAULT);
}

static void advance(TSLexer *lexer) {
    lexer->advance(lexer, false);
}

static bool is_blank(int32_t character) {
    return character == ' ' || character == '\t';
}

static bool is_digit(int32_t character) {
    return character >= '0' && character <= '9';
}

static bool is_letter(int32_t character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static bool is_word(int32_t character) {
    return is_letter(character) || is_digit(character) || character == '_';
}

// Numbers

static void advance_digits(TSLexer *lexer) {
    while (is_digit(lexer->lookahead) || lexer->lookahead == '_') advance(lexer);
}

static bool scan_digits(TSLexer *lexer) {
    advance_digits(lexer);
    lexer->mark_end(lexer);
    if (lexer->lookahead == '.') {
        advance(lexer);
        if (!is_digit(lexer->lookahead)) return found(lexer, DIGITS);
        advance_digits(lexer);
        lexer->mark_end(lexer);
    }
    if (lexer->lookahead == 'e' || lexer->lookahead == 'E') {
        advance(lexer);
        if (lexer->lookahead == '+' || lexer->lookahead == '-') advance(lexer);
        if (!is_digit(lexer->lookahead)) return found(lexer, DIGITS);
        while (is_digit(lexer->lookahead)) advance(lexer);
        lexer->mark_end(lexer);
    }
    return found(lexer, DIGITS);
}

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words != NULL; words++) {
        if (strcmp(word, *words) == 0) return true;
    }
    return false;
}

// Reads the word at hand; false where it is too long to be a unit.
static bool read_word(TSLexer *lexer, char *word, unsigned length) {
    bool fits = true;
    while (is_word(lexer->lookahead)) {
        fits = fits && length < MAX_WORD - 1;
        if (fits) word[length++] = (char)lexer->lookahead;
        advance(lexer);
    }
    word[length] = 0;
    return fits;
}

// The length of the duration unit at the start of a text: the longest, so that `min` is not `m`.
static size_t duration_at(const char *text) {
    size_t best = 0;
    for (const char *const *unit = DURATIONS; *unit != NULL; unit++) {
        size_t length = strlen(*unit);
        if (length > best && strncmp(text, *unit, length) == 0) best = length;
    }
    return best;
}

// `h30min`, after the 2 of `2h30min`.
static bool is_compound(const char *word) {
    size_t length = duration_at(word);
    if (length == 0 || word[length] == 0) return false;
    while (length > 0) {
        word += length;
        if (*word == 0) return true;
        if (!is_digit(*word)) return false;
        while (is_digit(*word)) word++;
        length = duration_at(word);
    }
    return false;
}

// A unit after blanks or none; `blanks` are skipped already.
static bool scan_unit_word(TSLexer *lexer) {
    char word[MAX_WORD];
    if (!read_word(lexer, word, 0)) return false;
    lexer->mark_end(lexer);
    bool is_unit = is_one_of(word, UNITS) || is_compound(word);
    char after[MAX_WORD];
    if (lexer->lookahead == '/') {
        size_t length = strlen(word);
        if (length >= MAX_WORD - 2) return false;
        memcpy(after, word, length);
        after[length] = '/';
        advance(lexer);
        if (read_word(lexer, after, (unsigned)length + 1) && is_one_of(after, UNITS)) {
            lexer->mark_end(lexer);
            is_unit = true;
        }
    } else if (is_one_of(word, MULTIPLIERS) && is_blank(lexer->lookahead)) {
        while (is_blank(lexer->lookahead)) advance(lexer);
        if (is_letter(lexer->lookahead) && read_word(lexer, after, 0) && is_one_of(after, EXTENTS)) lexer->mark_end(lexer);
    }
    return is_unit && found(lexer, UNIT);
}

// Strings

static bool scan_quote(Scanner *scanner, TSLexer *lexer) {
    advance(lexer);
    lexer->mark_end(lexer);
    if (lexer->lookahead == '"') {
        advance(lexer);
        if (lexer->lookahead == '"') {
            advance(lexer);
            lexer->mark_end(lexer);
            push(scanner, LINES);
            return found(lexer, QUOTE);
        }
    }
    push(scanner, STRING);
    return found(lexer, QUOTE);
}

// After the backslash and the `u`.
static bool scan_code_point(TSLexer *lexer) {
    advance(lexer);
    if (lexer->lookahead != '{') return false;
    advance(lexer);
    unsigned point = 0, count = 0;
    for (; count < 7 && lexer->lookahead != '}'; count++) {
        int32_t digit = lexer->lookahead;
        if (is_digit(digit)) point = point * 16 + (unsigned)(digit - '0');
        else if (digit >= 'a' && digit <= 'f') point = point * 16 + (unsigned)(digit - 'a' + 10);
        else if (digit >= 'A' && digit <= 'F') point = point * 16 + (unsigned)(digit - 'A' + 10);
        else return false;
        advance(lexer);
    }
    if (count == 0 || count > 6 || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return false;
    advance(lexer);
    return true;
}

static bool scan_escape(TSLexer *lexer) {
    advance(lexer);
    switch (lexer->lookahead) {
        case 'n':
        case 't':
        case '"':
        case '\\':
            advance(lexer);
            break;
        case 'u':
            if (!scan_code_point(lexer)) return fault(lexer);
            break;
        default:
            return fault(lexer);
    }
    lexer->mark_end(lexer);
    return found(lexer, ESCAPE);
}

// The closing quotes, or false where the quotes at hand are text.
static bool scan_end_quote(Scanner *scanner, TSLexer *lexer, unsigned wanted) {
    for (unsigned count = 0; count < wanted; count++) {
        if (lexer->lookahead != '"') return false;
        advance(lexer);
    }
    pop(scanner);
    lexer->mark_end(lexer);
    return found(lexer, END_QUOTE);
}

static bool scan_interpolation(Scanner *scanner, TSLexer *lexer) {
    advance(lexer);
    lexer->mark_end(lexer);
    if (!has_room(scanner)) return fault(lexer);
    push(scanner, innermost(scanner) == STRING ? ONE_LINE_HOLE : HOLE);
    return found(lexer, INTERPOLATION);
}

static bool scan_in_string(Scanner *scanner, TSLexer *lexer) {
    bool one_line = innermost(scanner) == STRING;
    bool any = false;
    for (;;) {
        lexer->mark_end(lexer);
        if (lexer->eof(lexer) || (one_line && lexer->lookahead == '\n')) {
            return any ? found(lexer, TEXT) : false;
        }
        if (lexer->lookahead == '\\') return any ? found(lexer, TEXT) : scan_escape(lexer);
        if (lexer->lookahead == '"') {
            if (!any && scan_end_quote(scanner, lexer, one_line ? 1 : 3)) return true;
            if (one_line) return found(lexer, TEXT);
            if (!any) {
                // One or two quotes that do not close: they were read while looking for three.
                any = true;
                continue;
            }
            advance(lexer);
            if (lexer->lookahead != '"') continue;
            advance(lexer);
            if (lexer->lookahead != '"') continue;
            return found(lexer, TEXT);
        }
        if (lexer->lookahead == '$') {
            advance(lexer);
            if (lexer->lookahead != '{') {
                any = true;
                continue;
            }
            return any ? found(lexer, TEXT) : scan_interpolation(scanner, lexer);
        }
        advance(lexer);
        any = true;
    }
}

// Brackets and newlines

static bool scan_newline(const Scanner *scanner, TSLexer *lexer) {
    if (in_one_line(scanner)) return false;
    char inside = innermost(scanner);
    advance(lexer);
    lexer->mark_end(lexer);
    return found(lexer, inside == 0 || inside == '{' ? NEWLINE : FREE_NEWLINE);
}

static bool scan_comment(TSLexer *lexer) {
    while (!lexer->eof(lexer) && lexer->lookahead != '\n') advance(lexer);
    lexer->mark_end(lexer);
    return found(lexer, COMMENT);
}

static bool open(Scanner *scanner, TSLexer *lexer, char bracket, enum Token token) {
    // Not `false`: the parser would then cut the bracket out by itself.
    advance(lexer);
    if (!has_room(scanner)) return fault(lexer);
    push(scanner, bracket);
    lexer->mark_end(lexer);
    return found(lexer, token);
}

static bool close(Scanner *scanner, TSLexer *lexer, char opener, enum Token token) {
    char inside = innermost(scanner);
    advance(lexer);
    if (opener == '{' && (inside == HOLE || inside == ONE_LINE_HOLE)) token = INTERPOLATION_END;
    else if (inside != opener) return fault(lexer);
    pop(scanner);
    lexer->mark_end(lexer);
    return found(lexer, token);
}

bool tree_sitter_train_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    Scanner *scanner = payload;
    char inside = innermost(scanner);
    // In error recovery every token is valid, also those that the grammar never has.
    bool recovering = valid[FAULT];
    if (inside == STRING || inside == LINES) {
        if (recovering && lexer->lookahead == '\n' && inside == STRING) pop(scanner);
        else return scan_in_string(scanner, lexer);
    }
    bool may_be_unit = scanner->after_digits && valid[UNIT] && !recovering;
    bool glued = may_be_unit;
    scanner->after_digits = false;
    if (glued && lexer->lookahead == '%') {
        advance(lexer);
        lexer->mark_end(lexer);
        return found(lexer, UNIT);
    }
    while (is_blank(lexer->lookahead) || lexer->lookahead == '\r') {
        glued = false;
        lexer->advance(lexer, true);
    }
    if (may_be_unit && (is_letter(lexer->lookahead) || (glued && lexer->lookahead == '_'))) {
        if (scan_unit_word(lexer)) return true;
        // A word that is glued to a number and no unit of it.
        return glued && fault(lexer);
    }
    if (is_digit(lexer->lookahead)) {
        scanner->after_digits = true;
        return scan_digits(lexer);
    }
    switch (lexer->lookahead) {
        case '\n':
            return scan_newline(scanner, lexer);
        case '{':
            return open(scanner, lexer, '{', LBRACE);
        case '[':
            return open(scanner, lexer, '[', LBRACK);
        case '(':
            return open(scanner, lexer, '(', LPAREN);
        case '}':
            return close(scanner, lexer, '{', RBRACE);
        case ']':
            return close(scanner, lexer, '[', RBRACK);
        case ')':
            return close(scanner, lexer, '(', RPAREN);
        case '"':
            return scan_quote(scanner, lexer);
        case '#':
            return scan_comment(lexer);
        default:
            return false;
    }
}
