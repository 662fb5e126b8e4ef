#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks the links between the Markdown files of the project, that docs/README.md names every page, that the source files that
pages and comments name exist, and that the pages and images in docs that other files name exist.

links_test.py [FOLDER]   FOLDER is the root of the project
"""

import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MENTION = re.compile(r"\bdocs/[A-Za-z0-9_./-]+\.(?:md|png)")
# Names of source files. A page has a path in backquotes, from the root (PATH) or from src (SHORT_PATH); * matches several files. A comment in
# src has a file name, with or without folders, that ends with .h, .cpp, .py or .def (NAMED).
PATH = re.compile(r"`((?:src|tests|bench|fuzz|examples|packaging|scripts|cmake|web)/[a-z0-9_./*-]+)`")
SHORT_PATH = re.compile(r"`([a-z0-9_]+)/[a-z0-9_/]+\.(?:h|cpp|\*)`")
COMMENT = re.compile(r"^ *//.*", re.MULTILINE)
NAMED = re.compile(r"\b(?:[a-z0-9_]+/)*[a-z0-9_]+\.(?:h|cpp|py|def)\b")
EXTERNAL = ("infiniband/", "iba/")  # headers of rdma-core and OpenSM
SOURCES = ("src", "tests", "bench", "fuzz", "examples", "packaging", "scripts", "cmake", "web/src")
TEXT = {".h", ".cpp", ".py", ".ts", ".json", ".txt", ".cmake", ".in", ".yaml", ""}


def anchor(heading):
    """The fragment that GitHub generates for a heading."""
    plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(page):
    return {anchor(text) for text in HEADING.findall(CODE.sub("", page.read_text()))}


def broken_links(page):
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page}: link to {target}: no such file"
        elif fragment and file.suffix == ".md" and fragment not in anchors(file):
            yield f"{page}: link to {target}: no such heading in {file.name}"


def broken_mentions(root):
    """Yields a message for each text file in the folders SOURCES that names a page or an image in docs which does not exist."""
    for folder in SOURCES:
        for file in sorted((root / folder).rglob("*")):
            if not file.is_file() or file.suffix not in TEXT or "node_modules" in file.parts:
                continue
            for mention in MENTION.findall(file.read_text(errors="replace")):
                if not (root / mention).exists():
                    yield f"{file}: names {mention}: no such file"


def missing_paths(root, page):
    for path in PATH.findall(page.read_text()):
        if not any(root.glob(path.rstrip("/"))):
            yield f"{page}: names {path}: no such file"
    for found in SHORT_PATH.finditer(page.read_text()):
        path = found[0].strip("`")
        if (root / "src" / found[1]).is_dir() and not any((root / "src").glob(path)):
            yield f"{page}: names {path}: no such file below src"


def missing_sources(root):
    """Yields a message for each comment that names a source which does not exist. A path is relative to the folder of the source, to its layer
    or to src. A name without a folder may be of any source or test."""
    names = {file.name for folder in ("src", "tests") for file in (root / folder).rglob("*") if file.is_file()}
    for file in sorted([*root.glob("src/**/*.h"), *root.glob("src/**/*.cpp")]):
        layer = root / "src" / file.relative_to(root / "src").parts[0]
        for path in NAMED.findall("\n".join(COMMENT.findall(file.read_text()))):
            if path.startswith(EXTERNAL):
                continue
            found = path in names if "/" not in path else any((base / path).exists() for base in (file.parent, layer, root / "src"))
            if not found:
                yield f"{file}: names {path}: no such file"


def pages_not_in_index(root):
    index = root / "docs" / "README.md"
    named = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(index.read_text())}
    for page in sorted((root / "docs").rglob("*.md")):
        if page != index and page.resolve() not in named:
            yield f"{index}: does not name {page.relative_to(root)}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]).resolve()
    pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
    faults = [fault for page in pages for fault in broken_links(page)]
    faults += [fault for page in pages for fault in missing_paths(root, page)]
    faults += [*broken_mentions(root), *missing_sources(root), *pages_not_in_index(root)]
    print("\n".join(faults) or f"{len(pages)} pages, all links have a target")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
