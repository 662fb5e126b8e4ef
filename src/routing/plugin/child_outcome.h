// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request to an engine from a shared object, and the result of its child process, as plain
// bytes in shared memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <string>

#include "base/text.h"
#include "routing/engine_plugin.h"

namespace weft::plugin {

inline constexpr std::size_t kReasonMax = sizeof(weft_tables::reason);

/// The result of a child process.
struct ChildOutcome {
  enum State : std::uint32_t { kNothing, kDone, kRefused };
  std::uint32_t state = kNothing;
  char reason[kReasonMax] = {};  // kDone: the summary of the engine

  void refuse(const char* why) { end(kRefused, why); }
  void end(State how, const char* what) {
    std::snprintf(reason, sizeof reason, "%s", what == nullptr ? "" : what);
    state = how;
  }
  std::string raw_text() const { return {reason, ::strnlen(reason, kReasonMax)}; }
  /// A single line of limited length for messages.
  std::string text() const { return weft::quoted(raw_text()); }
};

/// The result of an engine besides its tables.
struct TableOutcome {
  ChildOutcome outcome;
  std::uint32_t vls = 1;
  std::uint32_t kind = WEFT_SL_NONE;
};

/// The head of the request: for each array that follows the head, its number of elements and its
/// offset in bytes from the start of the request. Names are stored as the offset of their text.
struct RequestHead {
  std::uint64_t size = 0;  // of the request
  std::uint64_t switches = 0, channels = 0, hosts = 0, roots = 0;
  std::uint32_t switch_count = 0, channel_count = 0, host_count = 0, root_count = 0;
  std::uint32_t lid_top = 0, vls_max = 0, threads = 0;
  std::uint64_t seed = 0;
  std::uint64_t lft_bytes = 0, sl_bytes = 0, lft_stride = 0;
};

/// Number of entries of an SL table; 0 for WEFT_SL_NONE and for an unknown kind.
inline std::size_t sl_count(std::uint32_t kind, std::size_t switches, std::size_t lft_stride) {
  switch (kind) {
    case WEFT_SL_BY_LID:
      return lft_stride;
    case WEFT_SL_BY_SWITCH_PAIR:
      return switches * switches;
    case WEFT_SL_BY_SWITCH_AND_LID:
      return switches * lft_stride;
    default:
      return 0;
  }
}

/// Calls `work`. If it throws, stores a refusal with the exception's text in `outcome`.
inline void guarded(ChildOutcome& outcome, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    outcome.refuse(fmt::format("threw {}", error.what()).c_str());
  } catch (...) {
    outcome.refuse("threw an exception of unknown type");
  }
}

}  // namespace weft::plugin
