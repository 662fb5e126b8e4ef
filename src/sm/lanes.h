// The plan for virtual lanes: which VL each SL takes (SLtoVLMappingTable), and how the VLs of a
// port take turns (VLArbitrationTable). SL2VL is that of the routes; arbitration gives every VL of
// a port an equal share, where OpenSM's default prefers VL 0 to all others, though lanes of dfsssp,
// lash and nue carry equal loads. With -Q the administrator's keys rule, as far as the routes can
// live with them: administered_lanes.h. Ports with one VL have no such tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ib/modifiers.h"
#include "ib/port_info.h"
#include "ib/tables.h"
#include "routes/routes.h"
#include "sm/observed.h"
#include "sm/qos.h"

namespace weft {

/// What becomes of links in use that should have other NeighborMTU or OperationalVLs.
enum class LiveLinks : std::uint8_t {
  kBounce,  // they are taken down, and get them in INIT
  kWait     // they keep what they have until they train anew
};

/// The code of PortInfo's VLs that no port exceeds, and whether ports in use keep theirs.
struct VlLimit {
  std::uint8_t code;
  LiveLinks live_links;
  VlLimit(std::uint8_t max_op_vls, LiveLinks live = LiveLinks::kBounce)  // NOLINT: a code will do
      : code(max_op_vls), live_links(live) {}
};

/// Both arbitration tables of a port, as long as the port can hold.
struct PortArbitration {
  std::vector<VlWeight> low, high;
  std::uint8_t high_limit = 0;  // of PortInfo
  bool operator==(const PortArbitration&) const = default;
};

/// Equal weights for VLs 0 to `vls` - 1 in the low table; those that it has no room for go to the
/// high one. VLs that neither has room for are not served.
PortArbitration even_arbitration(unsigned vls, unsigned low_cap, unsigned high_cap);
/// The VLs from 0 on that have weight.
unsigned vls_served(const PortArbitration& arbitration);
/// One block as the port should hold it; nothing where its tables end before.
std::optional<VlArbTable> block_of(const PortArbitration& arbitration, modifier::VlArbBlock block);

/// What is planned for the lanes of a subnet. A fabric has few different arbitrations: each is kept
/// once.
class LanePlan {
 public:
  /// SL2VL and arbitration are programmed. Otherwise they stay as they are.
  bool is_set() const { return set_; }
  /// The routes use lanes: without the tables they could deadlock.
  bool is_needed() const { return needed_; }
  /// Switches that can take one SMP for all their SL2VL tables get one.
  bool is_at_once() const { return at_once_; }
  /// Null where the port's arbitration is not programmed.
  const PortArbitration* arbitration(PortId port) const {
    return port.value() < index_.size() && index_[port.value()] != 0
               ? &kinds_[index_[port.value()] - 1u]
               : nullptr;
  }
  /// What cannot be done whatever is sent: ports that have too few lanes for the routes.
  const std::vector<std::string>& obstacles() const { return obstacles_; }
  /// What the administrator asked for and does not get.
  const std::vector<std::string>& notes() const { return notes_; }
  /// SL2VL of a port of an end node, where it is not the common map of the routes; else null.
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
  std::vector<PortArbitration> kinds_;
  std::vector<std::uint16_t> index_;  // by PortId, into kinds_ from 1; 0: not programmed
  std::vector<SlMap> maps_;
  std::vector<std::uint16_t> map_index_;  // by PortId, into maps_ from 1
  std::vector<std::string> obstacles_;
  std::vector<std::string> notes_;
};

/// Routes on one lane are free of deadlock whatever the tables say. Their tables are set as well,
/// so that nothing is left of an earlier manager, unless the fabric takes more SMPs than this: then
/// they stay as they are, as they do under OpenSM without -Q.
inline constexpr std::size_t kIdleLaneTablesMax = 16384;

/// `at_once`: switches that can take one SMP for all their SL2VL tables get one.
LanePlan plan_lanes(const Observed& observed, const Fabric& fabric, const Routes& routes,
                    VlLimit limit, const QosOptions& qos = {}, bool at_once = false);

/// PortInfo's code of the VLs that a cabled port operates: what both its ends have, up to
/// `limit`; 0 without a cable.
std::uint8_t operational_vls(const Observed& observed, const Fabric& fabric, PortId port,
                             VlLimit limit);
/// The data VLs that go with it; of an enhanced port 0 those that it operates by itself.
unsigned data_vls_at(const Observed& observed, const Fabric& fabric, PortId port, VlLimit limit);
/// Whether port 0 of a switch has tables of its own.
bool has_lanes_at_port0(const Observed& observed, SwitchId sw);

/// The tables of a node by the SMPs that hold them: SL2VL as (input << 8 | output port), and
/// kEveryPair for all of a switch at once; arbitration as (block << 8 | port).
inline constexpr std::uint16_t kEveryPair = 0xFFFF;
/// The (input << 8 | output port) that kEveryPair stands for: those of output ports with lanes.
std::vector<std::uint16_t> every_pair(const Fabric& fabric, const LanePlan& plan, NodeId node);
struct NodeLaneTables {
  std::vector<std::uint16_t> sl2vl;
  std::vector<std::uint16_t> arbitration;
};
NodeLaneTables lane_tables(const Observed& observed, const Fabric& fabric, const Routes& routes,
                           const LanePlan& plan, NodeId node);

/// The port whose agent is asked, and the attribute modifiers.
constexpr PortNum port_of(std::uint16_t index) {
  return index == kEveryPair ? PortNum(0) : PortNum(static_cast<std::uint8_t>(index));
}
std::uint32_t map_modifier(const Fabric& fabric, NodeId node, std::uint16_t pair);
std::uint32_t arbitration_modifier(const Fabric& fabric, NodeId node, std::uint16_t index);

/// The map that one of them should hold.
const SlMap& planned_map(const Fabric& fabric, const Routes& routes, const LanePlan& plan,
                         NodeId node, std::uint16_t pair);

}  // namespace weft
