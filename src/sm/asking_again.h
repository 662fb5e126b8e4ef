// How long devices are left alone that refuse what a heavy sweep asks of them: one that answers the
// light sweep, and the heavy sweep after it with a bad status, would keep the manager sweeping.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sm/observed.h"

namespace weft {

class AskingAgain {
 public:
  static constexpr unsigned kDoublingsMax = 5;

  static std::string name(const SilentPort& port) {
    return fmt::format("{} 0x{:04x}", port.name, static_cast<unsigned>(port.attribute));
  }

  bool is_due(const std::string& name, TimeNs now) const {
    const auto known = pauses_.find(name);
    return known == pauses_.end() || known->second.until <= now;
  }

  /// It answered a light sweep, and a heavy one follows. If that is in vain, twice the last pause
  /// follows, from two light sweeps up to 32 of them.
  void answered(const std::string& name, TimeNs now, TimeNs interval) {
    Pause& pause = pauses_[name];
    if (pause.doublings < kDoublingsMax) ++pause.doublings;
    pause.until = now + interval * (1 << pause.doublings);
  }

  /// What the heavy sweep left out; all else has come to good.
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
