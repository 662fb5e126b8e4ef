// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State that the phases of programming read and change (phase_table.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "sm/keys/known_keys.h"
#include "sm/options.h"
#include "sm/programming/desired.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// One SMP of the plan, with its index in the phase.
struct PlannedOp {
  Phase phase{};
  std::size_t at = 0;  // index in the phase
  Op op;
  NodeId node() const { return NodeId(op.node); }
};

/// All references must outlive this object.
struct Programming {
  const Plan& plan;
  Desired& desired;  // links are renewed if ports announce other capabilities
  const SmOptions& options;
  Observed& observed;  // updated by answers
  HeldTables& held;    // the tables that nodes confirmed
  KnownKeys& keys;
  std::vector<PortId> reregistered{};  // ports that confirmed ClientReregister
  /// Ports that were sent a Set to Down, including those without an answer or with an error status.
  std::vector<PortId> taken_down{};
  std::set<PortId> key_owners{};       // ports with their own key and a GUID that was read again
  std::set<NodeId> refuses_at_once{};  // switches that refused the SMP for all SL2VL pairs

  PortId port_id(const PlannedOp& planned) const {
    return desired.fabric.port_id(planned.node(), port_of(planned.op));
  }
  /// The path to the SMA of the port.
  const DirectedPath& path(const PlannedOp& planned) const {
    return observed.nodes[planned.op.node].path(port_of(planned.op));
  }
};

}  // namespace weft
