#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests sources with many mutants: each selected mutant has the results of the source with only this change, and the record has each mutant
that can change a result."""
import pathlib
import subprocess
import tempfile
import unittest

import mutant_build
import mutant_choice
import mutants
import mutants_together

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = r"""
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>
namespace {
constexpr int kLimit = 3;
constexpr int half(int x) { return x / 2; }
struct Pair { int a = 1; int b{2}; };
int difference(int a, int b) { return a - b; }
template <class T, class U> int count(T first, U) { return static_cast<int>(first); }
int sum(const std::vector<int>& list, int from) {
  int total = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < from) continue;
    if (list[i] == 7 || (list[i] > kLimit && !(list[i] & 1))) total += difference(list[i], half(from));
    else if (list[i] == 5)
      total -= 1;
    switch (list[i]) {
      case 2:
        ++total;
        break;
      default:
        total += count<int, std::pair<int, int>>(list[i], std::pair<int, int>(2, 3));
    }
  }
  return total;
}
}  // namespace
int main() {
  std::optional<int> one;
  if (!one) one = difference(9, 4);
  const bool both = *one >= 5 && 0x10u != 16u + half(1) ? true : false;
  Pair pair;
  std::printf("%d %d %d %d %d\n", sum({1, 2, 3, 4, 5, 6, 7, 8}, 2), *one, both, pair.a, pair.b);
  for (const int x : {1, 2})
    if (x == 2) std::printf("%s\n", x <= 1 ? "low" : "high");
}
"""


def rendered(statements, kinds=mutants.KINDS):
    source = "void f() {\n" + statements + "\n}\n"
    found = [mutant for mutant in mutants.mutants_of("a.cpp", source) if mutant.kind in kinds]
    result = mutant_choice.rendered(source, list(enumerate(found, 1)))
    return result.text.split("\n", 2)[2].removesuffix("\n}\n").replace("weft_mutants::", ""), result


class Text(unittest.TestCase):
    def test_a_comparison_has_all_its_changes_in_one_place(self):
        self.assertEqual(rendered("if (a.b() < c) return;", ("comparison", "boundary"))[0],
                         "if (compare<std::less<>>((a.b() ), ( c), Other<std::greater<>>{1}, Other<std::less_equal<>>{2})) return;")

    def test_a_comparison_of_bits_is_chosen_as_a_whole(self):
        self.assertEqual(rendered("x = a == b & c;", ("comparison",))[0], "x = (is_selected(1) ? (a != b & c) : (a == b & c));")

    def test_a_logical_expression_is_chosen_as_a_whole(self):
        self.assertEqual(rendered("x = a || b && c;", ("logic",))[0],
                         "x = (is_selected(1) ? (a && b && c) : ((is_selected(2) ? (a || b || c) : (a || b && c))));")

    def test_conditions_are_of_type_bool(self):
        self.assertEqual(rendered("b = p || !read<int>(q);", ("negation",))[0],
                         "b = p || (is_selected(1) ? static_cast<bool>(read<int>(q)) : static_cast<bool>(!read<int>(q)));")
        self.assertEqual(rendered("if (!p) return;", ("negation",))[0], "if ((is_selected(1) ? static_cast<bool>(p) : static_cast<bool>(!p))) return;")

    def test_statements_contain_choices(self):
        self.assertEqual(rendered("if (a) f(1);", ("statement", "constant"))[0],
                         "if (a) if (is_selected(1)) ; else f((is_selected(2) ? (0) : ((is_selected(3) ? (2) : (1)))));")

    def test_calls_end_at_templates_heads_and_other_arguments(self):
        for text, part in (("for (x; y; z) f(a, b);", "if (is_selected(1)) f(b, a); else f(a, b);"),
                           ("x = {f(a, b), 2};", "{(is_selected(1) ? (f(b, a)) : (f(a, b))), 2}"),
                           ("x = s<a, b>(), f(c, d);", ", (is_selected(1) ? (f(d, c)) : (f(c, d)));"),
                           ("x = f(a, b) + s<a, b>(c);", "(is_selected(1) ? (f(b, a) + s<a, b>(c)) : (f(a, b) + s<a, b>(c)))"),
                           ("x = y ? f(a, b) : z;", "? (is_selected(1) ? (f(b, a)) : (f(a, b))) :"),
                           ("return v && o.f(a, b).g;", "&& (is_selected(1) ? (o.f(b, a).g) : (o.f(a, b).g));")):
            self.assertIn(part, rendered(text, ("arguments",))[0])

    def test_declarations_are_left_out(self):
        for text in ("T x(a, b);", "std::vector<int> x(a, b);"):
            self.assertEqual(rendered(text, ("arguments",))[1].left_out, [1], text)

    def test_constants_whose_type_could_change_are_left_out(self):
        self.assertEqual(rendered("x = 0xffffffff;", ("constant",))[1].left_out, [1, 2])

    def test_constant_declarations_become_variables(self):
        self.assertEqual(rendered("constexpr int x = 1;", ("constant",))[0], "const int x = (is_selected(1) ? (0) : ((is_selected(2) ? (2) : (1))));")
        source = "constexpr int f() { if constexpr (a) return 1; }"
        self.assertIn("inline int f() { if constexpr (a) return (", mutant_choice.rendered(source, [(1, mutants.mutants_of("a.cpp", source)[-1])]).text)

    def test_messages_name_the_innermost_mutant(self):
        _, result = rendered("if (a) f(1);", ("statement", "constant"))
        column = result.text.splitlines()[2].index("(0)") + 1
        self.assertEqual(mutant_choice.refused(result, "x.cpp", f"x.cpp:3:{column}: error: e\n"), {2})
        self.assertEqual(mutant_choice.refused(result, "x.cpp", f"x.cpp:3:{column}:   required from here\ny.cpp:3:1: error: e\n"), {2})
        self.assertEqual(mutant_choice.refused(result, "x.cpp", f"x.cpp:3:{column}: note: n\nx.cpp:1:1: error: e\n"), set())


class Programs(unittest.TestCase):
    def output(self, program, **environment):
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=10)
        return done.returncode, done.stdout

    def compile(self, folder, name, text):
        (folder / f"{name}.cpp").write_text(text)
        command = ["c++", "-std=c++20", "-O0", "-w", f"-I{HERE}", "-fdiagnostics-column-unit=byte", str(folder / f"{name}.cpp"), str(HERE / "mutant_selection.cpp"), "-o", str(folder / name)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})

    def together(self, folder, numbered):
        while True:
            result = mutant_choice.rendered(SOURCE, numbered)
            done = self.compile(folder, "together", result.text)
            if not done.returncode:
                return [number for number, _ in numbered if number not in result.left_out]
            bad = mutant_choice.refused(result, str(folder / "together.cpp"), done.stderr)
            self.assertTrue(bad, done.stderr)
            numbered = [(number, mutant) for number, mutant in numbered if number not in bad]

    def test_a_selected_mutant_equals_the_changed_source_and_only_recorded_mutants_differ(self):
        numbered = list(enumerate(mutants.mutants_of("a.cpp", SOURCE), 1))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            inside = self.together(folder, numbered)
            self.assertGreater(len(inside), 0.75 * len(numbered))
            self.assertEqual(self.compile(folder, "alone", SOURCE).returncode, 0)
            original = self.output(folder / "alone")
            self.assertEqual(self.output(folder / "together", WEFT_MUTANTS_NOTED=str(folder / "noted")), original)
            record = mutants_together.Record((folder / "noted").read_text())
            differ = 0
            for number, mutant in numbered:
                if number not in inside:
                    continue
                together = self.output(folder / "together", WEFT_MUTANT=str(number))
                if number % 30 == 1:  # a compiler run for each takes time
                    self.assertEqual(self.compile(folder, "alone", mutant.apply(SOURCE)).returncode, 0, mutant.diff(SOURCE))
                    self.assertEqual(self.output(folder / "alone"), together, mutant.diff(SOURCE))
                if together != original:
                    differ += 1
                    self.assertIsNone(record.tests_for(number), mutant.diff(SOURCE))
            self.assertGreater(differ, len(inside) / 2)


class Records(unittest.TestCase):
    RECORD = mutants_together.Record("- 0 9\nA.* 0 4\nA.a 40 1 2\nA.b 5 2\n- 0\nB.* 0\nB/x.c/0 700 1 3\n- 0\n")

    def test_list_the_tests_fastest_first(self):
        self.assertEqual(self.RECORD.tests_for(2), ["A.b", "A.a"])
        self.assertEqual(self.RECORD.tests_for(3), ["B/x.c/0"])
        self.assertEqual(self.RECORD.tests_for(5), [])

    def test_set_up_code_selects_the_tests_of_the_suite_and_code_before_main_all_tests(self):
        self.assertEqual(self.RECORD.tests_for(4), ["A.b", "A.a"])
        self.assertEqual(self.RECORD.tests_for(9), ["A.b", "A.a", "B/x.c/0"])

    def test_a_program_without_names_of_tests_runs_as_a_whole(self):
        record = mutants_together.Record("- 300 1\n")
        self.assertIsNone(record.tests_for(1))
        self.assertEqual((record.tests_for(2), record.whole_ms), ([], 300))

    def test_fast_tests_run_first(self):
        self.assertEqual(mutants_together.chunks(self.RECORD, ["A.b", "A.a", "B/x.c/0"]), [["A.b", "A.a"], ["B/x.c/0"]])
        slow = mutants_together.Record("S.a 2000\nS.b 2900\nS.c 9000\nS.d 9000\n")
        self.assertEqual(mutants_together.chunks(slow, ["S.a", "S.b", "S.c", "S.d"]), [["S.a"], ["S.b"], ["S.c", "S.d"]])
        self.assertEqual(mutants_together.chunks(self.RECORD, ["B/x.c/0"]), [["B/x.c/0"]])


if __name__ == "__main__":
    unittest.main()
