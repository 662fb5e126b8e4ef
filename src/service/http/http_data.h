// JSON documents of the HTTP service: pure functions of the published state. openapi.json describes
// their members.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sa/server.h"
#include "service/sm_board.h"

namespace weft::http_data {

using Json = nlohmann::ordered_json;

/// A range of a list.
struct Page {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

Json fabric(const SmBoard::Posted& posted, const std::string& version);
/// `type`: "CA", "SW", "RTR" or empty; `name`: a substring of the description, or empty.
Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view name, Page page);
Json node(const Snapshot& snapshot, NodeId node);
/// `connected`: only ports with a link.
Json ports(const Snapshot& snapshot, bool connected, Page page);
Json links(const Snapshot& snapshot, Page page);
/// The path between two endports, each given as node GUID, port GUID, LID, or unique node
/// description. Fails with kUsage for an unknown endport and kUnroutable for an unreachable
/// destination.
Result<Json> path(const Snapshot& snapshot, std::string_view from, std::string_view to);
Json partitions(const Snapshot& snapshot);
/// Fails with kUsage if no endport is a member.
Result<Json> partition(const Snapshot& snapshot, std::uint16_t base);
Json multicast(const sa::State& state);
Json subscriptions(const sa::State& state);
/// Without secrets.
Json configuration(const Settings& settings);

/// Finds nodes by a substring of the name (ignoring case), by LID, or by at least four digits of a
/// GUID. Exact matches of LID or name come first.
Json search(const Snapshot& snapshot, std::string_view wanted, std::size_t limit);
/// Ports with error counters that are not all 0. `counted` may be null: no performance manager.
Json errors(const Fabric& fabric, const PortCountsTable& counted);
/// All counters of a node's ports.
Json counters(Guid node, const PortCountsTable& counted);

std::string hex(Guid guid);
std::string hex(Gid gid);
std::string hex(Pkey pkey);
/// "active", "armed", "init", "down", "unknown".
std::string_view state_of(const Snapshot& snapshot, const Port& port);
Json verdict(const Verdict& verdict);

/// Serialized; bytes that are not valid UTF-8 are replaced.
std::string text(const Json& json);

}  // namespace weft::http_data
