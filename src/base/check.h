// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// CHECK(condition) aborts the program if an invariant of Weft is violated, in release builds too.
// Input errors are returned as Result instead.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace weft::detail {
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}
}  // namespace weft::detail

#define CHECK(condition)              \
  ((condition) ? static_cast<void>(0) \
               : ::weft::detail::check_failed(#condition, __FILE__, __LINE__))
