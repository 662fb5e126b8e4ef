#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that each source states its licence in its first two lines.

check_licences.py ROOT
"""
import pathlib
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only"
FOLDERS = ("src/", "tests/", "bench/", "fuzz/", "web/", "cmake/", "scripts/", "examples/", "packaging/", ".ci/")
SUFFIXES = (".cpp", ".h", ".h.in", ".py", ".ts", ".tsx", ".js", ".css", ".cmake", ".sh")
NAMES = ("CMakeLists.txt", "Makefile", "Containerfile")
DATA = ("fuzz/corpus/", "tests/golden/")


def is_source(path, text):
    name = path.rsplit("/", 1)[-1]
    if path.startswith(DATA) or not (path.startswith(FOLDERS) or "/" not in path):
        return False
    return name in NAMES or name.endswith(SUFFIXES) or text.startswith("#!")


def main(root):
    paths = subprocess.run(["git", "-C", root, "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    sources, without = 0, []
    for path in paths:
        file = pathlib.Path(root) / path
        if not file.is_file():
            continue
        text = file.read_bytes().decode(errors="replace")
        if is_source(path, text):
            sources += 1
            if LICENCE not in "\n".join(text.splitlines()[:2]):
                without.append(path)
    for path in without:
        print(f"{path}:1: expected '{LICENCE}' in the first two lines")
    if not sources:
        print("no source was found: is this the source tree?")
    print(f"{sources} sources, {len(without)} without a licence")
    return 1 if without or not sources else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
