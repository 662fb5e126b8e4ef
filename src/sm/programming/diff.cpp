// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/diff.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/parallel.h"

namespace weft {
namespace {

constexpr std::size_t kSwitchesAtOnce = 64;  // switches that are written at the same time

/// True if all fields of the port that the manager sets have the desired values.
bool is_as_desired(const PortInfo& is, PortInfo wanted) {
  // Fields that a Set leaves unchanged must compare equal; widths and speeds are 0 if correct.
  wanted.state = is.state;
  wanted.phys_state = is.phys_state;
  wanted.client_reregister = is.client_reregister;  // an action bit, set in its own phase
  if (wanted.link_width_enabled == 0) wanted.link_width_enabled = is.link_width_enabled;
  if (wanted.link_speed_enabled == 0) wanted.link_speed_enabled = is.link_speed_enabled;
  if (wanted.link_speed_ext_enabled == 0) wanted.link_speed_ext_enabled = is.link_speed_ext_enabled;
  if (wanted.link_speed_ext2_enabled == 0)
    wanted.link_speed_ext2_enabled = is.link_speed_ext2_enabled;
  if (wanted.mkey == Mkey(0)) {  // without a key, protection and lease have no effect
    wanted.mkey_protect = is.mkey_protect;
    wanted.mkey_lease_period_s = is.mkey_lease_period_s;
  }
  return is == wanted;
}

bool is_as_desired(const SwitchInfo& is, const SwitchInfo& wanted) {
  return is.linear_fdb_top == wanted.linear_fdb_top &&
         is.life_time_value == wanted.life_time_value &&
         is.multicast_fdb_top == wanted.multicast_fdb_top;
}

void diff_ports(const Observed& observed, const HeldTables& held, const Desired& desired,
                const SmOptions& options, NodeId node, Plan& plan) {
  const ObservedNode& seen = observed.nodes[node.value()];
  for (const Port& port : desired.fabric.ports(node)) {
    const std::uint8_t number = port.num.value();
    if (!seen.answered[number]) continue;
    const Op op{node.value(), number};
    const PortInfo wanted =
        held.ports().without_unstored(seen.info.node_guid, port.num, seen.ports[number],
                                      desired_port(observed, desired, options, node, port.num));
    // On a link not yet in use, the first Set carries ClientReregister: the host registers when the
    // link becomes ACTIVE.
    const bool is_reregistration_due = needs_reregistration(desired, node, port.num);
    const bool in_use = seen.ports[number].state == PortState::kActive;
    if (!is_as_desired(seen.ports[number], wanted) || (is_reregistration_due && !in_use))
      plan[Phase::kPorts].push_back(op);
    if (is_reregistration_due && in_use) plan[Phase::kReregister].push_back(op);
    if (changes_key(seen.ports[number], desired, options, node, port.num)) {
      if (options.m_key_per_port) plan[Phase::kKeyOwners].push_back(op);
      plan[Phase::kKeys].push_back(op);
    }
    if (wanted_extended_port_info(seen, port.num, options.fdr10)) plan[Phase::kFdr10].push_back(op);
    if (port.peer == kNoPort) continue;
    const PortState state = seen.ports[number].state;
    if (state == PortState::kInit) plan[Phase::kArm].push_back(op);
    if (state == PortState::kInit || state == PortState::kArmed)
      plan[Phase::kActivate].push_back(op);
  }
}

void diff_switch(const Observed& observed, const HeldTables& held, const Desired& desired,
                 const SmOptions& options, SwitchId sw, Plan& plan) {
  const std::uint32_t s = sw.value();
  const SwitchInfo& is = observed.nodes[s].switch_info;
  if (!is_as_desired(is, desired_switch(observed, desired, options, sw)))
    plan[Phase::kSwitches].push_back({s, 0});
  const Lfts& lfts = desired.routes.lfts;
  if (lfts.top().value() >= is.linear_fdb_cap)
    plan.obstacles.push_back(fmt::format(
        "{}: LinearFDBCap is {}, and LIDs go up to {}: LIDs beyond the capacity cannot be "
        "reached through this switch",
        describe(desired.fabric.node(sw)), is.linear_fdb_cap, lfts.top().value()));
  const std::size_t blocks =
      std::min(lfts.blocks(), (std::size_t{is.linear_fdb_cap} + kLftBlock - 1) / kLftBlock);
  const HeldTable* table = held.find(desired.fabric.node(sw).node_guid);
  for (std::size_t block = 0; block < blocks; ++block)
    if (table == nullptr || !table->holds(block, lfts.block(sw, block)))
      plan[Phase::kTables].push_back({s, static_cast<std::uint16_t>(block)});
}

/// Reorders writes that are grouped by switch so that writes to kSwitchesAtOnce switches alternate.
/// Each switch gets only a few SMPs at a time, so writes to a single switch would not use the whole
/// limit of outstanding SMPs.
void alternate_switches(std::vector<Op>& ops) {
  std::vector<Op> group;            // the writes to kSwitchesAtOnce switches
  std::vector<std::size_t> begins;  // first write to each switch in `group`
  for (auto at = ops.begin(); at != ops.end();) {
    group.clear();
    begins.clear();
    for (auto op = at; op != ops.end(); ++op) {
      if (group.empty() || group.back().node != op->node) {
        if (begins.size() == kSwitchesAtOnce) break;
        begins.push_back(group.size());
      }
      group.push_back(*op);
    }
    begins.push_back(group.size());
    const auto end = at + static_cast<std::ptrdiff_t>(group.size());
    for (std::size_t i = 0; at != end; ++i)
      for (std::size_t k = 0; k + 1 < begins.size(); ++k)
        if (begins[k] + i < begins[k + 1]) *at++ = group[begins[k] + i];
  }
}

/// Plans writes of the blocks that are unknown or differ: the blocks up to the highest multicast
/// LID or up to the MulticastFDBTop when the switch was first discovered, and all cached blocks.
void diff_multicast(const Observed& observed, const HeldTables& held, const Desired& desired,
                    SwitchId sw, Plan& plan) {
  const Mfts& mfts = desired.routes.mfts;
  const Node& node = desired.fabric.node(sw);
  const ObservedNode& seen = observed.nodes[sw.value()];
  const std::uint16_t cap = seen.switch_info.multicast_fdb_cap;
  if (mft_top(mfts).value() >= kLidMulticastFirst.value() + cap && !mfts.empty())
    plan.obstacles.push_back(fmt::format(
        "{}: MulticastFDBCap is {}, and multicast LIDs go up to 0x{:04X}: packets to multicast "
        "LIDs beyond the capacity are not forwarded",
        describe(node), cap, mft_top(mfts).value()));
  const HeldTable* table = held.find(node.node_guid);
  const Lid held_up_to = table == nullptr ? kLidNone : table->multicast_top();
  std::vector<MftIndex> blocks = mft_blocks(std::max(mft_top(mfts), held_up_to), node, cap);
  if (table != nullptr) {
    for (const auto& [index, block] : table->all_multicast()) blocks.push_back(index);
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  }
  const bool in_use = !has_reset_state(seen);
  for (const MftIndex index : blocks) {
    const MulticastForwardingTable wanted = desired_mft_block(mfts, sw, index);
    const MulticastForwardingTable* known = table == nullptr ? nullptr : table->multicast(index);
    if (known != nullptr && *known == wanted) continue;
    const MulticastForwardingTable cut = intermediate_mft_block(known, wanted);
    if (in_use && (known == nullptr || *known != cut))
      plan[Phase::kMulticastCut].push_back({sw.value(), index});
    if (cut != wanted) plan[Phase::kMulticast].push_back({sw.value(), index});
  }
}

void diff_pkeys(const Observed& observed, const HeldTables& held, const Desired& desired,
                NodeId node, Plan& plan) {
  const Fabric& fabric = desired.fabric;
  const auto known = held.pkeys().of(fabric.node(node).node_guid);
  for (const Port& port : fabric.ports(node)) {
    const PortId id = fabric.port_id(node, port.num);
    if (!desired.pkeys.programs(id)) continue;
    const std::size_t blocks = pkey_blocks(pkey_capacity(observed, fabric, id));
    for (std::size_t block = 0; block < blocks; ++block)
      if (!known.holds(port.num, block, desired.pkeys.block(id, block)))
        plan[Phase::kPkeys].push_back(port_block_op(node, port.num, block));
  }
}

void diff_guids(const HeldTables& held, const Desired& desired, Plan& plan) {
  for (const auto& [guid, guids] : desired.aliases) {
    const auto endport = desired.fabric.find_endport(guid);
    if (!endport) continue;
    const Endport& at = desired.fabric.endport(*endport);
    for (std::size_t block = 0; block < guid_blocks(guids); ++block)
      if (!held.aliases().holds(guid, block, guid_block(guid, guids, block)))
        plan[Phase::kGuids].push_back(
            port_block_op(at.node, desired.fabric.port(at.port).num, block));
  }
}

/// Unless all pairs are known to have their maps: plans an SMP that writes all pairs, an SMP that
/// reads one pair back, and separate writes of each pair in case the first SMP is refused or the
/// pair read back differs. If the old map of a pair is known to differ, that pair is read back,
/// because its new map proves the write.
void diff_every_pair(const Desired& desired, const HeldLanes* known, NodeId node, Plan& plan) {
  const Fabric& fabric = desired.fabric;
  std::optional<std::uint16_t> sample;
  bool proves_write = false, all_held = true;
  const std::size_t before = plan[Phase::kSl2Vl].size();
  for (const std::uint16_t pair : every_pair(fabric, desired.lanes, node)) {
    const bool held =
        known != nullptr &&
        known->holds_map(pair, planned_map(fabric, desired.routes, desired.lanes, node, pair));
    all_held = all_held && held;
    plan[Phase::kSl2Vl].push_back({node.value(), pair});
    if (proves_write || held || pair >> 8 == (pair & 0xFF)) continue;
    sample = pair;
    proves_write = known != nullptr && known->has_map(pair);
  }
  if (all_held) return plan[Phase::kSl2Vl].resize(before);
  plan[Phase::kSl2VlAtOnce].push_back({node.value(), kEveryPair});
  if (sample) plan[Phase::kSl2VlCheck].push_back({node.value(), *sample});
}

void diff_lanes(const Observed& observed, const HeldTables& held, const Desired& desired,
                NodeId node, Plan& plan) {
  const NodeLaneTables tables =
      lane_tables(observed, desired.fabric, desired.routes, desired.lanes, node);
  const HeldLanes* known = held.find_lanes(desired.fabric.node(node).node_guid);
  for (const std::uint16_t pair : tables.sl2vl) {
    const SlMap& map = planned_map(desired.fabric, desired.routes, desired.lanes, node, pair);
    if (known != nullptr && known->holds_map(pair, map)) continue;
    if (pair == kEveryPair)
      diff_every_pair(desired, known, node, plan);
    else
      plan[Phase::kSl2Vl].push_back({node.value(), pair});
  }
  for (const std::uint16_t index : tables.arbitration)
    if (known == nullptr ||
        !known->holds_arbitration(index, planned_arbitration(desired, node, index)))
      plan[Phase::kVlArb].push_back({node.value(), index});
}

void append(Plan&& part, Plan& plan) {
  for (std::size_t i = 0; i < plan.phases.size(); ++i)
    plan.phases[i].insert(plan.phases[i].end(), part.phases[i].begin(), part.phases[i].end());
  std::ranges::move(part.obstacles, std::back_inserter(plan.obstacles));
}

/// Calls body(i, plan) for i in [0, count), several at once, each for its own part of the plan.
void plan_each(std::uint32_t count, unsigned threads, Plan& plan,
               const std::function<void(std::uint32_t i, Plan& plan)>& body) {
  constexpr std::size_t kPart = 512;
  constexpr std::uint64_t kStepsOfNode = 1000;  // each node needs memory accesses in many places
  std::vector<Plan> parts((count + kPart - 1) / kPart);
  parallel_blocks(count, kPart, threads_worth(kStepsOfNode * count, threads),
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i)
                      body(static_cast<std::uint32_t>(i), parts[begin / kPart]);
                  });
  for (Plan& part : parts) append(std::move(part), plan);
}

}  // namespace

std::size_t Plan::size() const {
  std::size_t sum = 0;
  for (const auto& phase : phases) sum += phase.size();
  return sum;
}

Plan diff(const Observed& observed, const HeldTables& held, const Desired& desired,
          const SmOptions& options) {
  const Fabric& fabric = desired.fabric;
  Plan plan;
  plan.obstacles = desired.lanes.obstacles();
  const unsigned threads = options.routing.plain.threads;
  plan_each(fabric.node_count(), threads, plan, [&](std::uint32_t n, Plan& part) {
    diff_pkeys(observed, held, desired, NodeId(n), part);
    diff_ports(observed, held, desired, options, NodeId(n), part);
  });
  plan_each(fabric.switch_count(), threads, plan, [&](std::uint32_t s, Plan& part) {
    diff_switch(observed, held, desired, options, SwitchId(s), part);
  });
  alternate_switches(plan[Phase::kTables]);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    diff_multicast(observed, held, desired, SwitchId(s), plan);
  if (desired.lanes.is_set())
    plan_each(fabric.node_count(), threads, plan, [&](std::uint32_t n, Plan& part) {
      diff_lanes(observed, held, desired, NodeId(n), part);
    });
  diff_guids(held, desired, plan);
  const auto hops = [&](const Op& op) { return observed.nodes[op.node].path(port_of(op)).count; };
  std::ranges::stable_sort(plan[Phase::kFdr10], std::ranges::greater{}, hops);
  std::vector<Op>& down = plan[Phase::kTakeDown];
  for (const PortId port : desired.to_take_down)
    down.push_back({fabric.port(port).node.value(), fabric.port(port).num.value()});
  std::ranges::stable_sort(down, std::ranges::greater{}, hops);
  for (std::size_t i = 1; i <= down.size(); ++i)
    if (i == down.size() || hops(down[i]) != hops(down[i - 1])) plan.take_down_ends.push_back(i);
  return plan;
}

}  // namespace weft
