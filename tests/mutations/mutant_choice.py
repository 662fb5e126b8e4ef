# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One source with many mutants, of which the running program selects one (mutant_selection.h).

A mutant changes a part of an expression or a statement. `rendered` replaces the shortest whole expression or statement around that part
by a choice between the changed and the original text. Places that cannot hold a choice (constant expressions, declarations) do not
compile; `refused` finds from the compiler's messages the mutants to leave out.
"""
import dataclasses
import re

import cpp_tokens as lexer
import mutants

ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
LOGIC = {"&&", "||"}
FUNCTIONS = {"==": "equal_to", "!=": "not_equal_to", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
# Operators that can have a comparison as an operand, or be in an operand of a comparison: beside them the whole expression becomes a choice.
BESIDE_COMPARISON = {"&", "|", "^", "<=>", *FUNCTIONS}
HEADS = {"if", "for", "while", "switch", "constexpr"}
PLAIN = {".", "->", "::", "!", "*"}
INT_MAX = 0x7fffffff
HEADER = "mutant_selection.h"


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of a source that is replaced by a choice. Spans are offsets in the source."""
    begin: int
    end: int
    form: str             # value, condition, statement, comparison, word
    mutants: tuple        # (number, mutant); empty for a word
    operator: tuple = ()  # of a comparison: the span of the operator
    word: str = ""        # replacement of a word


class Source:
    def __init__(self, source):
        self.source = source
        self.finder = mutants.Finder(source)
        self.tokens = self.finder.tokens
        self.at_offset = {token.begin: i for i, token in enumerate(self.tokens)}

    def text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def closes_template(self, token):
        return token.text in (">", ">>") and not self.source[token.begin - 1].isspace()

    def opens_template(self, token):
        return token.text == "<" and not self.source[token.begin - 1].isspace()

    def whole(self, at, ends):
        """First and last token of the expression around the token, up to a token of `ends` or the parenthesis around it."""
        first, last = at, self.tokens[at].partner if self.text(at) in lexer.OPENING else at
        depth = 0
        while first > 0:
            token = self.tokens[first - 1]
            if token.text == ")" and self.text(token.partner - 1) in HEADS:
                break
            if token.text in lexer.OPENING.values() and not (token.text == "}" and self.tokens[token.partner].opens != "values"):
                first = token.partner
                continue
            depth += len(token.text) if self.closes_template(token) else 0
            if depth == 0 and (token.text in ends or token.text in lexer.OPENING or token.text == "}"):
                break
            depth -= bool(depth) and self.opens_template(token)
            first -= 1
        depth = 0
        while last + 1 < len(self.tokens):
            token = self.tokens[last + 1]
            depth += self.opens_template(token)
            if depth == 0 and (token.text in ends or token.text in lexer.OPENING.values()):
                break
            if depth and self.closes_template(token):
                depth -= min(depth, len(token.text))
            last = token.partner if token.text in lexer.OPENING else last + 1
        return first, last

    def top(self, first, last):
        """Indices of the tokens of an expression that are not in parentheses."""
        at = first
        while at <= last:
            yield at
            at = self.tokens[at].partner if self.text(at) in lexer.OPENING else at
            at += 1

    def span(self, first, last):
        return self.tokens[first].begin, self.tokens[last].end

    def is_operator(self, i):
        """Whether a sign is an operator and not part of a template or type."""
        return not (self.opens_template(self.tokens[i]) or self.closes_template(self.tokens[i]))

    def constant_words(self, offset):
        """Words "constexpr" of the declarations around an offset, with their replacements, if there is a choice at the offset."""
        at = max(i for i, token in enumerate(self.tokens) if token.begin <= offset)
        instead = "const"
        while at > 0:
            token = self.tokens[at - 1]
            if token.text in lexer.OPENING.values() and not (token.text == "}" and self.tokens[token.partner].opens != "values"):
                at = token.partner
                continue
            at -= 1
            if token.text == "constexpr" and self.text(at - 1) != "if":
                yield Part(token.begin, token.end, "word", (), word=instead)
            if token.text in (";", "}") or (token.text == "{" and token.opens != "values"):
                at = self.outer_brace(at)
                instead = "inline" if at >= 0 and self.tokens[at].opens == "body" else "const"

    def outer_parenthesis(self, at):
        """The parenthesis, bracket or brace that contains the token."""
        at -= 1
        while self.text(at) not in lexer.OPENING:
            at = self.tokens[at].partner - 1 if self.text(at) in lexer.OPENING.values() else at - 1
        return at

    def is_declarator(self, at):
        """Whether the token is a name that a declaration introduces."""
        before = self.tokens[at - 1]
        is_type = before.kind == "name" and before.text not in mutants.KEYWORDS or self.closes_template(before)
        return self.tokens[at].kind == "name" and is_type

    def outer_brace(self, at):
        """The brace of the block that contains the token, or at which it opens; -1 if there is none."""
        if self.text(at) == "{":
            return at
        while at >= 0 and self.text(at) not in lexer.OPENING:
            at = self.tokens[at].partner - 1 if self.text(at) in lexer.OPENING.values() else at - 1
        return at


ENDS = {",", ";", "?", ":", "return", "case", "else", "do", *ASSIGNMENTS}


def part_of(source, number, mutant):
    """The part to replace for a mutant; None if there is none."""
    chosen = ((number, mutant),)
    if mutant.kind == "statement":
        return Part(mutant.begin, mutant.end, "statement", chosen)
    if mutant.kind == "constant":
        return constant_part(source, mutant, chosen)
    if mutant.kind == "arguments":
        return call_part(source, mutant, chosen)
    at = source.at_offset[mutant.begin]
    if mutant.kind == "negation" and mutant.new:
        return Part(mutant.begin, mutant.end, "condition", chosen)
    if mutant.kind == "logic":
        return Part(*source.span(*source.whole(at, ENDS)), "value", chosen)
    first, last = source.whole(at, ENDS | LOGIC)
    span = source.span(first, last)
    if mutant.kind == "negation":
        plain = all(source.tokens[i].kind != "sign" or source.text(i) in PLAIN or source.text(i) in lexer.OPENING or not source.is_operator(i)
                    for i in source.top(first, last))
        return Part(*span, "condition" if plain and first == at else "value", chosen)
    if mutant.kind in ("comparison", "boundary"):
        beside = [i for i in source.top(first, last) if source.text(i) in BESIDE_COMPARISON and source.is_operator(i)]
        if beside == [at]:
            return Part(*span, "comparison", chosen, (mutant.begin, mutant.end))
        return Part(*span, "value", chosen)
    return Part(*span, "value", chosen)


def call_part(source, mutant, chosen):
    """The statement or expression of a call with exchanged arguments; None in a declaration."""
    opening = source.outer_parenthesis(source.at_offset[mutant.begin])
    first, last = source.whole(opening, ENDS | LOGIC)
    if any(source.is_declarator(i) for i in source.top(first, opening)):
        return None
    statements = [(begin, end) for _, begin, end, _ in source.finder.of_statement(first)]
    span = source.span(first, last)
    if statements and statements[0][0] == span[0] and source.text(last + 1) == ";":
        return Part(span[0], source.tokens[last + 1].end, "statement", chosen)
    return Part(*span, "value", chosen)


def constant_part(source, mutant, chosen):
    """A literal as it is, if both literals are of the same type."""
    literal = source.source[mutant.begin:mutant.end]
    if literal in ("true", "false") or "." in literal:
        return Part(mutant.begin, mutant.end, "value", chosen)
    values = [int(re.sub(r"[uUlLzZ']", "", text), 0) if not re.fullmatch(r"0[0-7]+", text) else INT_MAX for text in (literal, mutant.new)]
    return Part(mutant.begin, mutant.end, "value", chosen) if max(values) < INT_MAX else None


def changed_text(source, part, mutant):
    """The part with the mutant, on one line if it has no comments or raw strings."""
    text = source.source[part.begin:mutant.begin] + mutant.new + source.source[mutant.end:part.end]
    return text if "//" in text or 'R"' in text else " ".join(text.split("\n"))


class RenderedSource:
    """The text with choices, and the mutant to which each part of the text belongs."""

    def __init__(self, source, parts):
        self.source = source
        self.pieces, self.size = [], 0
        self.owners = []  # (begin, end, number) in the text, outer parts after inner parts
        self.left_out = []
        self.emit(f'#include "{HEADER}"\n')
        self.render(0, len(source.source), parts)
        self.text = "".join(self.pieces)

    def emit(self, text):
        self.pieces.append(text)
        self.size += len(text)

    def render(self, begin, end, parts):
        at = begin
        parts = sorted(parts, key=lambda p: (p.begin, -p.end, p.form == "comparison", p.mutants[:1] and p.mutants[0][0]))
        while parts:
            outer = parts.pop(0)
            inner = [p for p in parts if p.end <= outer.end]
            parts = [p for p in parts if p.end > outer.end]
            for part in [p for p in parts if p.begin < outer.end]:
                self.left_out += [number for number, _ in part.mutants]
            parts = [p for p in parts if p.begin >= outer.end]
            self.emit(self.source.source[at:outer.begin])
            start = self.size
            getattr(self, f"emit_{outer.form}")(outer, inner)
            self.owners += [(start, self.size, number) for number, _ in outer.mutants]
            at = outer.end
        self.emit(self.source.source[at:end])

    def emit_value(self, part, inner, original="(", changed="("):
        number, mutant = part.mutants[0]
        self.emit(f"(weft_mutants::is_selected({number}) ? {changed}{changed_text(self.source, part, mutant)}) : {original}")
        self.render(part.begin, part.end, inner)
        self.emit("))")

    def emit_condition(self, part, inner):
        self.emit_value(part, inner, "static_cast<bool>(", "static_cast<bool>(")

    def emit_statement(self, part, inner):
        number, mutant = part.mutants[0]
        self.emit(f"if (weft_mutants::is_selected({number})) {changed_text(self.source, part, mutant)} else ")
        self.render(part.begin, part.end, inner)

    def emit_word(self, part, _):
        self.emit(part.word)

    def emit_comparison(self, part, inner):
        begin, end = part.operator
        self.emit(f"weft_mutants::compare<std::{FUNCTIONS[self.source.source[begin:end]]}<>>((")
        self.render(part.begin, begin, [p for p in inner if p.end <= begin])
        self.emit("), (")
        self.render(end, part.end, [p for p in inner if p.begin >= end])
        others = "".join(f", weft_mutants::Other<std::{FUNCTIONS[mutant.new]}<>>{{{number}}}" for number, mutant in part.mutants)
        self.emit(")" + others + ")")


def rendered(source_text, numbered):
    """A RenderedSource of the source with the mutants, given as (number, mutant). `left_out` has the numbers of mutants that are not in the text."""
    source = Source(source_text)
    parts, comparisons, left_out = [], {}, []
    for number, mutant in numbered:
        part = part_of(source, number, mutant)
        if part is None:
            left_out.append(number)
        elif part.form == "comparison":
            comparisons.setdefault((part.begin, part.end, part.operator), []).append((number, mutant))
        else:
            parts.append(part)
    parts += [Part(begin, end, "comparison", tuple(chosen), operator) for (begin, end, operator), chosen in comparisons.items()]
    words = {word for part in parts for word in source.constant_words(part.begin)}
    begins = {}
    for word in words:
        if begins.get(word.begin, word).word == word.word or word.word == "inline":
            begins[word.begin] = word
    result = RenderedSource(source, parts + list(begins.values()))
    result.left_out += left_out
    return result


def refused(result, name, messages):
    """Numbers of the mutants at which the compiler reports errors in the file `name`; none if it reports errors elsewhere only."""
    starts = [0]
    for line in result.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = set()
    for match in re.finditer(r"^" + re.escape(name) + r":(\d+):(\d+):\s+(?:error|  required from|required from|in 'constexpr')", messages, re.M):
        offset = starts[int(match[1]) - 1] + int(match[2]) - 1
        inside = [(end - begin, number) for begin, end, number in result.owners if begin <= offset < end]
        if inside:
            found.update(number for size, number in inside if size == min(inside)[0])
    return found
