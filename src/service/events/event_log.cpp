// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <fmt/chrono.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/printable.h"
#include "service/events/event_sinks.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};

class EventLog final : public EventSink {
 public:
  explicit EventLog(std::string path) : path_(std::move(path)) {}

  /// If this fails, the file that is open remains in use.
  Status open() {
    std::FILE* const file = path_ == "-" ? stdout : std::fopen(path_.c_str(), "ae");
    if (file == nullptr)
      return fail(Code::kEnvironment, "{}: cannot open the event log: {}", path_,
                  std::strerror(errno));
    file_.reset(file);
    return {};
  }

  void take(const Event& event, WallTime at) override {
    if (!file_) return;
    const std::string line = json_line(event, at) + "\n";
    const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                         std::fflush(file_.get()) == 0;
    if (!written && !failed_)
      log::error("{}: cannot write events: {}", path_, std::strerror(errno));
    failed_ = !written;
    std::clearerr(file_.get());
  }

  void reopen() override {
    if (path_ == "-") return;
    if (const auto opened = open(); !opened) log::error("{}", opened.error().message);
  }

 private:
  const std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  bool failed_ = false;  // the last write failed, and the failure is logged
};

std::string guid_text(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

void add_place(const Event& event, Json& json) {
  if (event.node != Guid(0)) {
    json["node"] = guid_text(event.node);
    json["name"] = event.name;
  }
  if (event.peer != Guid(0)) {
    json["port"] = event.port.value();
    json["peer"] = guid_text(event.peer);
    json["peer_name"] = event.peer_name;
    json["peer_port"] = event.peer_port.value();
  }
}

/// The member with the text of an event, for kinds that have no further member; null for other
/// kinds.
const char* name_of_text(weft_event_kind kind) {
  switch (kind) {
    case WEFT_EVENT_SWEEP_BEGUN:
      return "reason";
    case WEFT_EVENT_STATE_CHANGED:
      return "state";
    case WEFT_EVENT_NODE_RENAMED:
      return "name_before";
    case WEFT_EVENT_LINK_APPEARED:
    case WEFT_EVENT_LINK_GONE:
    case WEFT_EVENT_LINK_CHANGED:
      return "link";
    default:
      return nullptr;
  }
}

/// Adds the members that depend on the kind of the event.
void add_details(const Event& event, Json& json) {
  if (const char* const name = name_of_text(event.kind); name != nullptr) {
    json[name] = event.text;
    return;
  }
  switch (event.kind) {
    case WEFT_EVENT_SWEEP_ENDED:
      json["up"] = event.text.empty();
      if (!event.text.empty()) json["error"] = event.text;
      return;
    case WEFT_EVENT_LID_CHANGED:
      json["port"] = event.port.value();
      json["lid"] = event.lid.value();
      json["lid_before"] = event.lid_before.value();
      return;
    case WEFT_EVENT_ROUTES_CHANGED:
      json["engine"] = event.text;
      json["blocks"] = event.count;
      return;
    case WEFT_EVENT_TRAP:
      json["lid"] = event.lid.value();
      json["trap"] = event.count;
      json["text"] = event.text;
      return;
    case WEFT_EVENT_PARTITION_CHANGED:
      json["pkey"] = fmt::format("0x{:04x}", event.count);
      json["text"] = event.text;
      return;
    case WEFT_EVENT_MANAGER_APPEARED:
    case WEFT_EVENT_MANAGER_GONE:
    case WEFT_EVENT_MANAGER_CHANGED:
      json["port"] = event.port.value();
      json["lid"] = event.lid.value();
      json["priority"] = event.count;
      json["state"] = event.text;
      return;
    case WEFT_EVENT_COUNTER_ERRORS:
      json["port"] = event.port.value();
      json["counter"] = event.text;
      json["before"] = event.count_before;
      json["value"] = event.count;
      return;
    case WEFT_EVENT_ALARM_RAISED:
    case WEFT_EVENT_ALARM_CLEARED:
    case WEFT_EVENT_ALARM_ACKNOWLEDGED:
      json["port"] = event.port.value();
      json["text"] = event.text;
      json["rule"] = event.text.substr(0, event.text.find(' '));
      return;
    case WEFT_EVENT_PORT_RECOVERED:
      json["port"] = event.port.value();
      return;
    case WEFT_EVENTS_LOST:
      json["count"] = event.count;
      return;
    case WEFT_EVENT_NODE_APPEARED:
    case WEFT_EVENT_NODE_GONE:
      return;
    default:
      json["text"] = event.text;
      return;
  }
}

}  // namespace

std::string time_text(WallTime at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(at - seconds).count();
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(time), micros);
}

std::string json_line(const Event& event, WallTime at) {
  Json json{{"time", time_text(at)}, {"event", name(event.kind)}, {"sweep", event.sweep}};
  add_place(event, json);
  add_details(event, json);
  // A node description may have any bytes: invalid UTF-8 is replaced.
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<std::unique_ptr<EventSink>> open_event_log(const std::string& path) {
  auto log = std::make_unique<EventLog>(path);
  if (const auto opened = log->open(); !opened) return forward(opened);
  return log;
}

}  // namespace weft
