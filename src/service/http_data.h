// What the HTTP service shows, as JSON: pure functions of what was posted. openapi.json says what
// each of them holds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sa/server.h"
#include "service/sm_board.h"

namespace weft::http_data {

using Json = nlohmann::ordered_json;

/// A part of a long list.
struct Page {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

Json fabric(const SmBoard::Posted& posted, const std::string& version);
/// `type`: "CA", "SW", "RTR" or empty; `name`: a part of the description, or empty.
Json nodes(const Snapshot& snapshot, std::string_view type, std::string_view name, Page page);
Json node(const Snapshot& snapshot, NodeId node);
/// `connected`: only those with a cable.
Json ports(const Snapshot& snapshot, bool connected, Page page);
Json links(const Snapshot& snapshot, Page page);
/// Between two ends, each a GUID of a node or port, a LID, or a description that is one node's
/// alone. Fails with kUsage for an end that there is not, and kUnroutable where packets do not
/// arrive.
Result<Json> path(const Snapshot& snapshot, std::string_view from, std::string_view to);
Json partitions(const Snapshot& snapshot);
/// Fails with kUsage where nobody is a member.
Result<Json> partition(const Snapshot& snapshot, std::uint16_t base);
Json multicast(const sa::State& state);
Json subscriptions(const sa::State& state);
/// Without secrets.
Json configuration(const Settings& settings);

/// Nodes by a part of the name in any case, by a LID, or by four digits of a GUID or more: those
/// whose LID or whole name it is first.
Json search(const Snapshot& snapshot, std::string_view wanted, std::size_t limit);
/// Ports whose counters of errors are not 0. Null: nobody counts.
Json errors(const Fabric& fabric, const PortCountsTable& counted);
/// All counters of a node's ports.
Json counters(Guid node, const PortCountsTable& counted);

std::string hex(Guid guid);
std::string hex(Gid gid);
std::string hex(Pkey pkey);
/// "active", "armed", "init", "down", "unknown".
std::string_view state_of(const Snapshot& snapshot, const Port& port);
Json verdict(const Verdict& verdict);

/// As bytes; what is no UTF-8 is replaced.
std::string text(const Json& json);

}  // namespace weft::http_data
