// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/lane_reading.h"

#include <algorithm>

#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr std::uint64_t kIsArbitration = std::uint64_t{1} << 16;
constexpr unsigned kNodeShift = 32;

/// Clears entries beyond the capacity of the port's table, which are not compared.
VlArbTable within_capacity(VlArbTable table, const PortInfo& port, std::uint16_t index) {
  const auto block = static_cast<modifier::VlArbBlock>(index >> 8);
  const bool high = block >= modifier::VlArbBlock::kHighFirst;
  const bool second =
      block == modifier::VlArbBlock::kLowSecond || block == modifier::VlArbBlock::kHighSecond;
  const std::size_t capacity = high ? port.vl_arb_high_cap : port.vl_arb_low_cap;
  const std::size_t before = second ? VlArbTable::kEntries : 0;
  for (std::size_t i = 0; i < VlArbTable::kEntries; ++i)
    if (before + i >= capacity) table.entries[i] = {};
  return table;
}

}  // namespace

LaneReading::LaneReading(const Observed& observed, const Desired& desired, HeldTables& held)
    : observed_(observed),
      desired_(desired),
      held_(held),

      silent_(desired.fabric.node_count()),
      differs_(desired.fabric.node_count()) {
  if (!desired.lanes.is_set()) node_ = desired.fabric.node_count();
}

bool LaneReading::next_node() {
  while (node_ < desired_.fabric.node_count()) {
    const NodeId node(node_++);
    wanted_ = lane_tables(observed_, desired_.fabric, desired_.routes, desired_.lanes, node);
    at_once_ = std::ranges::count(wanted_.sl2vl, kEveryPair) > 0;
    if (at_once_) wanted_.sl2vl = every_pair(desired_.fabric, desired_.lanes, node);
    if (has_reset_state(observed_.nodes[node.value()])) {
      wanted_.arbitration.clear();
      if (!at_once_) continue;
    }
    const HeldLanes* known = held_.find_lanes(desired_.fabric.node(node).node_guid);
    std::erase_if(wanted_.sl2vl,
                  [&](std::uint16_t pair) { return known != nullptr && known->has_map(pair); });
    std::erase_if(wanted_.arbitration, [&](std::uint16_t index) {
      return known != nullptr && known->has_arbitration(index);
    });
    if (!wanted_.sl2vl.empty() || !wanted_.arbitration.empty()) return true;
  }
  return false;
}

bool LaneReading::next(Smp& request, std::uint64_t& cookie) {
  if (at_once_ && differs_[node_ - 1]) wanted_.sl2vl.clear();
  const bool spent = wanted_.sl2vl.empty() && wanted_.arbitration.empty();
  if ((spent || silent_[node_ - 1]) && !next_node()) {
    wanted_ = {};
    return false;
  }
  const NodeId node(node_ - 1);
  const bool map = !wanted_.sl2vl.empty();
  std::vector<std::uint16_t>& from = map ? wanted_.sl2vl : wanted_.arbitration;
  const std::uint16_t index = from.back();
  from.pop_back();
  fill_directed_request(request, Method::kGet,
                        map ? AttributeId::kSlToVlTable : AttributeId::kVlArbitrationTable,
                        map ? map_modifier(desired_.fabric, node, index)
                            : arbitration_modifier(desired_.fabric, node, index),
                        observed_.nodes[node.value()].path(port_of(index)));
  cookie = std::uint64_t{node.value()} << kNodeShift | (map ? 0 : kIsArbitration) | index;
  return true;
}

void LaneReading::answered(std::uint64_t cookie, const Smp& answer) {
  if (answer.status != mad_status::kGood) return;
  const NodeId node(static_cast<std::uint32_t>(cookie >> kNodeShift));
  const auto index = static_cast<std::uint16_t>(cookie);
  const Node& owner = desired_.fabric.node(node);
  HeldLanes& lanes = held_.lanes_at(owner.node_guid, owner.port_count);
  if ((cookie & kIsArbitration) != 0) {
    const PortInfo& port = observed_.nodes[node.value()].ports[port_of(index).value()];
    lanes.remember_arbitration(index,
                               within_capacity(*decode_vl_arb_table(answer.data), port, index));
    return;
  }
  SlMap map{};
  const SlToVlTable table = *decode_sl_to_vl_table(answer.data);
  std::ranges::transform(table.vls, map.begin(), [](Vl vl) { return vl.value(); });
  lanes.remember_map(index, map);
  if (map != planned_map(desired_.fabric, desired_.routes, desired_.lanes, node, index))
    differs_[node.value()] = true;
}

void LaneReading::failed(std::uint64_t cookie, const Error&) {
  silent_[cookie >> kNodeShift] = true;
}

}  // namespace weft
