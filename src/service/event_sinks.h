// Where events go: the stream of JSON lines, and plugins. Each sink is used by one thread only.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/event.h"

namespace weft {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Before the first event, and behind the fork of a daemon.
  virtual Status start() { return {}; }
  virtual void take(const Event& event, WallTime at) = 0;
  /// The log was moved away: the file begins anew.
  virtual void reopen() {}
};

/// "2026-11-21T14:30:05.123456Z"
std::string time_text(WallTime at);

/// The event as one line of JSON, without the end of the line. Members that its kind does not use
/// are left out.
std::string json_line(const Event& event, WallTime at);

/// A line an event, appended to a file, or to standard output for "-". Fails with kEnvironment.
Result<std::unique_ptr<EventSink>> open_event_log(const std::string& path);

/// A shared object with event_plugin.h's interface: a path, or NAME for libNAME.so where the
/// dynamic linker finds it. Fails with kEnvironment: it cannot be loaded, has no interface (as
/// those for OpenSM) or that of another version. Its own work begins with start(), which fails
/// where it refuses.
Result<std::unique_ptr<EventSink>> load_event_plugin(const std::string& name,
                                                     const std::string& options);

/// The names in event_plugin_name.
std::vector<std::string> plugin_names(std::string_view list);

}  // namespace weft
