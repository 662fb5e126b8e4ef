// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Receivers of events, such as the event log (JSON lines) and plugins. One thread calls take() and
// reopen() of all sinks. start() is called before this thread starts.
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
  /// Opens the log file again; called after the file was renamed (log rotation).
  virtual void reopen() {}
};

/// The time in UTC, such as "2026-11-21T14:30:05.123456Z".
std::string time_text(WallTime at);

/// The event as a JSON object on one line, without newline and without members that the kind does
/// not use.
std::string json_line(const Event& event, WallTime at);

/// Opens a sink that appends a line for each event to a file, or to standard output for "-". Fails
/// with kEnvironment.
Result<std::unique_ptr<EventSink>> open_event_log(const std::string& path);

/// Loads a shared object with the interface of event_plugin.h. `name` is a path, or NAME for
/// libNAME.so in the search path of the dynamic linker. Fails with kEnvironment if the object
/// cannot be loaded, has no such interface (as OpenSM plugins) or has another version of the
/// interface. start() calls create() of the plugin.
Result<std::unique_ptr<EventSink>> load_event_plugin(const std::string& name,
                                                     const std::string& options);

/// The names in event_plugin_name.
std::vector<std::string> plugin_names(std::string_view list);

}  // namespace weft
