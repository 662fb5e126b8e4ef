#include "sm/diff.h"

namespace weft {
namespace {

/// True where the port says what it should, as far as the manager decides it.
bool as_desired(const PortInfo& is, PortInfo wanted) {
  // What a Set leaves alone must not make a difference.
  wanted.state = is.state;
  wanted.phys_state = is.phys_state;
  wanted.link_width_enabled = is.link_width_enabled;
  wanted.link_speed_enabled = is.link_speed_enabled;
  wanted.link_speed_ext_enabled = is.link_speed_ext_enabled;
  wanted.link_speed_ext2_enabled = is.link_speed_ext2_enabled;
  return is == wanted;
}

bool as_desired(const SwitchInfo& is, const SwitchInfo& wanted) {
  return is.linear_fdb_top == wanted.linear_fdb_top &&
         is.life_time_value == wanted.life_time_value && !is.port_state_change;
}

void diff_ports(const Observed& observed, const Desired& desired, const SmOptions& options,
                NodeId node, Plan& plan) {
  const ObservedNode& seen = observed.nodes[node.value()];
  for (const Port& port : desired.fabric.ports(node)) {
    const std::uint8_t number = port.num.value();
    if (!seen.asked[number]) continue;
    const Op op{node.value(), number};
    const PortInfo wanted = desired_port(observed, desired, options, node, port.num);
    if (!as_desired(seen.ports[number], wanted)) plan[Phase::kPorts].push_back(op);
    if (port.peer == kNoPort) continue;
    const PortState state = seen.ports[number].state;
    if (state == PortState::kInit) plan[Phase::kArm].push_back(op);
    if (state == PortState::kInit || state == PortState::kArmed)
      plan[Phase::kActivate].push_back(op);
  }
}

}  // namespace

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::kPorts:
      return "ports";
    case Phase::kSwitches:
      return "switches";
    case Phase::kTables:
      return "tables";
    case Phase::kArm:
      return "arm";
    case Phase::kActivate:
      return "activate";
  }
  return "?";
}

std::size_t Plan::size() const {
  std::size_t sum = 0;
  for (const auto& phase : phases) sum += phase.size();
  return sum;
}

Plan diff(const Observed& observed, const HeldTables& held, const Desired& desired,
          const SmOptions& options) {
  const Fabric& fabric = desired.fabric;
  Plan plan;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    diff_ports(observed, desired, options, NodeId(n), plan);
  const Lfts& lfts = desired.routes.lfts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    if (!as_desired(observed.nodes[s].switch_info, desired_switch(observed, desired, options, sw)))
      plan[Phase::kSwitches].push_back({s, 0});
    for (std::size_t block = 0; block < lfts.blocks(); ++block)
      if (!held.holds(fabric.node(sw).node_guid, block, lfts.block(sw, block)))
        plan[Phase::kTables].push_back({s, static_cast<std::uint16_t>(block)});
  }
  return plan;
}

}  // namespace weft
