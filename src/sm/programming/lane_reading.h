// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads planned SL2VL and VL arbitration tables with unknown content of nodes in use, as after a
// restart on a running fabric, so that only differences are written.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/discovery/smp_client.h"
#include "sm/programming/desired.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// A table that cannot be read stays unknown, and is written. On a switch with optimized SL2VL, the
/// SL2VL tables are read even after a reset, up to the first table that differs from the plan: one
/// SMP then writes all tables, and one table is read back to verify the write.
class LaneReading final : public SmpWork {
 public:
  LaneReading(const Observed& observed, const Desired& desired, HeldTables& held);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  /// Loads the unknown tables of the next node; false if there are no more.
  bool next_node();

  const Observed& observed_;
  const Desired& desired_;
  HeldTables& held_;
  std::uint32_t node_ = 0;  // the node after that of `wanted_`
  NodeLaneTables wanted_;   // tables still to be read, of the node before node_
  bool at_once_ = false;    // one SMP writes its SL2VL tables: one difference is enough
  // The following vectors are indexed by NodeId.
  std::vector<bool> silent_;
  std::vector<bool> differs_;  // has an SL2VL table that differs from the plan
};

}  // namespace weft
