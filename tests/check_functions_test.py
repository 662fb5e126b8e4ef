#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that check_functions.py reports exactly the functions, classes and folders above their limits, with file, line, count and limit."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).with_name("check_functions.py")


def run(files, exceptions=()):
    """The exit status and the lines that the check prints for these files; `exceptions` replaces EXCEPTIONS of the script."""
    with tempfile.TemporaryDirectory(prefix="weft-functions-") as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        script = root / "check.py"
        code = SCRIPT.read_text()
        begin = code.index("EXCEPTIONS = ")
        end = code.index("\n\n", begin)
        script.write_text(code[:begin] + f"EXCEPTIONS = {set(exceptions)!r}" + code[end:])
        done = subprocess.run([sys.executable, script, root], capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout.splitlines() + done.stderr.splitlines()


def function(lines, head="int long_one(int a)"):
    return head + " {\n" + "  // {\n" * (lines - 2) + "}\n"


def in_namespace(text):
    return "namespace weft {\nnamespace {\n\n" + text + "\n}  // namespace\n}  // namespace weft\n"


class CheckFunctions(unittest.TestCase):
    def expect(self, files, *lines, exceptions=()):
        status, printed = run(files, exceptions)
        self.assertEqual(printed, list(lines) or ["sizes are within their limits"])
        self.assertEqual(status, 1 if lines else 0)

    def test_reports_a_function_of_71_lines(self):
        self.expect({"src/a/long.cpp": in_namespace(function(71))},
                    "src/a/long.cpp:4: function long_one: found 71 lines, at most 70")

    def test_accepts_a_function_of_70_lines(self):
        self.expect({"src/a/long.cpp": in_namespace(function(70))})

    def test_counts_the_lines_of_a_declaration_over_several_lines(self):
        self.expect({"src/a/long.cpp": "\n" + function(69, "std::vector<std::pair<int, int>>\nlong_one(int a,\n         int b)")},
                    "src/a/long.cpp:2: function long_one: found 71 lines, at most 70")

    def test_reports_member_functions_constructors_and_operators(self):
        for head, name in (("template <class T>\nauto Type<T>::get() const -> int", "Type::get"), ("Type::Type(int a) : a_{a}, b_(0)", None),
                           ("bool operator<(const A& a, const B& b)", None), ("Type::~Type()", "Type::~Type")):
            status, printed = run({"src/a/long.cpp": in_namespace(function(80, head))})
            self.assertEqual(status, 1, head)
            self.assertEqual(len(printed), 1, printed)
            if name:
                self.assertIn(f": function {name}: ", printed[0])

    def test_reports_a_long_function_within_a_class(self):
        self.expect({"src/a/type.h": "class Type {\n public:\n" + function(71, "  int get() const") + "};\n"},
                    "src/a/type.h:3: function get: found 71 lines, at most 70")

    def test_ignores_braces_in_strings_comments_and_raw_strings(self):
        text = 'int a() {\n  return "{"[0] + \'{\' + 1\'000;  /* { */\n}\nconst char* b = R"x(\n' + "{\n" * 80 + ')x";\n'
        self.expect({"src/a/text.cpp": in_namespace(text)})

    def test_ignores_long_tables_and_namespaces(self):
        self.expect({"src/a/table.cpp": in_namespace("constexpr int kTable[] = {\n" + "  1,\n" * 90 + "};\nstruct Many {\n" + "  int a;\n" * 90 + "};\n")})

    def test_reports_a_class_with_26_private_functions(self):
        private = "".join(f"  void f{i}(std::function<void()> take);\n" for i in range(25)) + "  int get() const { return a_; }\n"
        data = "  int a_ = f(0);\n  std::function<void(int)> b_;\n  std::vector<int> c_{1, 2};\n  using F = void (*)();\n"
        self.expect({"src/a/type.h": in_namespace("class Type final : public Base {\n public:\n  void open();\n\n private:\n" + private + data + "};\n")},
                    "src/a/type.h:4: class Type: found 26 private functions, at most 25")

    def test_accepts_a_class_with_25_private_functions(self):
        private = "".join(f"  void f{i}();\n" for i in range(25))
        public = "".join(f"  void p{i}();\n" for i in range(30))
        self.expect({"src/a/type.h": "class Type {\n" + private + " public:\n" + public + " private:\n  int a_ = 0;\n};\nstruct Other {\n" + public + "};\n"})

    def test_reports_a_folder_with_41_files(self):
        files = {f"src/a/f{i}.h": "#pragma once\n" for i in range(41)}
        files |= {f"src/b/inner/f{i}.h": "" for i in range(40)} | {"src/a/a.cpp": "int a;\n", "src/b/b.cpp": "int b;\n"}
        self.expect(files, "src/a: found 42 files, at most 40")

    def test_accepts_exceptions_and_reports_unnecessary_exceptions(self):
        files = {"src/a/long.cpp": function(71)}
        self.expect(files, exceptions={"src/a/long.cpp: long_one"})
        self.expect(files, "src/a/gone.cpp: f: the exception is no longer needed",
                    exceptions={"src/a/long.cpp: long_one", "src/a/gone.cpp: f"})

    def test_fails_without_sources(self):
        status, printed = run({"other/a.cpp": "int a;\n"})
        self.assertEqual(status, 1)
        self.assertIn("is this the source tree?", printed[0])


if __name__ == "__main__":
    unittest.main()
