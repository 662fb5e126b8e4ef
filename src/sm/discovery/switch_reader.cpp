// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/switch_reader.h"

#include "ib/switch_info.h"
#include "sm/keys/known_keys.h"

namespace weft {
namespace {

bool shows_no_key(const DiscoveredNode& node) {
  return !node.seen.ports.empty() && node.seen.answered[0] && hides_key(node.seen.ports[0]);
}

}  // namespace

void SwitchReader::on_switch_info(const DiscoveryQuery& query, const Smp& answer) {
  SwitchInfo& info = state_.node(query.node).seen.switch_info;
  info = *decode_switch_info(answer.data);
  if (!clears_changes_ || !info.port_state_change) return query_ports(query.node);
  // Some switches answer the first Set with the bit still set. A second Set avoids a sweep.
  if (query.set && !set_again_.insert(query.node).second) return query_ports(query.node);
  state_.queries.push_back({AttributeId::kSwitchInfo, query.node, 0, true, 0, false});
}

void SwitchReader::on_no_switch_info(const DiscoveryQuery& query, const QueryFailure& why) {
  const DiscoveredNode& node = state_.node(query.node);
  if (!query.set) return state_.leave_out(query, {why.what + " to SwitchInfo", why.silent});
  if (why.silent && shows_no_key(node)) {
    state_.warn(
        fmt::format("{} refuses settings: {}", describe(node), unlock_advice(node.seen.ports[0])));
    return query_ports(query.node);
  }
  if (why.silent) return state_.leave_out(query, {why.what + " to SwitchInfo", true});
  state_.warn(fmt::format("{} {} when PortStateChange is cleared", describe(node), why.what));
  query_ports(query.node);
}

void SwitchReader::query_ports(std::uint32_t index) {
  const ObservedNode& seen = state_.node(index).seen;
  for (std::size_t p = 1; p < seen.ports.size(); ++p) {
    const auto port = static_cast<std::uint8_t>(p);
    state_.queries.push_back(
        {AttributeId::kPortInfo, index, port, false, 0, seen.takes_extended_speeds(PortNum(port))});
  }
}

}  // namespace weft
