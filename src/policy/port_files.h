// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Option files for ports and switches: -i, -w, --node_weights_file, -O and -m. In -i,
// --node_weights_file and -m, "group:NAME" may replace the GUID (port_groups.h). Such lines must be
// expanded to GUIDs before they are resolved. A file is read once into GUIDs and numbers, and then
// resolved for each fabric, because nodes appear and disappear. A malformed line is an error with
// file, line and column (in a counter dump, file and line); a GUID or port that is not in the
// fabric causes a warning with file and line, except in a counter dump. Formats:
// docs/reference/routing-options.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// A line of -i: "PORT_GUID" or "NODE_GUID PORT".
struct FiledPort {
  Guid guid;
  std::optional<PortNum> port;
  std::string place;    // "file:line"
  std::string group{};  // a port group instead of the GUID
};
Result<std::vector<FiledPort>> read_ignored_ports(const std::string& path);
/// Returns the endports, sorted by id. A switch port selects the endport that is cabled to the
/// port.
std::vector<EndportId> resolve_ignored(const std::vector<FiledPort>& ports, const Fabric& fabric,
                                       std::vector<std::string>& warnings);

/// A line of -w: "SWITCH_GUID PORT WEIGHT".
struct FiledWeight {
  Guid guid;
  PortNum port;
  std::uint32_t weight = 1;  // 1 to kHopWeightMax
  std::string place;
};
inline constexpr std::uint32_t kHopWeightMax = 255;
Result<std::vector<FiledWeight>> read_hop_weights(const std::string& path);
/// Returns weights by ChannelId; empty if all weights are 1. If several lines name a port, the last
/// one applies. The weight of a port to a host or without a cable is ignored.
std::vector<std::uint64_t> resolve_weights(const std::vector<FiledWeight>& weights,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings);

/// Data counters of a port, in units of 4 bytes.
struct CountedData {
  PortNum port;  // port of the node
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool operator==(const CountedData&) const = default;
};

/// A line of --node_weights_file: "PORT_GUID WEIGHT". The file may also be the event_db_dump_file
/// of the performance manager, which begins with a quotation mark.
struct FiledNodeWeight {
  Guid guid;                 // with counters, the node GUID
  std::uint32_t weight = 1;  // 0 to kNodeWeightMax
  std::string place;
  std::string group{};
  std::optional<CountedData> counted{};
};
inline constexpr std::uint32_t kNodeWeightMax = 1'000'000;
/// Weight of the CA or router port that received the most data, for measured weights; a port
/// without data has weight 1.
inline constexpr std::uint32_t kMeasuredWeightMax = 1'000;
Result<std::vector<FiledNodeWeight>> read_node_weights(const std::string& path);
/// Returns weights by EndportId, 1 by default; empty without lines. If several lines name a port,
/// the last one applies. With counters, weights are linear in the data received by CA and router
/// ports, from 1 to kMeasuredWeightMax, according to the counters of these ports or of the neighbor
/// switch ports.
std::vector<std::uint32_t> resolve_node_weights(const std::vector<FiledNodeWeight>& weights,
                                                const Fabric& fabric,
                                                std::vector<std::string>& warnings);

/// A line of -O: "SWITCH_GUID PORT PORT ..".
struct FiledPortOrder {
  Guid guid;
  std::vector<PortNum> ports;  // without duplicates
  std::string place;
};
Result<std::vector<FiledPortOrder>> read_port_orders(const std::string& path);
/// Returns, by ChannelId, the position of the output port in the order of the switch; 255 for
/// unlisted ports, which follow in the order of port numbers. Empty if no line applies to this
/// fabric. If several lines name a switch, the last one applies.
std::vector<std::uint8_t> resolve_port_orders(const std::vector<FiledPortOrder>& orders,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings);

/// A line of -m: "SWITCH_GUID ID".
struct FiledSwitchId {
  Guid guid;
  std::uint64_t id = 0;
  std::string place;
  std::string group{};
};
Result<std::vector<FiledSwitchId>> read_switch_ids(const std::string& path);
/// Returns, by SwitchId, the position of the switch in the order of IDs. A switch without an ID has
/// its GUID as the ID; equal IDs are ordered by GUID. Empty if no line applies to this fabric.
std::vector<std::uint32_t> resolve_switch_ids(const std::vector<FiledSwitchId>& ids,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings);

}  // namespace weft
