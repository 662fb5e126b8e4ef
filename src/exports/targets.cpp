// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/targets.h"

#include <fmt/format.h>
#include "base/printable.h"

#include <nlohmann/json.hpp>

namespace weft {

std::string prometheus_targets(const HostGroups& groups, unsigned port) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const HostUnit& unit : groups.units) {
    Json targets = Json::array();
    for (const std::string& host : unit.hosts) targets.push_back(fmt::format("{}:{}", host, port));
    Json labels{{"leaf", unit.name}};
    if (unit.parent != kNoGroup) labels["group"] = groups.groups[unit.parent].name;
    list.push_back({{"targets", std::move(targets)}, {"labels", std::move(labels)}});
  }
  return printable_json(list.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace weft
