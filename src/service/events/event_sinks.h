// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Receivers of events: the event log (JSON lines) and plugins. Each sink is used by one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/events/event.h"

namespace weft {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Called before the first event and after the daemon's fork.
  virtual Status start() { return {}; }
  virtual void take(const Event& event, WallTime at) = 0;
  /// Reopens the log by its name; called after the file was rotated.
  virtual void reopen() {}
};

/// "2026-11-21T14:30:05.123456Z"
std::string time_text(WallTime at);

/// The event as one line of JSON without newline; omits members that the kind does not use.
std::string json_line(const Event& event, WallTime at);

/// Appends one line per event to a file, or to standard output for "-". Fails with kEnvironment.
Result<std::unique_ptr<EventSink>> open_event_log(const std::string& path);

/// Loads a shared object with the interface of event_plugin.h: a path, or NAME for libNAME.so in
/// the dynamic linker's search path. Fails with kEnvironment if it cannot be loaded, lacks the
/// interface (such as OpenSM plugins) or has another version of it. start() calls the plugin's
/// create().
Result<std::unique_ptr<EventSink>> load_event_plugin(const std::string& name,
                                                     const std::string& options);

/// The names in event_plugin_name.
std::vector<std::string> plugin_names(std::string_view list);

}  // namespace weft
