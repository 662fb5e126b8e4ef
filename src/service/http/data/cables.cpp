// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/cables.h"

#include "base/text.h"

namespace weft::http_data {
namespace {

Json end_json(const NamedPort& end) {
  return {{"node", fmt::format("0x{:016x}", end.node.value())},
          {"name", end.name},
          {"port", end.port.value()}};
}

Json cable_json(const NamedCable& cable) {
  return {{"a", end_json(cable.a)}, {"b", end_json(cable.b)}};
}

}  // namespace

Result<CableOrder> cable_order(CableOrder::Action action, const Json& body) {
  if (!body.is_object())
    return fail(Code::kBadField, R"(expected a JSON object such as {{"node": "GUID", "port": 7}})");
  for (const auto& [name, value] : body.items())
    if (name != "node" && name != "port")
      return fail(Code::kBadField, "unknown member {}", weft::quoted(name));
  if (!body.contains("node") || !body["node"].is_string())
    return fail(Code::kBadField, "node: expected text, the GUID or description of a node");
  const auto is_port = [](const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
           value.get<std::uint64_t>() <= 254;
  };
  if (!body.contains("port") || !is_port(body["port"]))
    return fail(Code::kBadField, "port: expected a number from 1 to 254");
  return CableOrder{action, body["node"].get<std::string>(), body["port"].get<unsigned>()};
}

Json cut_cables(const CableOutcome& outcome) {
  Json cables = Json::array();
  for (const NamedCable& cable : outcome.cut) cables.push_back(cable_json(cable));
  return {{"cables", std::move(cables)}};
}

Json cable_outcome(CableOrder::Action action, const CableOutcome& outcome) {
  Json json{{"action", name(action)}, {"changed", outcome.changed}, {"cable", nullptr}};
  if (outcome.cable) json["cable"] = cable_json(*outcome.cable);
  json["cut_now"] = outcome.cut.size();
  return json;
}

}  // namespace weft::http_data
