// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/program_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ib/tables.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

const SlMap& wanted_map(const Programming& programming, const PlannedOp& planned) {
  const Desired& desired = programming.desired;
  return planned_map(desired.fabric, desired.routes, desired.lanes, planned.node(),
                     planned.op.index);
}

HeldLanes& held_lanes(Programming& programming, const PlannedOp& planned) {
  const Node& owner = programming.desired.fabric.node(planned.node());
  return programming.held.lanes_at(owner.node_guid, owner.port_count);
}

/// A request for the SL2VL tables or arbitration of a port, or of all ports of a switch.
Smp lane_request(const Programming& programming, const PlannedOp& planned, Method method,
                 AttributeId attribute, std::uint32_t modifier) {
  const ObservedNode& node = programming.observed.nodes[planned.op.node];
  return directed_request(method, attribute, modifier, node.path(port_of(planned.op.index)));
}

Smp sl2vl_request(const Programming& programming, const PlannedOp& planned, Method method) {
  return lane_request(programming, planned, method, AttributeId::kSlToVlTable,
                      map_modifier(programming.desired.fabric, planned.node(), planned.op.index));
}

}  // namespace

void fill_sl2vl(Programming& programming, const PlannedOp& planned, Smp& request) {
  request = sl2vl_request(programming, planned, Method::kSet);
  SlToVlTable table;
  std::ranges::transform(wanted_map(programming, planned), table.vls.begin(),
                         [](std::uint8_t vl) { return Vl(vl); });
  request.data = encode(table);
}

std::string confirm_sl2vl(Programming& programming, const PlannedOp& planned, const Smp&) {
  held_lanes(programming, planned).remember_map(planned.op.index, wanted_map(programming, planned));
  return {};
}

bool holds_sl2vl(const Programming& programming, const PlannedOp& planned) {
  const Guid guid = programming.desired.fabric.node(planned.node()).node_guid;
  const HeldLanes* lanes = programming.held.find_lanes(guid);
  return lanes != nullptr && lanes->holds_map(planned.op.index, wanted_map(programming, planned));
}

void read_sl2vl(Programming& programming, const PlannedOp& planned, Smp& request) {
  request = sl2vl_request(programming, planned, Method::kGet);
}

std::string confirm_read_back(Programming& programming, const PlannedOp& planned,
                              const Smp& answer) {
  const SlMap& wanted = wanted_map(programming, planned);
  const SlToVlTable table = *decode_sl_to_vl_table(answer.data);
  for (std::size_t sl = 0; sl < wanted.size(); ++sl)
    if (table.vls[sl].value() != wanted[sl])
      return fmt::format("was read back with VL {} for SL {}, expected VL {}",
                         table.vls[sl].value(), sl, wanted[sl]);
  held_lanes(programming, planned).remember_map(kEveryPair, wanted);
  return {};
}

void note_refused_at_once(Programming& programming, const PlannedOp& planned) {
  programming.refuses_at_once.insert(planned.node());
}

bool refuses_at_once(const Programming& programming, const PlannedOp& planned) {
  return programming.refuses_at_once.contains(planned.node());
}

void fill_arbitration(Programming& programming, const PlannedOp& planned, Smp& request) {
  request = lane_request(
      programming, planned, Method::kSet, AttributeId::kVlArbitrationTable,
      arbitration_modifier(programming.desired.fabric, planned.node(), planned.op.index));
  request.data = encode(planned_arbitration(programming.desired, planned.node(), planned.op.index));
}

std::string confirm_arbitration(Programming& programming, const PlannedOp& planned, const Smp&) {
  held_lanes(programming, planned)
      .remember_arbitration(
          planned.op.index,
          planned_arbitration(programming.desired, planned.node(), planned.op.index));
  return {};
}

}  // namespace weft
