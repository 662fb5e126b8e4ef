// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handles the answers to requests for SwitchInfo: in the discovery of a master, clears
// PortStateChange; then adds requests for all external ports of the switch.
#pragma once

#include <cstdint>
#include <set>

#include "sm/discovery/discovery_state.h"

namespace weft {

class SwitchReader {
 public:
  /// `state` must outlive this object. `clears_changes`: PortStateChange is cleared.
  SwitchReader(DiscoveryState& state, bool clears_changes)
      : state_(state), clears_changes_(clears_changes) {}

  void on_switch_info(const DiscoveryQuery& query, const Smp& answer);
  void on_no_switch_info(const DiscoveryQuery& query, const QueryFailure& why);

 private:
  void query_ports(std::uint32_t index);

  DiscoveryState& state_;
  const bool clears_changes_;
  std::set<std::uint32_t> set_again_;  // switches with PortStateChange still set after a Set
};

}  // namespace weft
