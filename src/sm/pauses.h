// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pauses before a request that a device did not answer is sent again: each request without an
// answer costs timeouts.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>

#include "base/clock.h"
#include "ib/ids.h"

namespace weft {

/// Pauses before devices that do not answer, or refuse a request, are queried again. The key
/// identifies a device or a device kind.
template <class Key>
class Pauses {
 public:
  bool is_due(const Key& key, TimeNs now) const {
    const auto known = pauses_.find(key);
    return known == pauses_.end() || known->second.until <= now;
  }
  /// The pause is kFirst. It doubles with each failure in a row, up to kFirst << kDoublingsMax.
  /// After note_support() the pause does not grow: failures of the device count as temporary.
  void failed(const Key& key, TimeNs now) {
    Pause& pause = pauses_[key];
    const unsigned doublings = pause.is_supported ? 0 : std::min(pause.failures, kDoublingsMax);
    pause.until = now + kFirst * (1 << doublings);
    ++pause.failures;
  }
  void answered(const Key& key) { pauses_.erase(key); }
  /// To be called when the device has answered, and is known to support all attributes that the
  /// caller queries. Clears the failures.
  void note_support(const Key& key) { pauses_[key] = {.is_supported = true}; }
  /// To be called when the device was restarted: its firmware may have changed.
  void reset(const Key& key) { pauses_.erase(key); }
  /// True if the last request failed and the pause after it has ended.
  bool is_retry_due(const Key& key, TimeNs now) const {
    const auto known = pauses_.find(key);
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
  std::map<Key, Pause> pauses_;
};

/// Pauses by GUID of the device.
using DevicePauses = Pauses<Guid>;

}  // namespace weft
