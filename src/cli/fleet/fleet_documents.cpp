// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/fleet/fleet_documents.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::cli {
namespace {

/// The member `name` of an object; null if it is missing.
const Json& at(const Json& json, const char* name) {
  static const Json nothing;
  if (!json.is_object()) return nothing;
  const auto found = json.find(name);
  return found == json.end() ? nothing : *found;
}

std::string text_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  return value.is_string() ? value.get<std::string>() : "";
}

bool flag_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  return value.is_boolean() && value.get<bool>();
}

std::uint64_t number_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

/// Appends the objects of a list, each with the name of the manager as first member.
void add_objects(const Json& list, const std::string& manager, std::vector<Json>& objects) {
  if (!list.is_array()) return;
  for (const Json& object : list) {
    if (!object.is_object()) continue;
    Json named{{"manager", manager}};
    named.update(object);
    named["manager"] = manager;
    objects.push_back(std::move(named));
  }
}

Json member_status(const FleetMember& member, FleetMember::Time now) {
  const Json& fabric = at(member.fabric, "fabric");
  Json json{{"name", member.name},
            {"url", member.url},
            {"reachable", member.polled && member.error.empty()},
            {"error", member.polled ? member.error : "no answer yet"},
            {"age_seconds", nullptr},
            {"version", text_at(member.fabric, "version")},
            {"state", text_at(member.fabric, "state")},
            {"ready", flag_at(member.fabric, "ready")},
            {"reason", text_at(member.fabric, "reason")},
            {"up", flag_at(member.fabric, "up")},
            {"hosts", number_at(fabric, "hosts")},
            {"switches", number_at(fabric, "switches")},
            {"links", number_at(fabric, "links")},
            {"engine", text_at(at(member.fabric, "routes"), "engine")},
            {"reads_counters", member.alarms.is_object()},
            {"alarms", number_at(member.alarms, "total")},
            {"unacknowledged", number_at(member.alarms, "unacknowledged")}};
  if (member.answered)
    json["age_seconds"] =
        std::chrono::duration_cast<std::chrono::seconds>(now - *member.answered).count();
  return json;
}

int severity_order(const Json& alarm) {
  const std::string severity = text_at(alarm, "severity");
  return severity == "critical" ? 0 : severity == "warning" ? 1 : 2;
}

std::string place_text(const Json& json) {
  std::string text = text_at(json, "name");
  if (at(json, "port").is_number_unsigned())
    text += fmt::format(" port {}", number_at(json, "port"));
  if (const std::string peer = text_at(json, "peer_name"); !peer.empty())
    text += fmt::format(" - {} port {}", peer, number_at(json, "peer_port"));
  return text;
}

std::string second_of(const Json& json, const char* name) {
  return text_at(json, name).substr(0, 19);
}

}  // namespace

Json fleet_status(const std::vector<FleetMember>& members, FleetMember::Time now) {
  Json managers = Json::array();
  std::uint64_t unreachable = 0, not_ready = 0, alarms = 0, unacknowledged = 0;
  for (const FleetMember& member : members) {
    Json status = member_status(member, now);
    const bool reachable = status["reachable"].get<bool>();
    unreachable += reachable ? 0 : 1;
    not_ready += reachable && !status["ready"].get<bool>() ? 1 : 0;
    alarms += number_at(status, "alarms");
    unacknowledged += number_at(status, "unacknowledged");
    managers.push_back(std::move(status));
  }
  return {{"total", members.size()},          {"unreachable", unreachable},
          {"not_ready", not_ready},           {"alarms", alarms},
          {"unacknowledged", unacknowledged}, {"managers", std::move(managers)}};
}

Json fleet_alarms(const std::vector<FleetMember>& members) {
  std::vector<Json> all;
  for (const FleetMember& member : members)
    add_objects(at(member.alarms, "alarms"), member.name, all);
  std::ranges::stable_sort(all, {}, [](const Json& alarm) {
    return std::pair(flag_at(alarm, "acknowledged"), severity_order(alarm));
  });
  return {{"total", all.size()}, {"alarms", all}};
}

Json fleet_events(const std::vector<FleetMember>& members, std::size_t limit) {
  std::vector<Json> all;
  for (const FleetMember& member : members)
    add_objects(at(member.events, "events"), member.name, all);
  std::ranges::stable_sort(all, {}, [](const Json& event) { return text_at(event, "time"); });
  if (all.size() > limit) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(limit));
  return {{"events", all}};
}

Json fleet_found(const std::vector<Fleet::SearchResult>& found) {
  std::vector<Json> nodes;
  Json unreachable = Json::array();
  for (const Fleet::SearchResult& one : found) {
    if (!one.error.empty()) unreachable.push_back({{"manager", one.manager}, {"error", one.error}});
    add_objects(at(one.answer, "nodes"), one.manager, nodes);
  }
  return {{"nodes", nodes}, {"unreachable", std::move(unreachable)}};
}

std::string status_text(const Json& status) {
  std::string text =
      fmt::format("{:<16}  {:<11}  {:<5}  {:>7}  {:>8}  {:>7}  {:>6}  {:>5}\n", "manager", "state",
                  "ready", "hosts", "switches", "links", "alarms", "age");
  for (const Json& manager : at(status, "managers")) {
    const Json& age = at(manager, "age_seconds");
    const bool known = age.is_number();
    text += fmt::format(
        "{:<16}  {:<11}  {:<5}  {:>7}  {:>8}  {:>7}  {:>6}  {:>5}\n", text_at(manager, "name"),
        known ? text_at(manager, "state") : "-",
        known ? (flag_at(manager, "ready") ? "yes" : "no") : "-", number_at(manager, "hosts"),
        number_at(manager, "switches"), number_at(manager, "links"),
        flag_at(manager, "reads_counters") ? fmt::format("{}", number_at(manager, "alarms")) : "-",
        known ? fmt::format("{} s", age.get<std::int64_t>()) : "-");
    if (!flag_at(manager, "reachable"))
      text += "    unreachable: " + text_at(manager, "error") + "\n";
    else if (const std::string why = text_at(manager, "reason"); !why.empty())
      text += "    not ready: " + why + "\n";
  }
  return text + fmt::format(
                    "{} {}, {} unreachable, {} not ready, {} alarms, {} of them not "
                    "acknowledged\n",
                    number_at(status, "total"),
                    number_at(status, "total") == 1 ? "manager" : "managers",
                    number_at(status, "unreachable"), number_at(status, "not_ready"),
                    number_at(status, "alarms"), number_at(status, "unacknowledged"));
}

std::string fleet_alarms_text(const Json& alarms) {
  std::string text;
  for (const Json& alarm : at(alarms, "alarms"))
    text +=
        fmt::format("{}  {}  {}\n    {}  {}{}\n", second_of(alarm, "raised"),
                    text_at(alarm, "manager"), place_text(alarm), text_at(alarm, "id"),
                    text_at(alarm, "text"), flag_at(alarm, "acknowledged") ? ", acknowledged" : "");
  return text.empty() ? "no active alarms\n" : text;
}

std::string fleet_events_text(const Json& events) {
  std::string text;
  for (const Json& event : at(events, "events"))
    text += fmt::format("{}  {:<16}  {:<17}  {}  {}\n", second_of(event, "time"),
                        text_at(event, "manager"), text_at(event, "event"), place_text(event),
                        text_at(event, "text"));
  return text;
}

std::string fleet_found_text(const Json& found) {
  std::string text;
  for (const Json& node : at(found, "nodes"))
    text += fmt::format("{:<16}  {}  {:<3}  {}\n", text_at(node, "manager"), text_at(node, "guid"),
                        text_at(node, "type"), text_at(node, "name"));
  if (text.empty()) text = "no node found\n";
  for (const Json& manager : at(found, "unreachable"))
    text += fmt::format("{} was not searched: {}\n", text_at(manager, "manager"),
                        text_at(manager, "error"));
  return text;
}

bool is_fleet_good(const Json& status) {
  return number_at(status, "unreachable") == 0 && number_at(status, "not_ready") == 0 &&
         number_at(status, "unacknowledged") == 0;
}

}  // namespace weft::cli
