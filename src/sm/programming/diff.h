// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The minimal set of SMPs that changes the subnet from its current to the desired state, in a safe
// order: P_Keys before switches enforce them; LIDs and link parameters; forwarding tables, SL2VL
// and VL arbitration, multicast tables (two phases, see mft_blocks.h); and only then ports to ARMED
// and ACTIVE. ClientReregister for ports that were already active follows, when their packets can
// reach the manager. Alias GUIDs are written after that, because no phase depends on alias GUIDs.
// M_Keys change after all these phases, so that earlier phases use the known keys. Changes of FDR10
// come next, the most distant ports first, because the changes retrain links. In the last phase,
// links in use that need another NeighborMTU or OperationalVLs are taken down, again the most
// distant first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sm/observed.h"
#include "sm/programming/desired.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// One SMP to send, without its payload: 8 bytes instead of 256, because a large subnet needs
/// millions of SMPs.
struct Op {
  std::uint32_t node = 0;  // NodeId
  /// Port number, block of the table, MftIndex, index as in NodeLaneTables, or index of
  /// port_block_op().
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
  kKeyOwners,  // a Get
  kKeys,
  kFdr10,
  kTakeDown
};
inline constexpr std::size_t kPhaseCount = 18;
std::string_view name(Phase phase);  // for messages; in phase_table.cpp

/// A block of a table that each port has: P_Keys, GUIDs.
constexpr Op port_block_op(NodeId node, PortNum port, std::size_t block) {
  return {node.value(), static_cast<std::uint16_t>(block << 8 | port.value())};
}
constexpr PortNum port_of(const Op& op) {
  return PortNum(static_cast<std::uint8_t>(op.index & 0xFF));
}
constexpr std::size_t block_of(const Op& op) { return op.index >> 8; }

/// A partial write of a block, which changes only the entries of these LIDs.
struct TablePart {
  std::size_t op = 0;  // index in Phase::kTables
  std::uint64_t lids = 0;
  bool operator==(const TablePart&) const = default;
};

/// The order of writes within Phase::kTables (table_order.h). A round begins when all SMPs of the
/// previous round are done; within a round the order is arbitrary. If `ends` is empty there is one
/// round.
struct TableRounds {
  std::vector<std::size_t> ends;  // ends of the rounds, as indices in Phase::kTables
  std::vector<TablePart> parts;   // by op
  bool operator==(const TableRounds&) const = default;
};

/// A phase begins when all SMPs of the previous phase are answered or have failed.
struct Plan {
  std::array<std::vector<Op>, kPhaseCount> phases;
  TableRounds table_rounds;
  std::vector<std::size_t> take_down_ends;  // ends of the rounds of Phase::kTakeDown
  /// Messages about limits: switches with tables too small for the LIDs, and the obstacles of
  /// LanePlan.
  std::vector<std::string> obstacles;

  const std::vector<Op>& operator[](Phase phase) const {
    return phases[static_cast<std::size_t>(phase)];
  }
  std::vector<Op>& operator[](Phase phase) { return phases[static_cast<std::size_t>(phase)]; }
  std::size_t size() const;
};

/// Plans all SMPs; sends none. Cost: O(ports + table bytes).
Plan diff(const Observed& observed, const HeldTables& held, const Desired& desired,
          const SmOptions& options);

}  // namespace weft
