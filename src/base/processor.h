// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Instruction sets that the processor supports.
#pragma once

namespace weft {

inline bool has_avx2() {
#if defined(__x86_64__)
  static const bool kHas = __builtin_cpu_supports("avx2") != 0;
  return kHas;
#else
  return false;
#endif
}

}  // namespace weft
