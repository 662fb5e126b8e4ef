// Exactly the SMPs that move the subnet from what it holds to what it should hold, in the order
// that is safe: P_Keys before switches enforce them, addresses and link parameters, then forwarding
// tables, those of lanes and those of multicast (see mft_blocks.h for why these are two phases),
// and only then ports to ARMED and to ACTIVE. Hosts whose links carry data already are asked to
// register again after that, when their packets find their way. Nothing waits for alias GUIDs.
// M_Keys are changed when all else is done: until then everything goes by the keys that are known
// already. Links whose FDR10 is switched on or off come last, since they are trained anew; the
// farthest of them first.
// Links in use that should have another NeighborMTU or other OperationalVLs are taken down in the
// end, likewise the farthest first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sm/desired.h"
#include "sm/held_tables.h"
#include "sm/observed.h"

namespace weft {

/// One SMP to send, without its bytes: 8 bytes instead of 256, since a large subnet needs millions.
struct Op {
  std::uint32_t node = 0;  // NodeId
  /// Port number, block of the table, MftIndex, as in NodeLaneTables, or as in port_block_op().
  std::uint16_t index = 0;
  bool operator==(const Op&) const = default;
};

enum class Phase : std::uint8_t {
  kPkeys,
  kPorts,
  kSwitches,
  kTables,
  kSl2VlAtOnce,
  kSl2VlCheck,  // a Get
  kSl2Vl,
  kVlArb,
  kMulticastCut,
  kMulticast,
  kArm,
  kActivate,
  kReregister,
  kGuids,
  kKeys,
  kFdr10,
  kTakeDown
};
inline constexpr std::size_t kPhaseCount = 17;
std::string_view name(Phase phase);

/// A block of a table that each port has: P_Keys, GUIDs.
constexpr Op port_block_op(NodeId node, PortNum port, std::size_t block) {
  return {node.value(), static_cast<std::uint16_t>(block << 8 | port.value())};
}
constexpr PortNum port_of(const Op& op) {
  return PortNum(static_cast<std::uint8_t>(op.index & 0xFF));
}
constexpr std::size_t block_of(const Op& op) { return op.index >> 8; }

/// A block that is written in parts: these LIDs get what they should have, the others stay.
struct TablePart {
  std::size_t op = 0;  // index in Phase::kTables
  std::uint64_t lids = 0;
  bool operator==(const TablePart&) const = default;
};

/// The order within Phase::kTables (table_order.h). A round begins as a phase does; within it any
/// order will do. Without ends all is one round.
struct TableRounds {
  std::vector<std::size_t> ends;  // in Phase::kTables
  std::vector<TablePart> parts;   // by op
  bool operator==(const TableRounds&) const = default;
};

/// A phase begins when all SMPs of the one before are answered or given up.
struct Plan {
  std::array<std::vector<Op>, kPhaseCount> phases;
  TableRounds table_rounds;
  std::vector<std::size_t> take_down_ends;  // rounds of Phase::kTakeDown, as those of tables
  /// What cannot be done whatever is sent: switches whose tables are too small for the LIDs, ports
  /// that have too few lanes for the routes.
  std::vector<std::string> obstacles;

  const std::vector<Op>& operator[](Phase phase) const {
    return phases[static_cast<std::size_t>(phase)];
  }
  std::vector<Op>& operator[](Phase phase) { return phases[static_cast<std::size_t>(phase)]; }
  std::size_t size() const;
};

/// Cost: O(ports + table bytes), without a read of the fabric.
Plan diff(const Observed& observed, const HeldTables& held, const Desired& desired,
          const SmOptions& options);

}  // namespace weft
