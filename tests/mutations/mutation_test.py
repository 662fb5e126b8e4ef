#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the format of deliberate bugs: replacements and refusals."""
import pathlib
import tempfile
import unittest

import mutation

GOOD = "A bound is wrong.\nCaught by: sa_tests\nFile: a.cpp\nReplace:\nif (x <\n    y)\nWith:\nif (x <= y)\n"


class Format(unittest.TestCase):
    def changed(self, text, source):
        with tempfile.TemporaryDirectory() as tree:
            (pathlib.Path(tree) / "a.cpp").write_text(source)
            return list(mutation.changed_sources(tree, mutation.parse(text, "m")).values())[0]

    def test_finds_a_passage_by_its_words(self):
        self.assertEqual(self.changed(GOOD, "a\n  if (x < y)\n  b\n"), "a\n  if (x <= y)\n  b\n")
        self.assertEqual(mutation.parse(GOOD, "m").program, "sa_tests")

    def test_removes_a_passage(self):
        self.assertEqual(self.changed(GOOD.replace("if (x <= y)\n", ""), "1 if (x < y) 2"), "1  2")

    def test_replaces_several_passages_of_a_file(self):
        self.assertEqual(self.changed(GOOD + "Replace:\nz\nWith:\nw\n", "if (x < y) z"), "if (x <= y) w")

    def test_refuses_a_passage_that_is_absent_or_ambiguous(self):
        for source, times in (("if (y)", 0), ("if (x < y) if (x < y)", 2)):
            with self.assertRaisesRegex(mutation.BadMutation, f"occurs {times} times"):
                self.changed(GOOD, source)

    def test_refuses_a_source_that_is_absent(self):
        with self.assertRaisesRegex(mutation.BadMutation, "b.cpp: no such file"):
            self.changed(GOOD.replace("a.cpp", "b.cpp"), "")

    def test_refuses_a_text_that_breaks_the_format(self):
        for text, message in (("", "m:2"), (GOOD.replace("File: a.cpp\n", ""), "m:3: 'Replace:' before"),
                              (GOOD.replace("Replace:\n", ""), "m:4: found"), ("w\nCaught by: p\n", "at least one"),
                              (GOOD.replace("x <=", "x <"), "equals"), ("w\nCaught by: p\nFile: f\nWith:\n", "without 'Replace:'"),
                              (GOOD.replace("if (x <\n    y)", " "), "is empty")):
            with self.assertRaisesRegex(mutation.BadMutation, message):
                mutation.parse(text, "m")

    def test_names_each_bug_that_does_not_apply(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            with self.assertRaisesRegex(mutation.BadMutation, "no file NAME.txt"):
                mutation.check_all(tree, tree)
            (tree / "a.cpp").write_text("if (x < y)")
            (tree / "applies.txt").write_text(GOOD)
            mutation.check_all(tree, tree)
            (tree / "absent.txt").write_text(GOOD.replace("a.cpp", "b.cpp"))
            (tree / "other.txt").write_text(GOOD.replace("if (x <\n", "if (z <\n"))
            with self.assertRaises(mutation.BadMutation) as raised:
                mutation.check_all(tree, tree)
            lines = str(raised.exception).splitlines()
            self.assertEqual([line.split(":")[0] for line in lines], ["absent", "other"])


if __name__ == "__main__":
    unittest.main()
