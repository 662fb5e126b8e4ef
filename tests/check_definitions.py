#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks the one-definition rule: no type has two definitions with the same qualified name.

Reads the types defined at namespace level in src/, and in the headers of tests/, bench/ and fuzz/. Types in unnamed namespaces are local to their
file. Programs under tests/, bench/ and fuzz/ are separate. Types there are compared only with src/ and with the headers in the same folder.

check_definitions.py ROOT
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
OPEN = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{$")
CLOSE = re.compile(r"^\}  // namespace")
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [\w:<>, ]+)? \{")


def types_of(file):
    """Qualified names of the types that a file defines."""
    nesting = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if opened := OPEN.match(line):
            nesting.append(opened.group(1) or "")
        elif CLOSE.match(line) and nesting:
            nesting.pop()
        elif (defined := TYPE.match(line)) and "" not in nesting:
            yield "::".join([*nesting, defined.group(1)]), number


places = collections.defaultdict(list)
for folder in ("src", "tests", "bench", "fuzz"):
    for file in sorted((root / folder).rglob("*")):
        if file.suffix == ".h" or (file.suffix == ".cpp" and folder == "src"):
            for name, number in types_of(file):
                places[name].append(f"{file.relative_to(root)}:{number}")

problems = [f"{name} is defined {len(where)} times: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]
print("\n".join(problems))
if not places:
    print("no type was found: is this the source tree?")
print(f"{len(places)} types")
sys.exit(1 if problems or not places else 0)
