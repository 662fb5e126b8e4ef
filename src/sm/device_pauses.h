// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pauses before an attribute that a device announces, but does not answer, is requested again: a
// silent device costs timeouts.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>

#include "base/clock.h"
#include "ib/ids.h"

namespace weft {

/// Pauses before devices that do not answer, or refuse, are asked again, by GUID.
class DevicePauses {
 public:
  bool is_due(Guid device, TimeNs now) const {
    const auto known = pauses_.find(device);
    return known == pauses_.end() || known->second.until <= now;
  }
  /// The pause doubles with each failure in a row, from kFirst to kFirst << kDoublingsMax.
  void failed(Guid device, TimeNs now) {
    Pause& pause = pauses_[device];
    pause.until = now + kFirst * (1 << std::min(pause.failures, kDoublingsMax));
    ++pause.failures;
  }
  void answered(Guid device) { pauses_.erase(device); }
  /// The device came up again: another firmware may run.
  void reset(Guid device) { pauses_.erase(device); }

 private:
  static constexpr TimeNs kFirst = std::chrono::minutes(1);
  static constexpr unsigned kDoublingsMax = 6;
  struct Pause {
    unsigned failures = 0;
    TimeNs until{0};
  };
  std::map<Guid, Pause> pauses_;
};

}  // namespace weft
