// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configures DCQCN of one device that announces it: generates the requests, one after another, and
// handles the answers. Each attribute with settings is read, and written if it differs; fields
// without a setting are written as read. The attribute that enables DCQCN is the last one.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "ib/gmp.h"
#include "policy/dcqcn_policy.h"

namespace weft {

class DcqcnDevice {
 public:
  explicit DcqcnDevice(DcqcnSettings settings);

  bool is_done() const { return left_.empty(); }
  /// Sets method, attribute, modifier and data of the next request; not to be called if is_done().
  void write(Gmp& request) const;
  /// Handles an answer with good status. Fails if a Set was not applied.
  Status take(const Gmp& answer);

  /// Sets that an answer confirmed.
  std::uint64_t written() const { return written_; }

 private:
  DcqcnSettings left_;   // attributes that are not configured yet; the last one is next
  bool writes_ = false;  // the next request is a Set of to_write_
  CongestionData to_write_{};
  std::uint64_t written_ = 0;
};

/// Removes the setting whether a CA port controls congestion for each plane, and the attribute if
/// no setting remains.
void remove_per_plane(DcqcnSettings& settings);

}  // namespace weft
