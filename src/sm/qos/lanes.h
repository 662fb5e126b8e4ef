// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Plan for virtual lanes: SLtoVLMappingTable and VLArbitrationTable of each port. SL2VL comes from
// the routes; arbitration gives every VL of a port an equal weight (OpenSM's default prefers VL 0,
// although the layers of dfsssp, lash and nue carry equal loads). With -Q the administrator's keys
// apply as far as they are compatible with the routes: administered_lanes.h. Ports with one VL have
// neither table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/tables.h"
#include "routes/routes.h"
#include "sm/observed.h"
#include "sm/qos/qos.h"

namespace weft {

/// How NeighborMTU or OperationalVLs of links in use are changed.
enum class LiveLinks : std::uint8_t {
  kBounce,  // the link is taken down, and gets new values in INIT
  kWait     // values are unchanged until the link retrains
};

/// Codes of OperationalVLs for links that have an end of a node type; 0: no limit.
struct VlCodes {
  std::uint8_t ca = 0;
  std::uint8_t sw = 0;
  std::uint8_t router = 0;
};

/// Limits of OperationalVLs and NeighborMTU, as PortInfo codes, and whether ports in use keep their
/// values.
struct VlLimit {
  std::uint8_t code;
  LiveLinks live_links;
  VlCodes of;
  std::uint8_t mtu;  // largest NeighborMTU, also a property of the link; 0: no limit
  VlLimit(std::uint8_t max_op_vls, LiveLinks live = LiveLinks::kBounce, VlCodes of_type = {},
          std::uint8_t mtu_max = 0)  // NOLINT: implicit from a code
      : code(max_op_vls), live_links(live), of(of_type), mtu(mtu_max) {}
  /// The code for a link between nodes of these types.
  std::uint8_t between(NodeType a, NodeType b) const { return std::min(at(a), at(b)); }

  /// The lowest limit of a link: routes use no more VLs.
  std::uint8_t least() const {
    return std::min({at(NodeType::kCa), at(NodeType::kSwitch), at(NodeType::kRouter)});
  }

 private:
  std::uint8_t at(NodeType type) const {
    const std::uint8_t own = type == NodeType::kSwitch   ? of.sw
                             : type == NodeType::kRouter ? of.router
                                                         : of.ca;
    return own == 0 ? code : std::min(code, own);
  }
};

/// Both arbitration tables of a port, within its capacity.
struct PortArbitration {
  std::vector<VlWeight> low, high;
  std::uint8_t high_limit = 0;  // VLHighLimit of PortInfo
  bool operator==(const PortArbitration&) const = default;
};

/// Equal weights for VLs 0 to `vls` - 1. VLs beyond the capacity of the low table are in the high
/// table. VLs beyond both capacities are not served.
PortArbitration even_arbitration(unsigned vls, unsigned low_cap, unsigned high_cap);
/// Number of consecutive VLs from VL 0 with a weight.
unsigned vls_served(const PortArbitration& arbitration);
/// One block to be written to the port; none beyond the end of its tables.
std::optional<VlArbTable> block_of(const PortArbitration& arbitration, modifier::VlArbBlock block);

/// SL2VL and arbitration of a subnet. Many ports have equal arbitrations: each distinct arbitration
/// is stored once.
class LanePlan {
 public:
  /// Whether SL2VL and arbitration are programmed; otherwise the tables stay unchanged.
  bool is_set() const { return set_; }
  /// Whether the routes use several VLs, or SL2VL maps by port of the engine, so that they could
  /// deadlock without the tables.
  bool is_needed() const { return needed_; }
  /// Whether switches with optimized SL2VL get one SMP for all SL2VL tables.
  bool is_at_once() const { return at_once_; }
  /// Arbitration of the port; null if it is not programmed.
  const PortArbitration* arbitration(PortId port) const {
    return port.value() < index_.size() && index_[port.value()] != 0
               ? &kinds_[index_[port.value()] - 1u]
               : nullptr;
  }
  /// Ports with too few VLs or arbitration entries for the routes, or without SL2VL.
  const std::vector<std::string>& obstacles() const { return obstacles_; }
  /// Settings of the administrator that are not applied.
  const std::vector<std::string>& notes() const { return notes_; }
  /// SL2VL of a port of a CA or router; null if it equals the common map of the routes.
  const SlMap* end_map(PortId port) const {
    return port.value() < map_index_.size() && map_index_[port.value()] != 0
               ? &maps_[map_index_[port.value()] - 1u]
               : nullptr;
  }

 private:
  friend class LanePlanner;
  bool set_ = false;
  bool needed_ = false;
  bool at_once_ = false;
  std::vector<PortArbitration> kinds_;  // the distinct arbitrations
  std::vector<std::uint16_t> index_;    // by PortId, into kinds_ from 1; 0: not programmed
  std::vector<SlMap> maps_;
  std::vector<std::uint16_t> map_index_;  // by PortId, into maps_ from 1
  std::vector<std::string> obstacles_;
  std::vector<std::string> notes_;
};

/// Routes on one VL are deadlock-free for any SL2VL. The tables are programmed nevertheless, to
/// overwrite those of an earlier manager. If that needs more SMPs than this limit, the tables stay
/// unchanged, as under OpenSM without -Q.
inline constexpr std::size_t kIdleLaneTablesMax = 16384;

/// Plans SL2VL and arbitration of all ports. `at_once`: switches with optimized SL2VL get one SMP
/// for all SL2VL tables.
LanePlan plan_lanes(const Observed& observed, const Fabric& fabric, const Routes& routes,
                    VlLimit limit, const QosOptions& qos = {}, bool at_once = false);

/// OperationalVLs code of a cabled port: the VLs that both ends support, up to `limit`; with
/// LiveLinks::kWait, the current code of a port in use; 0 without a cable.
std::uint8_t operational_vls(const Observed& observed, const Fabric& fabric, PortId port,
                             VlLimit limit);
/// Number of data VLs at a cabled port, by its OperationalVLs code. At port 0 of a switch, the
/// number that port 0 operates or supports.
unsigned data_vls_at(const Observed& observed, const Fabric& fabric, PortId port, VlLimit limit);
/// Whether port 0 of a switch has its own tables.
bool has_lanes_at_port0(const Observed& observed, SwitchId sw);

/// The SL2VL and arbitration SMPs of a node, as indices. SL2VL: (input << 8 | output port), or
/// kEveryPair for all pairs of a switch at once. Arbitration: (block << 8 | port).
inline constexpr std::uint16_t kEveryPair = 0xFFFF;
/// The (input << 8 | output port) pairs that kEveryPair stands for: those of output ports with VLs.
std::vector<std::uint16_t> every_pair(const Fabric& fabric, const LanePlan& plan, NodeId node);
struct NodeLaneTables {
  std::vector<std::uint16_t> sl2vl;
  std::vector<std::uint16_t> arbitration;
};
NodeLaneTables lane_tables(const Observed& observed, const Fabric& fabric, const Routes& routes,
                           const LanePlan& plan, NodeId node);

/// The port of the addressed SMA.
constexpr PortNum port_of(std::uint16_t index) {
  return index == kEveryPair ? PortNum(0) : PortNum(static_cast<std::uint8_t>(index));
}
std::uint32_t map_modifier(const Fabric& fabric, NodeId node, std::uint16_t pair);
std::uint32_t arbitration_modifier(const Fabric& fabric, NodeId node, std::uint16_t index);

/// The planned map of one pair.
const SlMap& planned_map(const Fabric& fabric, const Routes& routes, const LanePlan& plan,
                         NodeId node, std::uint16_t pair);

}  // namespace weft
