# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tokens of a C++ source, without comments and preprocessor lines. A token has a mark if it is in the body of a function."""
import dataclasses
import re

PATTERN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"\w*|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?\d(?:'\w|[eEpP][+-]|[\w.])*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.S | re.M | re.X)
OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass
class Token:
    kind: str  # text, number, name, sign
    text: str
    begin: int
    end: int
    in_body: bool = False  # directly or indirectly in the body of a function
    partner: int = -1      # of a parenthesis, bracket or brace: the index of the matching token
    opens: str = ""        # of a brace: body, type, values


def tokenize(source):
    """The tokens in order. Raises ValueError if parentheses, brackets or braces do not match."""
    tokens = []
    at = 0
    while at < len(source):
        if source[at].isspace() and not (at == 0 or source[at - 1] == "\n"):
            at += 1
            continue
        if source[at] == "\n":
            at += 1
            continue
        found = PATTERN.match(source, at)
        if found is None or (source[at].isspace() and found.lastgroup != "directive"):
            at += 1
            continue
        at = found.end()
        kind = "text" if found["raw"] else found.lastgroup
        if kind not in ("comment", "directive"):
            tokens.append(Token(kind, found[0], found.start(), found.end()))
    match_pairs(tokens)
    return tokens


def match_pairs(tokens):
    stack = []
    for i, token in enumerate(tokens):
        token.in_body = any(tokens[at].opens == "body" for at in stack)
        if token.kind != "sign":
            continue
        if token.text in OPENING:
            if token.text == "{":
                token.opens = what_opens(tokens, i, token.in_body)
            stack.append(i)
        elif token.text in OPENING.values():
            if not stack or OPENING[tokens[stack[-1]].text] != token.text:
                raise ValueError(f"offset {token.begin}: unexpected '{token.text}'")
            token.partner = stack.pop()
            tokens[token.partner].partner = i
    if stack:
        raise ValueError(f"offset {tokens[stack[-1]].begin}: '{tokens[stack[-1]].text}' is not closed")


def what_opens(tokens, brace, in_body):
    """Whether the brace opens a body of statements, a namespace or type, or values."""
    before = tokens[brace - 1] if brace else None
    if before is None:
        return "body" if in_body else "type"
    if before.text in (";", "{", "}", ":"):
        # After a brace: a nested block, or the body of a constructor whose last member has an initializer in braces.
        return "body" if in_body or before.text == "}" else "type"
    if before.text in (")", "else", "do", "try", "const", "noexcept", "mutable", "override", "final"):
        return "body"
    if before.text == "]":
        return "body"  # a lambda expression without parameters
    head = brace - 1
    while head >= 0 and tokens[head].text not in (";", "{", "}", "(", ")", "=", "return"):
        if tokens[head].text in ("struct", "class", "union", "enum", "namespace"):
            return "type"
        if tokens[head].text == "->":
            return "body"
        head -= 1
    return "type" if before.text == "extern" or before.kind == "text" else "values"
