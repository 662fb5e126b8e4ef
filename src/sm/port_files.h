// The option files that speak about ports and switches: -i, -w, --node_weights_file, -O and -m.
// "group:NAME" may stand for the GUID in -i, --node_weights_file and -m (port_groups.h): such lines
// are to be made lines of GUIDs before they are resolved.
// Read once into GUIDs and numbers, then resolved for each fabric, because nodes come and go. A
// line of another form is an error with file, line and column; what the fabric does not have is a
// warning with file and line. docs/reference/routing-options.md shows the formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// -i: "PORT_GUID" or "NODE_GUID PORT".
struct FiledPort {
  Guid guid;
  std::optional<PortNum> port;
  std::string place;    // "file:line"
  std::string group{};  // a port group instead of the GUID
};
Result<std::vector<FiledPort>> read_ignored_ports(const std::string& path);
/// The endports meant, sorted. A port of a switch stands for the host that is cabled to it.
std::vector<EndportId> resolve_ignored(const std::vector<FiledPort>& ports, const Fabric& fabric,
                                       std::vector<std::string>& warnings);

/// -w: "SWITCH_GUID PORT WEIGHT".
struct FiledWeight {
  Guid guid;
  PortNum port;
  std::uint32_t weight = 1;  // 1 to kHopWeightMax
  std::string place;
};
inline constexpr std::uint32_t kHopWeightMax = 255;
Result<std::vector<FiledWeight>> read_hop_weights(const std::string& path);
/// By ChannelId; empty where no weight differs from 1. The last line about a port counts.
std::vector<std::uint64_t> resolve_weights(const std::vector<FiledWeight>& weights,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings);

/// What a port counted, in units of 4 bytes.
struct CountedData {
  PortNum port;  // of the node
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool operator==(const CountedData&) const = default;
};

/// --node_weights_file: "PORT_GUID WEIGHT", or what the performance manager wrote to
/// event_db_dump_file, which is known by the quotation mark that its first line begins with.
struct FiledNodeWeight {
  Guid guid;                 // of the node where it is counted
  std::uint32_t weight = 1;  // 0 to kNodeWeightMax
  std::string place;
  std::string group{};
  std::optional<CountedData> counted{};
};
inline constexpr std::uint32_t kNodeWeightMax = 1'000'000;
/// Of the CA port that was sent most, where weights are measured; one that was sent nothing has 1.
inline constexpr std::uint32_t kMeasuredWeightMax = 1'000;
Result<std::vector<FiledNodeWeight>> read_node_weights(const std::string& path);
/// By EndportId, 1 where no line says otherwise; empty where there are no lines. The last line
/// about a port counts. Measured weights are in proportion to what CA ports received, as they or
/// the switch ports before them counted it.
std::vector<std::uint32_t> resolve_node_weights(const std::vector<FiledNodeWeight>& weights,
                                                const Fabric& fabric,
                                                std::vector<std::string>& warnings);

/// -O: "SWITCH_GUID PORT PORT ..".
struct FiledPortOrder {
  Guid guid;
  std::vector<PortNum> ports;  // none twice
  std::string place;
};
Result<std::vector<FiledPortOrder>> read_port_orders(const std::string& path);
/// By ChannelId the place of its port in the search; ports without a word follow in order of their
/// numbers. Empty where no line is about this fabric. The last line about a switch counts.
std::vector<std::uint8_t> resolve_port_orders(const std::vector<FiledPortOrder>& orders,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings);

/// -m: "SWITCH_GUID ID".
struct FiledSwitchId {
  Guid guid;
  std::uint64_t id = 0;
  std::string place;
  std::string group{};
};
Result<std::vector<FiledSwitchId>> read_switch_ids(const std::string& path);
/// By SwitchId its place in the order of IDs, where a switch without one has its GUID; equal IDs go
/// by GUID. Empty where no line is about this fabric.
std::vector<std::uint32_t> resolve_switch_ids(const std::vector<FiledSwitchId>& ids,
                                              const Fabric& fabric,
                                              std::vector<std::string>& warnings);

}  // namespace weft
