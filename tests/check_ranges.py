#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that src/ and fuzz/ use no view of the standard library, and no algorithm that returns a view.

`make fuzz` and `make lint` use clang; clang 14 does not compile the views of GCC 12's library.

check_ranges.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
VIEW = re.compile(r"std::(?:views::\w+|ranges::(?:views|subrange|unique|remove|remove_if|rotate|partition|stable_partition|search|equal_range"
                  r"|find_end)\b)")

files = [file for folder in ("src", "fuzz") for file in sorted((root / folder).rglob("*")) if file.suffix in (".h", ".cpp")]
problems = []
for file in files:
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if found := VIEW.search(line.split("//")[0]):
            problems.append(f"{file.relative_to(root)}:{number}: clang 14 does not compile {found.group()}: use iterators or a loop")
print("\n".join(problems))
if not files:
    print("no source was found: is this the source tree?")
print(f"{len(files)} files")
sys.exit(1 if problems or not files else 0)
