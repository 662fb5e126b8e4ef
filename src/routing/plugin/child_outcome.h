// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an engine from a shared object reports from its child process.
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

/// The result of a child process; plain bytes in shared memory.
struct ChildOutcome {
  enum State : std::uint32_t { kNothing, kDone, kRefused };
  std::uint32_t state = kNothing;
  char reason[kReasonMax] = {};

  void refuse(const char* why) {
    std::snprintf(reason, sizeof reason, "%s", why == nullptr ? "" : why);
    state = kRefused;
  }
  /// A single line of limited length for messages.
  std::string text() const {
    return quoted(std::string_view(reason, ::strnlen(reason, kReasonMax)));
  }
};

/// Runs code that may throw anything.
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
