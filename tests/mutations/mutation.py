#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Deliberate bugs: each file NAME.txt in this folder replaces passages of the sources.

The first line states the error of the changed program, the second line names the test program that must fail
("Caught by: sa_tests"). Then, for each passage: a line "File: PATH" (not repeated for further passages of a file), a line
"Replace:" and the passage, a line "With:" and its replacement, empty to remove the passage. A passage is found by its
words, regardless of the white space between the words, and must occur exactly once in the file. Moved code thus remains a valid target.

mutation.py check TREE          verify that each bug can be put into the sources
mutation.py apply TREE NAME     put the bug into the sources
mutation.py program NAME        print the test program
"""
import dataclasses
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


class BadMutation(Exception):
    """The file of a mutation breaks the format, or its passage is not in the sources exactly once."""


@dataclasses.dataclass
class Passage:
    file: str
    old: str
    new: str


@dataclasses.dataclass
class Mutation:
    what: str
    program: str
    passages: list


def parse(text, name):
    """The mutation of a text; `name` is for messages."""
    lines = text.splitlines()
    if len(lines) < 2 or not lines[1].startswith("Caught by: "):
        raise BadMutation(f"{name}:2: expected 'Caught by: PROGRAM'")
    mutation = Mutation(lines[0], lines[1].removeprefix("Caught by: ").strip(), [])
    file, part = None, None
    for number, line in enumerate(lines[2:], 3):
        if line.startswith("File: "):
            file, part = line.removeprefix("File: ").strip(), None
        elif line == "Replace:":
            if file is None:
                raise BadMutation(f"{name}:{number}: 'Replace:' before any 'File: PATH'")
            mutation.passages.append(Passage(file, "", ""))
            part = "old"
        elif line == "With:":
            if part != "old":
                raise BadMutation(f"{name}:{number}: 'With:' without 'Replace:'")
            part = "new"
        elif part is None:
            raise BadMutation(f"{name}:{number}: found '{line}', expected 'File: PATH' or 'Replace:'")
        else:
            passage = mutation.passages[-1]
            setattr(passage, part, getattr(passage, part) + line + "\n")
    if not mutation.passages:
        raise BadMutation(f"{name}: expected at least one passage to replace")
    for passage in mutation.passages:
        if not passage.old.split():
            raise BadMutation(f"{name}: a passage to replace in {passage.file} is empty")
        if passage.old.split() == passage.new.split():
            raise BadMutation(f"{name}: the replacement in {passage.file} equals the passage")
    return mutation


def mutated(text, passage):
    """The text of a source with the passage replaced."""
    pattern = r"\s+".join(re.escape(word) for word in passage.old.split())
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        raise BadMutation(f"{passage.file}: the passage occurs {len(found)} times, expected once: {' '.join(passage.old.split())}")
    return text[:found[0].start()] + passage.new.strip() + text[found[0].end():]


def changed_sources(tree, mutation):
    """Path -> changed text, of each source that the mutation changes."""
    changed = {}
    for passage in mutation.passages:
        path = pathlib.Path(tree) / passage.file
        if path not in changed and not path.is_file():
            raise BadMutation(f"{passage.file}: no such file")
        changed[path] = mutated(changed.get(path) or path.read_text(), passage)
    return changed


def read(name, folder=FOLDER):
    path = folder / f"{name}.txt"
    if not path.is_file():
        raise BadMutation(f"{name}: no file {path}")
    return parse(path.read_text(), path.name)


def check_all(tree, folder=FOLDER):
    """Raises BadMutation with one line for each mutation of the folder that does not apply."""
    names = sorted(path.stem for path in folder.glob("*.txt"))
    if not names:
        raise BadMutation(f"{folder}: no file NAME.txt")
    errors = []
    for name in names:
        try:
            changed_sources(tree, read(name, folder))
        except BadMutation as error:
            errors.append(f"{name}: {error}")
    if errors:
        raise BadMutation("\n".join(errors))


def main(arguments):
    match arguments:
        case ["program", name]:
            print(read(name).program)
        case ["check", tree]:
            check_all(tree)
        case ["apply", tree, name]:
            for path, text in changed_sources(tree, read(name)).items():
                path.write_text(text)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BadMutation as error:
        sys.exit(str(error))
