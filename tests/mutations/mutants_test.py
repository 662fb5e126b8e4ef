#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests mutants: the changes, the exclusions, and the list of equivalent mutants.

mutants_test.py ROOT    also checks that the list of equivalent mutants matches the sources of ROOT
"""
import pathlib
import sys
import unittest

import cpp_tokens
import mutant_build
import mutants

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None


def changes(source, kind):
    """The changed lines of the mutants of a kind."""
    return [mutant.after for mutant in mutants.mutants_of("a.cpp", source) if mutant.kind == kind]


def in_body(statements):
    return "void f() {\n" + statements + "\n}\n"


class Tokens(unittest.TestCase):
    def texts(self, source):
        return [token.text for token in cpp_tokens.tokenize(source)]

    def test_leave_out_comments_and_directives(self):
        self.assertEqual(self.texts("#include <a>\n#define X(a) \\\n  b\nint /* 1 < 2 */ a;  // a == b\n  # if 1\n"), ["int", "a", ";"])

    def test_keep_strings_whole(self):
        self.assertEqual(self.texts(r'''f("a \" < b", 'x', '\'', R"(a ") < b)", u8R"x( )" )x");'''),
                         ["f", "(", r'"a \" < b"', ",", "'x'", ",", r"'\''", ",", 'R"(a ") < b)"', ",", 'u8R"x( )" )x"', ")", ";"])

    def test_keep_numbers_whole(self):
        self.assertEqual(self.texts("1'000u 0xFF'FF 1.5e-3 .5 0b11 2x"), ["1'000u", "0xFF'FF", "1.5e-3", ".5", "0b11", "2x"])

    def test_split_signs(self):
        self.assertEqual(self.texts("a<=>b<<=c->d::e&&!f"), ["a", "<=>", "b", "<<=", "c", "->", "d", "::", "e", "&&", "!", "f"])

    def test_mark_tokens_in_bodies_of_functions(self):
        source = ("namespace n { struct S { int a{0}; S() : b_{1}, c_(2) { in(); } int g() const { in(); } }; "
                  "auto h() -> std::vector<int> { in(); } enum E { kA }; const int list[] = {out()}; "
                  "template <class T> void t(T x = T{}) noexcept { if (x) { in(); } else { in(); } auto l = [] { in(); }; } }")
        tokens = cpp_tokens.tokenize(source)
        self.assertEqual({token.in_body for token in tokens if token.text == "in"}, {True})
        self.assertEqual({token.in_body for token in tokens if token.text in ("out", "kA", "c_", "S")}, {False})

    def test_refuse_parentheses_that_do_not_match(self):
        for source in ("f(", "f)", "f(]"):
            with self.assertRaises(ValueError):
                cpp_tokens.tokenize(source)


class Changes(unittest.TestCase):
    def test_replace_comparisons(self):
        self.assertEqual(changes("bool b = x == y;", "comparison"), ["bool b = x != y;"])
        self.assertEqual(changes("bool b = x < y;", "comparison"), ["bool b = x > y;"])

    def test_replace_boundaries(self):
        self.assertEqual(changes("bool b = x < y;", "boundary"), ["bool b = x <= y;"])
        self.assertEqual(changes("bool b = x >= y;", "boundary"), ["bool b = x > y;"])

    def test_exclude_templates_and_operator_functions(self):
        for source in ("std::vector<int> a;", "template <class T> struct A;", "bool operator==(A, B);", "bool operator <(A, B);", "a->b << c;"):
            self.assertEqual([m for m in mutants.mutants_of("a.cpp", source) if m.kind in ("comparison", "boundary", "negation")], [])

    def test_exchange_logical_operators_but_not_references(self):
        self.assertEqual(changes("bool b = x && y;", "logic"), ["bool b = x || y;"])
        self.assertEqual(changes("void f(T&& x);", "logic"), [])

    def test_negate_conditions(self):
        self.assertEqual(changes(in_body("if (a && f(b)) g();"), "negation"), ["if (!(a && f(b))) g();"])
        self.assertEqual(changes(in_body("if (auto x = f(); x.ok()) g();"), "negation"), ["if (auto x = f(); !(x.ok())) g();"])
        self.assertEqual(changes(in_body("if (!a && b) g();"), "negation"), ["if (a && b) g();", "if (!(!a && b)) g();"])
        self.assertEqual(changes(in_body("if (auto* x = f()) g();"), "negation"), [])
        self.assertEqual(changes(in_body("if (any(list, [](int x) { return x; })) g();"), "negation"),
                         ["if (!(any(list, [](int x) { return x; }))) g();"])
        self.assertEqual(changes(in_body("while (!a) g();"), "negation"), ["while (a) g();"])

    def test_remove_statements(self):
        for statement in ("f(x);", "x = 1;", "a.b += f(2);", "++x;", "x->y();", "lids.reserve(a, 2);", "*p = 3;", "return;", "break;", "out << x;", "a[i].f([&] { g; });"):
            self.assertEqual(changes(in_body(f"{statement}"), "statement")[:1], [";"], statement)
        self.assertEqual(changes(in_body("if (a) f(x);"), "statement"), ["if (a) ;"])
        self.assertEqual(changes(in_body("case 1:\nf(x);"), "statement"), [";"])

    def test_keep_declarations_and_results(self):
        for statement in ("int x = 1;", "const auto y = f();", "std::vector<int> z(3);", "Foo& r = g();", "return x;", "using A = B;",
                          "v.reserve(n);", "static_cast<void>(f());", "for (int i = 0; i < n; ++i)\n;", "x;", "std::size_t n{0};"):
            self.assertEqual(changes(in_body(statement), "statement"), [], statement)
        self.assertEqual(changes("struct A { A(); void f(); };", "statement"), [])

    def test_change_constants_by_one(self):
        self.assertEqual(changes("int a = 2;", "constant"), ["int a = 1;", "int a = 3;"])
        self.assertEqual(changes("int a = 0u;", "constant"), ["int a = 1u;"])
        self.assertEqual(changes("int a = 0x10;", "constant"), ["int a = 0x11;", "int a = 0xf;"])
        self.assertEqual(changes("int a = 1'000;", "constant"), ["int a = 1001;", "int a = 999;"])
        self.assertEqual(changes("double a = 0.5;", "constant"), ["double a = 1.5;"])
        self.assertEqual(changes("bool a = true;", "constant"), ["bool a = false;"])

    def test_exchange_adjacent_arguments(self):
        self.assertEqual(changes(in_body("f(a, b + 1, c);"), "arguments"), ["f(b + 1, a, c);", "f(a, c, b + 1);"])
        self.assertEqual(changes(in_body("f(std::pair<int, int>(a, b));"), "arguments"), [])
        self.assertEqual(changes(in_body("f(x, x); max(a, b); f(a);"), "arguments"), [])
        self.assertEqual(changes("void f(int a, int b);", "arguments"), [])
        self.assertEqual(changes(in_body("if (a, b) [](int a, int b) {};"), "arguments"), [])

    def test_exclude_logs_and_checks(self):
        for statement in ('log::info("{} of {}", a < b, 2);', 'spdlog::warn("{}", !x);', "CHECK(a < 2);", "static_assert(a == 1);"):
            self.assertEqual(mutants.mutants_of("a.cpp", in_body(statement)), [], statement)

    def test_exclude_texts_comments_and_directives(self):
        self.assertEqual(mutants.mutants_of("a.cpp", '#if A == 1\n#endif\n// a < b\nconst char* a = "x < 1";\n'), [])


class Mutant(unittest.TestCase):
    SOURCE = "int a = 1;\nint b = 1;\nint a = 1;\n"

    def test_changes_only_one_place(self):
        found = mutants.mutants_of("a.cpp", self.SOURCE)
        self.assertEqual(found[1].apply(self.SOURCE), "int a = 2;\nint b = 1;\nint a = 1;\n")
        self.assertEqual(found[1].line, 1)
        self.assertIn("-int a = 1;\n+int a = 2;", found[1].diff(self.SOURCE))

    def test_has_a_key_that_is_independent_of_the_line_number(self):
        here = mutants.mutants_of("a.cpp", self.SOURCE)
        moved = mutants.mutants_of("a.cpp", "\n  // new\n" + self.SOURCE.replace("int", "  int"))
        self.assertEqual([m.key for m in here], [m.key for m in moved])
        self.assertEqual(len({m.key for m in here}), len(here))

    def test_equivalent_mutants_are_listed_with_a_reason(self):
        for mutant in mutants.mutants_of("a.cpp", self.SOURCE + "void f() { g(); }\n"):
            listed = mutants.equivalents("# head\n\n" + mutants.entry_of(mutant, "no effect") + "\n\n", "list")
            self.assertEqual(listed, {mutant.key: "no effect"})

    def test_a_list_with_errors_is_refused(self):
        good = "a.cpp\n  x\n  => y\n  reason\n"
        for text in ("a.cpp\n  x\n  => y\n", "a.cpp\n  x\n  y\n  reason\n", good + "\n" + good, "a.cpp\nx\n  => y\n  reason\n"):
            with self.assertRaises(mutants.BadList):
                mutants.equivalents(text, "list")

    def test_equivalent_mutants_are_in_the_sources(self):
        if ROOT is None:
            self.skipTest("no source tree given")
        path = ROOT / "tests/mutations/equivalent.list"
        self.assertEqual(mutants.stale_entries(ROOT, mutants.equivalents(path.read_text(), path.name)), [])

    def test_every_source_of_the_tree_has_tokens(self):
        if ROOT is None:
            self.skipTest("no source tree given")
        for file in mutants.sources_of(ROOT):
            with self.subTest(file=file):
                cpp_tokens.tokenize((ROOT / file).read_text())


class Build(unittest.TestCase):
    def test_edges_are_read_from_ninja(self):
        text = ("build a.o: CXX_COMPILER__x a.cpp | implicit.h || order\n  FLAGS = -O2\n"
                "build bin/t | extra: CXX_EXECUTABLE_LINKER__t a.o $\n  b.o | lib.a || x\n")
        self.assertEqual(mutant_build.parse_build(text), {"a.o": ["a.cpp", "implicit.h"], "bin/t": ["a.o", "b.o", "lib.a"],
                                                          "extra": ["a.o", "b.o", "lib.a"]})

    def test_a_program_of_googletest_counts_once(self):
        def shown(command, folder="/w"):
            return {"command": command, "properties": [{"name": "WORKING_DIRECTORY", "value": folder}]}
        tests = {"tests": [shown(["/b/bin/x_tests", "--gtest_filter=A.a", "--gtest_also_run_disabled_tests"]),
                           shown(["/b/bin/x_tests", "--gtest_filter=A.b", "--gtest_also_run_disabled_tests"]),
                           shown(["/b/bin/replay", "attributes"]), shown(["/usr/bin/python3", "t.py"]), {"properties": []}]}
        self.assertEqual(mutant_build.programs_of(tests, "/b/bin"), [("replay", ["attributes"], "/w"),
                                                                     ("x_tests", ["--gtest_fail_fast", "--gtest_brief=1"], "/w")])

    def test_ends_of_programs_are_distinguished(self):
        def run(script, cpu=100, wall=600):
            return mutant_build.run_program("/bin/sh", ["-c", script], "/", "/dev/null", cpu, wall)
        self.assertTrue(run("exit 0").ok)
        self.assertEqual(run("exit 3").why, "status 3")
        self.assertEqual(run("kill -SEGV $$").why, "signal 11")
        self.assertEqual(run("sleep 100", wall=0.2).why, "no end")
        self.assertEqual(run("while :; do :; done", cpu=0).why, "time limit")
        self.assertFalse(run("exec python3 -c 'bytearray(10 << 30)'").ok)

    def test_messages_have_the_paths_of_the_original(self):
        flags = mutant_build.path_flags(["c++", "-ffile-prefix-map=/r=.", "-c", "a.cpp"], "/r", "/r/build/w")
        self.assertEqual(flags, ["-ffile-prefix-map=/r/build/w=."])
        self.assertEqual(mutant_build.path_flags(["c++"], "/r", "/w"), ["-ffile-prefix-map=/w=/r"])


if __name__ == "__main__":
    unittest.main()
