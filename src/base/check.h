// CHECK(condition): a broken invariant of ours stops the program, in release builds too. Never used
// on input.
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
