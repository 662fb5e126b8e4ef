// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/json.h"

#include <fmt/format.h>
#include "base/printable.h"

namespace weft::http_data {
namespace {

constexpr double kGbpsOfUnit = 0.1;  // Gbit/s in one unit of data_rate_100mbit()

}  // namespace

std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }
std::string hex(Gid gid) {
  return fmt::format("{:016x}{:016x}", prefix_of(gid), guid_of(gid).value());
}
std::string hex(Pkey pkey) { return fmt::format("0x{:04x}", pkey.value()); }

Json end_of(const Fabric& fabric, const Port& port) {
  const Node& node = fabric.node(port.node);
  return {{"node", hex(node.node_guid)}, {"name", node.description}, {"port", port.num.value()}};
}

void add_rate(const Port& port, Json& json) {
  json["width"] = name(port.width);
  json["speed"] = name(port.speed);
  json["gbps"] = data_rate_100mbit(port.width, port.speed) * kGbpsOfUnit;
}

std::string text(const Json& json) {
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace weft::http_data
