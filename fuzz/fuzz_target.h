// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Declares a fuzz target: the entry function of libFuzzer if the target is compiled alone, or a
// named function if all targets are compiled into one program that replays inputs (WEFT_REPLAY).
//   WEFT_FUZZ_TARGET(console, data, size) { ...; return 0; }
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef WEFT_REPLAY
#include <map>
#include <string_view>

namespace weft {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

// The targets of the program by name.
std::map<std::string_view, FuzzTarget>& fuzz_targets();

}  // namespace weft

#define WEFT_FUZZ_TARGET(NAME, DATA, SIZE)                                                \
  static int fuzz_##NAME(const std::uint8_t*, std::size_t);                               \
  static const bool has_##NAME = weft::fuzz_targets().emplace(#NAME, fuzz_##NAME).second; \
  static int fuzz_##NAME(const std::uint8_t* DATA, std::size_t SIZE)
#else
#define WEFT_FUZZ_TARGET(NAME, DATA, SIZE) \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* DATA, std::size_t SIZE)
#endif
