// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Links that the manager does not use, because a port is unhealthy.
#pragma once

#include <set>

#include "sm/keys/key_files.h"

namespace weft {

/// Both ends of each link, if known.
struct AvoidedLinks {
  std::set<CableEnd> not_discovered;  // neighbors of these ports are not queried
  std::set<CableEnd> isolated;        // discovered, but left out of the fabric
  bool has(const CableEnd& end) const {
    return not_discovered.contains(end) || isolated.contains(end);
  }
  bool empty() const { return not_discovered.empty() && isolated.empty(); }
  bool operator==(const AvoidedLinks&) const = default;
};

}  // namespace weft
