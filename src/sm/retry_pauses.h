// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pauses before requests that failed in a heavy sweep are repeated. Otherwise a device that answers
// the light sweep but refuses the following heavy sweep would cause heavy sweeps without end.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sm/observed.h"

namespace weft {

class RetryPauses {
 public:
  static constexpr unsigned kDoublingsMax = 5;

  static std::string name(const SilentPort& port) {
    return fmt::format("{} 0x{:04x}", port.name, static_cast<unsigned>(port.attribute));
  }

  bool is_due(const std::string& name, TimeNs now) const {
    const auto known = pauses_.find(name);
    return known == pauses_.end() || known->second.until <= now;
  }

  /// To be called when the request was answered in a light sweep, and a heavy sweep follows. The
  /// pause after that sweep doubles each time, from 2 to 32 light-sweep intervals.
  void answered(const std::string& name, TimeNs now, TimeNs interval) {
    Pause& pause = pauses_[name];
    if (pause.doublings < kDoublingsMax) ++pause.doublings;
    pause.until = now + interval * (1 << pause.doublings);
  }

  /// Keeps the pauses of requests that failed again in the heavy sweep, and of switches with a
  /// PortStateChange that could not be cleared; drops all other pauses.
  void keep(const Observed& observed) {
    std::map<std::string, Pause> kept;
    const auto take = [&](const std::string& name) {
      if (const auto known = pauses_.find(name); known != pauses_.end()) kept.insert(*known);
    };
    if (pauses_.empty()) return;
    for (const SilentPort& port : observed.silent) take(name(port));
    for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s)
      if (observed.nodes[s].switch_info.port_state_change)
        take(describe(observed.fabric.node(NodeId(s))));
    pauses_ = std::move(kept);
  }

 private:
  struct Pause {
    unsigned doublings = 0;
    TimeNs until{0};
  };
  std::map<std::string, Pause> pauses_;
};

}  // namespace weft
