#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks the sizes of functions, classes and folders of src/.

Reports each function definition of more than 70 lines, each class of more than 25 private member functions, and each folder with
more than 40 files directly in it, as "FILE:LINE: name: found N, at most M". EXCEPTIONS are objects above a limit that are still to be divided; an
exception that is no longer needed is reported too.

check_functions.py ROOT
"""
import pathlib
import re
import sys

LINES_MAX = 70
PRIVATE_MAX = 25
FILES_MAX = 40

# Entries have the form "file: name", or are names of folders.
EXCEPTIONS = set()

# Comments, raw strings, strings, character literals (but no digit separators), and preprocessor lines.
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
    re.S | re.M)
ATTRIBUTE = re.compile(r"\[\[.*?\]\]", re.S)
TYPE_HEAD = re.compile(r"\b(class|struct|union)\s+(?:\w+::)*(\w+)\s*(?:final\s*)?(?:<.*>\s*)?(?::(?!:).*)?$", re.S)
CONSTRUCTOR_INITIALIZER = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:).*[\w>]\s*$", re.S)
ACCESS = re.compile(r"\b(public|protected|private)\s*:(?!:)")


def without_noise(text):
    """The text without comments, strings and preprocessor lines; line numbers do not change."""
    return NOISE.sub(lambda found: "\n" * found[0].count("\n") if found[0][0] in "/#" or found[0].strip().startswith("#")
                     else "0" + "\n" * found[0].count("\n"), text)


def without_template_arguments(text):
    """The text without the parts between < and >."""
    text = re.sub(r"operator\s*(?:<=>|<<|>>|<=|>=|<|>|->)", "operator ", text).replace("->", "  ")
    while True:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            return text
        text = shorter


def function_name(head):
    """The name if `head`, the text before a body or a semicolon, declares a function; otherwise None."""
    head = re.sub(r"^\s*template\s*", "", without_template_arguments(ATTRIBUTE.sub("", head)))
    head = re.sub(r"\b(?:alignas|decltype|noexcept|requires|explicit)\s*\([^()]*\)", "", head).strip()
    if re.match(r"(?:using|typedef|friend|static_assert|namespace|enum|return|extern\s+0)\b", head):
        return None
    found = re.match(r"[^(=]*?((?:[\w~]+\s*::\s*)*(?:operator\s*(?:\(\s*\)|[^\s\w(]*|[\w:&* ]+)|~?\w+))\s*\(", head)
    return re.sub(r"\s", "", found[1]) if found else None


class Scope:
    def __init__(self, kind, name, line, access=None):
        self.kind, self.name, self.line, self.access = kind, name, line, access
        self.private = 0


def scope_of(head, line, outer):
    """The scope that opens after `head`: a namespace, a type, a function, or a block. Blocks are in functions or are initializers."""
    if outer and outer[-1].kind in ("function", "block"):
        return Scope("block", "", line)
    if re.search(r"\bnamespace\b[\w:\s]*$", head) or re.search(r"\bextern\s+0\s*$", head):
        return Scope("namespace", "", line)
    if re.search(r"\benum\b", head) and "(" not in head:
        return Scope("block", "", line)
    plain = without_template_arguments(ATTRIBUTE.sub("", head)).strip()
    if "(" not in plain.replace("alignas(", "") and (kind := TYPE_HEAD.search(plain)):
        return Scope("type", kind[2], line, "private" if kind[1] == "class" else "public")
    name = None if CONSTRUCTOR_INITIALIZER.search(head.replace("->", "  ")) else function_name(head)
    return Scope("function", name, line) if name else Scope("block", "", line)


def measure(text):
    """Yields (kind, name, line, count) of each function and each type. `count` is the number of lines of a function, or the number of private
    member functions of a type."""
    text = without_noise(text)
    scopes = []
    head, head_line, line, parentheses = "", 0, 1, 0
    for character in text:
        if character == "\n":
            line += 1
        if not head.strip():
            head, head_line = "", line
        at_declarations = not scopes or scopes[-1].kind in ("namespace", "type")
        if character == "(":
            parentheses += 1
        elif character == ")":
            parentheses -= 1
        if at_declarations and parentheses == 0:
            if character == ":" and scopes and scopes[-1].kind == "type" and ACCESS.fullmatch(head.strip() + ":"):
                scopes[-1].access, head = head.strip(), ""
                continue
            if character == ";":
                if scopes and scopes[-1].access == "private" and function_name(head):
                    scopes[-1].private += 1
                head = ""
                continue
        if character == "{":
            scope = scope_of(head, head_line, scopes)
            scope.head, scope.parentheses = head, parentheses
            scopes.append(scope)
            parentheses, head = 0, ""
        elif character == "}":
            if not scopes:
                raise ValueError(f"line {line}: unexpected closing brace")
            scope = scopes.pop()
            parentheses, head = scope.parentheses, ""
            if scope.kind == "function":
                if scopes and scopes[-1].access == "private":
                    scopes[-1].private += 1
                yield "function", scope.name, scope.line, line - scope.line + 1
            elif scope.kind == "type":
                yield "class", scope.name, scope.line, scope.private
            if scope.kind == "block" and (not scopes or scopes[-1].kind in ("namespace", "type")):
                head = scope.head + " 0 "  # an initializer: the declaration continues
        else:
            head += character
    if scopes:
        raise ValueError(f"line {scopes[-1].line}: no closing brace")


def check(root):
    """Yields (object, message) for each object above its limit."""
    for file in sorted((root / "src").rglob("*")):
        name = file.relative_to(root)
        if file.is_dir():
            count = sum(1 for inner in file.iterdir() if inner.is_file())
            if count > FILES_MAX:
                yield f"{name}", f"{name}: found {count} files, at most {FILES_MAX}"
        elif file.suffix in (".h", ".cpp"):
            for kind, what, line, count in measure(file.read_text()):
                if kind == "function" and count > LINES_MAX:
                    yield f"{name}: {what}", f"{name}:{line}: function {what}: found {count} lines, at most {LINES_MAX}"
                if kind == "class" and count > PRIVATE_MAX:
                    yield f"{name}: {what}", f"{name}:{line}: class {what}: found {count} private functions, at most {PRIVATE_MAX}"


def main():
    root = pathlib.Path(sys.argv[1])
    if not any(file.suffix in (".h", ".cpp") for file in (root / "src").rglob("*")):
        sys.exit(f"{root}/src: no sources: is this the source tree?")
    found = list(check(root))
    problems = [message for what, message in found if what not in EXCEPTIONS]
    problems += [f"{what}: the exception is no longer needed" for what in sorted(EXCEPTIONS - {what for what, _ in found})]
    print("\n".join(problems) if problems else "sizes are within their limits")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
