# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Mechanical mutants of C++ sources: the places where a source can be changed, and the changes.

The sources are formatted by clang-format: a comparison has white space on both sides, the bracket of a template has no white space.
"""
import dataclasses
import difflib
import pathlib
import re

import cpp_tokens as lexer

KINDS = ("comparison", "boundary", "logic", "negation", "statement", "constant", "arguments")

COMPARISONS = {"==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = {"&&": "||", "||": "&&"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# A log line, and a check of an invariant that no input breaks.
EXCLUDED_CALLS = {"CHECK", "static_assert", "assert"}
LOGGERS = {"log", "spdlog"}
# The removal of these calls changes only time or memory.
TUNING = {"reserve", "shrink_to_fit"}
SYMMETRIC = {"max", "min", "swap"}
KEYWORDS = {"if", "for", "while", "switch", "case", "default", "do", "else", "using", "typedef", "static", "const", "constexpr", "auto",
            "struct", "class", "enum", "union", "goto", "throw", "try", "catch", "namespace", "template", "friend", "public", "private",
            "protected", "return", "delete", "new", "sizeof", "alignof", "decltype", "noexcept", "requires", "operator", "inline",
            "static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "typename", "explicit", "virtual", "extern", "mutable"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    kind: str
    begin: int
    end: int
    new: str
    line: int
    before: str   # the changed lines, white space collapsed
    after: str
    ordinal: int = 1  # among the same changes of the same lines in the file

    @property
    def key(self):
        """Identifies the change independently of the line number."""
        return (self.file, self.before, self.after, self.ordinal)

    def apply(self, source):
        return source[:self.begin] + self.new + source[self.end:]

    def diff(self, source):
        lines = difflib.unified_diff(source.splitlines(), self.apply(source).splitlines(), self.file, self.file, n=2, lineterm="")
        return "\n".join(lines)


def collapsed(text):
    return " ".join(text.split())


class Finder:
    """Yields the mutants of one source as (kind, begin, end, new)."""

    def __init__(self, source):
        self.source = source
        self.tokens = lexer.tokenize(source)
        self.excluded = self.excluded_tokens()

    def text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def excluded_tokens(self):
        """Indices of the tokens of log lines and checks of invariants."""
        excluded = set()
        for i, token in enumerate(self.tokens):
            if token.text != "(" or self.tokens[i - 1].kind != "name":
                continue
            logger = self.text(i - 2) == "::" and self.text(i - 3) in LOGGERS
            if logger or self.text(i - 1) in EXCLUDED_CALLS:
                excluded.update(range(i - (3 if logger else 1), token.partner + 1))
        return excluded

    def found(self):
        for i, token in enumerate(self.tokens):
            if i in self.excluded:
                continue
            if token.kind == "sign":
                yield from self.of_sign(i, token)
            elif token.kind == "number" or token.text in ("true", "false"):
                yield from self.of_constant(token)
            elif token.text in ("if", "while"):
                yield from self.of_condition(i)
            if token.in_body and token.kind in ("name", "sign"):
                yield from self.of_statement(i)

    def is_spaced(self, token):
        return self.source[token.begin - 1].isspace() and self.source[token.end:token.end + 1].isspace()

    def of_sign(self, i, token):
        span = (token.begin, token.end)
        if self.text(i - 1) != "operator" and self.is_spaced(token):
            if token.text in COMPARISONS:
                yield ("comparison", *span, COMPARISONS[token.text])
            if token.text in BOUNDARIES:
                yield ("boundary", *span, BOUNDARIES[token.text])
            if token.text in LOGIC:
                yield ("logic", *span, LOGIC[token.text])
        if token.text == "!" and self.text(i - 1) != "operator":
            yield ("negation", *span, "")
        if token.text == "(" and token.in_body:
            yield from self.of_arguments(i)

    def of_constant(self, token):
        if token.text in ("true", "false"):
            yield ("constant", token.begin, token.end, "false" if token.text == "true" else "true")
            return
        number = re.fullmatch(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)([uUlLzZ]*)", token.text)
        if not number:
            real = re.fullmatch(r"(\d*\.\d+|\d+\.)([fFlL]?)", token.text)
            if real:
                yield ("constant", token.begin, token.end, f"{float(real[1]) + 1}{real[2]}")
            return
        digits = number[1].replace("'", "")
        value = int(digits, 8 if re.fullmatch(r"0[0-7]+", digits) else 0)
        for other in (value + 1, value - 1):
            if other >= 0:
                text = f"0x{other:x}" if digits[:2].lower() == "0x" else str(other)
                yield ("constant", token.begin, token.end, text + number[2])

    def of_condition(self, i):
        if self.text(i + 1) != "(":
            return
        end = self.tokens[i + 1].partner
        begin = i + 2
        for at in self.at_top(i + 1):
            if self.text(at) == ";":
                begin = at + 1
        if any(self.text(at) == "=" and at > begin for at in self.at_top(i + 1)):
            return  # a declaration
        # The removal of its "!" already negates a simple condition.
        is_negation = self.text(begin) == "!" and not any(self.text(at) in LOGIC for at in self.at_top(i + 1))
        if begin < end and not is_negation:
            span = (self.tokens[begin].begin, self.tokens[end].begin)
            yield ("negation", *span, f"!({self.source[span[0]:span[1]]})")

    def begins_statement(self, i):
        before = self.text(i - 1)
        if before == "{":
            return self.tokens[i - 1].opens == "body"
        if before == "}":
            return self.tokens[self.tokens[i - 1].partner].opens in ("body", "type")
        if before == ")":
            head = self.tokens[i - 1].partner
            word = self.text(head - 2) if self.text(head - 1) == "constexpr" else self.text(head - 1)
            return word in ("if", "for", "while", "switch")
        return before in (";", "else", "do") or (before == ":" and self.is_after_label(i - 1))

    def is_after_label(self, colon):
        at = colon - 1
        while at >= 0 and self.text(at) not in (";", "{", "}", "?", ")", "("):
            if self.text(at) in ("case", "default"):
                return True
            at -= 1
        return False

    def in_parentheses(self, i):
        """Whether the innermost parenthesis around the token is that of a for loop or a call, not a brace of a body."""
        depth = 0
        for at in range(i - 1, -1, -1):
            if self.text(at) in lexer.OPENING.values():
                depth += 1
            elif self.text(at) in lexer.OPENING:
                depth -= 1
                if depth < 0:
                    return self.text(at) != "{"
        return False

    def of_statement(self, i):
        if not self.begins_statement(i) or self.in_parentheses(i):
            return
        first = self.text(i)
        if first in ("return", "break", "continue") and self.text(i + 1) == ";":
            yield ("statement", self.tokens[i].begin, self.tokens[i + 1].end, ";")
            return
        if first in KEYWORDS or first in (";", "}", "{", "[", ")") or i in self.excluded:
            return
        end = self.end_of_expression(i)
        if end is not None:
            yield ("statement", self.tokens[i].begin, self.tokens[end].end, ";")

    def end_of_expression(self, i):
        """The semicolon of the expression statement that begins at i; None if it is something else."""
        at = i
        assigned = acts = False
        while self.text(at) != ";":
            token = self.tokens[at]
            if token.text in ASSIGNMENTS:
                assigned = True
            if not assigned:
                if token.text == "{" or (token.kind == "name" and at > i and self.is_declarator(i, at)):
                    return None
                if token.text == "(" and self.text(at - 1) in TUNING and "," not in map(self.text, self.at_top(at)):
                    return None
            acts = acts or token.text in ("++", "--", "<<") or (token.text == "(" and at > i)
            if token.text in lexer.OPENING:
                at = token.partner
            elif token.text in lexer.OPENING.values():
                return None
            at += 1
            if at >= len(self.tokens):
                return None
        is_void = self.source[self.tokens[i].begin:self.tokens[at].end].startswith(("static_cast<void>", "(void)"))
        return at if (assigned or acts) and not is_void else None

    def is_declarator(self, first, at):
        before = self.tokens[at - 1]
        return before.kind == "name" or (before.text in (">", "*", "&", "&&") and at - 1 > first)

    def of_arguments(self, opening):
        name = self.tokens[opening - 1]
        if name.kind != "name" or name.text in KEYWORDS or name.text in SYMMETRIC:
            return
        if any(self.text(at) == ";" for at in self.at_top(opening)):
            return
        ends = [opening, *(at for at in self.at_top(opening) if self.text(at) == ","), self.tokens[opening].partner]
        parts = [(self.tokens[a + 1].begin, self.tokens[b - 1].end) for a, b in zip(ends, ends[1:]) if b > a + 1]
        for (a, b), (c, d) in zip(parts, parts[1:]):
            if self.source[a:b] != self.source[c:d]:
                yield ("arguments", a, d, self.source[c:d] + self.source[b:c] + self.source[a:b])

    def at_top(self, opening):
        """Indices of the tokens directly between the parentheses, not those of template arguments."""
        at, angles = opening + 1, 0
        while at < self.tokens[opening].partner:
            token = self.tokens[at]
            if token.text == "<" and not self.source[token.begin - 1].isspace():
                angles += 1
            elif token.text in (">", ">>") and angles:
                angles -= len(token.text)
            elif not angles:
                yield at
            at = token.partner + 1 if token.text in lexer.OPENING else at + 1


def mutants_of(file, source):
    """All mutants of a source, in order."""
    seen = {}
    found = []
    for kind, begin, end, new in sorted(Finder(source).found(), key=lambda m: (m[1], m[2], KINDS.index(m[0]), m[3])):
        first = source.rfind("\n", 0, begin) + 1
        last = source.find("\n", end)
        last = len(source) if last < 0 else last
        before = collapsed(source[first:last])
        after = collapsed(source[first:begin] + new + source[end:last])
        if before == after:
            continue
        ordinal = seen[before, after] = seen.get((before, after), 0) + 1
        found.append(Mutant(file, kind, begin, end, new, source.count("\n", 0, begin) + 1, before, after, ordinal))
    return found


def sources_of(root, layer="", pattern="*"):
    """Paths below `root` of the sources of a layer, or of all layers."""
    folder = pathlib.Path(root) / "src" / layer
    if not folder.is_dir():
        raise FileNotFoundError(f"no layer '{layer}': {folder} is no folder")
    files = (path for path in folder.rglob("*") if path.suffix in (".h", ".cpp"))
    names = sorted(str(path.relative_to(root)) for path in files)
    return [name for name in names if pathlib.PurePath(name).match(pattern)]


class BadList(Exception):
    """The list of equivalent mutants breaks its format, or an entry is not a mutant of the sources."""


def equivalents(text, name):
    """Key -> reason, of the list of equivalent mutants. Each entry:

    src/verify/a.cpp
      if (a < b) {
      => if (a <= b) {
      because a never equals b

    A second change of the same lines in the file has "src/verify/a.cpp #2".
    """
    found = {}
    entry = []
    for number, line in [*enumerate(text.splitlines(), 1), (0, "")]:
        if line.startswith("#"):
            continue
        if line.strip():
            entry.append(line)
            continue
        if not entry:
            continue
        place = f"{name}:{number - len(entry)}" if number else f"{name}: last entry"
        if len(entry) < 4 or not entry[2].startswith("  =>") or not all(part.startswith("  ") for part in entry[1:]):
            raise BadList(f"{place}: expected a file, the lines, '=> ' the changed lines, and the reason; found '{entry[0]}'")
        file, _, ordinal = entry[0].partition(" #")
        key = (file.strip(), collapsed(entry[1]), collapsed(entry[2].strip()[2:]), int(ordinal or 1))
        if key in found:
            raise BadList(f"{place}: a second entry for the same mutant")
        found[key] = collapsed(" ".join(entry[3:]))
        entry = []
    return found


def entry_of(mutant, reason):
    """The entry of the list for a mutant."""
    place = mutant.file + (f" #{mutant.ordinal}" if mutant.ordinal > 1 else "")
    return f"{place}\n  {mutant.before}\n  => {mutant.after}".rstrip() + f"\n  {reason}\n"


def stale_entries(root, listed):
    """Messages about entries that are no mutants of the sources."""
    messages = []
    for file in sorted({key[0] for key in listed}):
        path = pathlib.Path(root) / file
        keys = {mutant.key for mutant in mutants_of(file, path.read_text())} if path.is_file() else set()
        messages += [f"{file}: no such change: {key[1]} => {key[2]}" for key in listed if key[0] == file and key not in keys]
    return messages
