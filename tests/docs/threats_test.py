#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that every test named in the tables of docs/reference/security.md exists, and that every row names a test.

threats_test.py ROOT BUILD   ROOT is the root of the project, BUILD is a build folder, which lists the tests that are not unit tests
"""
import json
import pathlib
import re
import subprocess
import sys

UNIT_TEST = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)|\bRC_GTEST_PROP\(\s*(\w+)\s*,\s*(\w+)\s*,")


def unit_tests(root):
    found = set()
    for file in (root / "tests").rglob("*.cpp"):
        for names in UNIT_TEST.findall(file.read_text(errors="replace")):
            found.add(".".join(name for name in names if name))
    return found


def other_tests(build):
    found = set()
    for extra in ([], ["-C", "campaign"]):
        text = subprocess.run(["ctest", *extra, "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True).stdout
        found |= {test["name"] for test in json.loads(text)["tests"]}
    return found


def tables(text):
    """Rows of the tables with a column `tests`, as (first cell, last cell)."""
    column = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            column = None
        elif column is None:
            column = cells.index("tests") if "tests" in cells else -1
        elif column >= 0 and not set(cells[0]) <= set("-: "):
            yield cells[0], cells[column]


def main():
    root, build = map(pathlib.Path, sys.argv[1:3])
    page = root / "docs/reference/security.md"
    known = unit_tests(root) | other_tests(build)
    faults, rows, named = [], 0, set()
    for subject, tests in tables(page.read_text()):
        rows += 1
        names = re.findall(r"`([^`]+)`", tests)
        if not names:
            faults.append(f"{page}: row '{subject}': names no test")
        named.update(names)
        faults += [f"{page}: row '{subject}': no test {name}" for name in names if name not in known]
    if rows < 20:
        faults.append(f"{page}: found {rows} rows with tests, expected at least 20")
    print("\n".join(faults) or f"{len(named)} tests in {rows} rows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
