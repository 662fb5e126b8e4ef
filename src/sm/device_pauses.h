// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pauses before an attribute that a device announces, but does not answer, is requested again: each
// request without an answer costs timeouts.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>

#include "base/clock.h"
#include "ib/ids.h"

namespace weft {

/// Pauses before devices that do not answer, or refuse, are queried again, by GUID.
class DevicePauses {
 public:
  bool is_due(Guid device, TimeNs now) const {
    const auto known = pauses_.find(device);
    return known == pauses_.end() || known->second.until <= now;
  }
  /// The pause is kFirst. It doubles with each failure in a row, up to kFirst << kDoublingsMax,
  /// except for devices of note_support(): their failures count as temporary.
  void failed(Guid device, TimeNs now) {
    Pause& pause = pauses_[device];
    const unsigned doublings = pause.is_supported ? 0 : std::min(pause.failures, kDoublingsMax);
    pause.until = now + kFirst * (1 << doublings);
    ++pause.failures;
  }
  void answered(Guid device) { pauses_.erase(device); }
  /// The device has answered, and is known to support all of the attributes.
  void note_support(Guid device) { pauses_[device] = {.is_supported = true}; }
  /// To be called when the device was restarted: its firmware may have changed.
  void reset(Guid device) { pauses_.erase(device); }
  /// True if the last request failed and the pause after it has ended.
  bool is_retry_due(Guid device, TimeNs now) const {
    const auto known = pauses_.find(device);
    return known != pauses_.end() && known->second.failures > 0 && known->second.until <= now;
  }

 private:
  static constexpr TimeNs kFirst = std::chrono::minutes(1);
  static constexpr unsigned kDoublingsMax = 6;
  struct Pause {
    bool is_supported = false;
    unsigned failures = 0;  // failures in a row
    TimeNs until{0};
  };
  std::map<Guid, Pause> pauses_;
};

}  // namespace weft
