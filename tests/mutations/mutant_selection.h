// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sources with many mutants, of which the environment variable WEFT_MUTANT selects at most one
// (scripts/mutate-random).
#pragma once
#include <functional>

namespace weft_mutants {

extern int selected;  // 0: none
extern volatile unsigned char*
    noted;  // by number: whether the mutant could have changed a result since the test began

/// Whether the program must run the mutant in place of the original. Records the mutant in `noted`.
inline bool is_selected(int number) {
  noted[number] = 1;
  return selected == number;
}

/// A comparison that replaces the original comparison.
template <class Operator>
struct Other {
  using type = Operator;
  int number;
};

/// Compares by Operator, or by the selected operator in `others`. Records only the mutants of
/// operators in `others` with a different result.
template <class Operator, class A, class B, class... Others>
bool compare(const A& a, const B& b, Others... others) {
  const bool original = Operator{}(a, b);
  bool result = original;
  const auto consider = [&](auto other) {
    const bool changed = typename decltype(other)::type{}(a, b);
    if (changed == original) return;
    noted[other.number] = 1;
    if (selected == other.number) result = changed;
  };
  (consider(others), ...);
  return result;
}

}  // namespace weft_mutants
