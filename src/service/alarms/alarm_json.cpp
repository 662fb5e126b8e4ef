// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_json.h"

#include <cctype>

#include "base/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// JSON text. A node description may have any bytes: invalid UTF-8 is replaced.
std::string json_text(const Json& json) {
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string guid_of_json(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// Name of the alert for Prometheus, in camel case, such as "WeftBitErrorRate".
std::string alert_name(std::string_view rule) {
  std::string text = "Weft";
  bool begins = true;
  for (const char c : rule) {
    if (c != '_') text += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  return text;
}

}  // namespace

Json alarm_json(const Alarm& alarm) {
  const AlarmRule& rule = alarm_rules()[alarm.rule];
  Json json{{"id", alarm_id(alarm)},
            {"rule", rule.name},
            {"severity", name(alarm.severity)},
            {"node", guid_of_json(alarm.node)},
            {"name", alarm.name},
            {"port", alarm.port.value()}};
  if (alarm.peer != Guid(0)) {
    json["peer"] = guid_of_json(alarm.peer);
    json["peer_name"] = alarm.peer_name;
    json["peer_port"] = alarm.peer_port.value();
  }
  json["value"] = alarm.value;
  json["worst"] = alarm.worst;
  json["limit"] = alarm.limit;
  json["unit"] = rule.unit;
  json["text"] = alarm_text(alarm);
  json["raised"] = time_text(alarm.raised);
  json["ended"] = nullptr;
  if (alarm.ended) json["ended"] = time_text(*alarm.ended);
  json["acknowledged"] = alarm.acknowledged;
  json["comment"] = alarm.comment;
  return json;
}

Json alarm_rules_json(const AlarmLimitsTable& limits) {
  Json list = Json::array();
  for (std::size_t i = 0; i < kAlarmRuleCount; ++i) {
    const AlarmRule& rule = alarm_rules()[i];
    list.push_back({{"rule", rule.name},
                    {"about", rule.about},
                    {"unit", rule.unit},
                    {"on", limits[i].on},
                    {"raise", limits[i].raise},
                    {"clear", limits[i].clear},
                    {"readings", limits[i].readings},
                    {"severity", name(limits[i].severity)}});
  }
  return list;
}

std::string webhook_body(std::span<const AlarmChange> changes, std::uint64_t lost) {
  Json list = Json::array();
  for (const AlarmChange& change : changes) {
    Json json{{"change", name(change.kind)}};
    json.update(alarm_json(change.alarm));
    list.push_back(std::move(json));
  }
  return json_text({{"changes", std::move(list)}, {"lost", lost}});
}

std::string alertmanager_body(std::span<const Alarm> alarms, WallTime now,
                              std::chrono::seconds lifetime) {
  Json list = Json::array();
  for (const Alarm& alarm : alarms) {
    const AlarmRule& rule = alarm_rules()[alarm.rule];
    std::string place = fmt::format("{} port {}", alarm.name, alarm.port.value());
    if (alarm.peer != Guid(0))
      place += fmt::format(" - {} port {}", alarm.peer_name, alarm.peer_port.value());
    Json annotations{{"summary", fmt::format("{}: {}", place, rule.about)},
                     {"description", alarm_text(alarm)}};
    if (alarm.acknowledged) annotations["acknowledged"] = alarm.comment;
    list.push_back({{"labels",
                     {{"alertname", alert_name(rule.name)},
                      {"severity", name(alarm.severity)},
                      {"guid", guid_of_json(alarm.node)},
                      {"node", alarm.name},
                      {"port", fmt::format("{}", alarm.port.value())}}},
                    {"annotations", std::move(annotations)},
                    {"startsAt", time_text(alarm.raised)},
                    {"endsAt", time_text(alarm.ended ? *alarm.ended : now + lifetime)}});
  }
  return json_text(list);
}

}  // namespace weft
