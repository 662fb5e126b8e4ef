// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// -A: cache of the routes of earlier fabrics. If a host reboots, or a leaf switch or cable is
// removed and returns, no new routing is needed: the fabric equals an earlier fabric, or is a part
// of it. Cached routes are verified again unless the fabric is the same.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/sweep_report.h"
#include "verify/verify.h"

namespace weft {

class RoutingCache {
 public:
  static constexpr std::size_t kKept = 4;  // number of fabrics; the oldest is dropped first

  struct Found {
    Routes routes;
    std::optional<Verdict> verdict;  // verdict if the fabric is the same; none: verify again
  };

  /// Stores a routed fabric.
  void remember(std::shared_ptr<const Snapshot> snapshot);
  void forget_all() { kept_.clear(); }

  /// The newest entry for this fabric; otherwise the newest entry with a fabric that contains this
  /// fabric, which lacks only nodes and cables. None if LIDs have changed, or if switches are
  /// missing and the routes need SLs or SL2VL maps by port. The routes of a larger fabric are
  /// returned without AR groups and multicast trees.
  std::optional<Found> find(const Fabric& fabric) const;

 private:
  std::deque<std::shared_ptr<const Snapshot>> kept_;  // newest first
};

}  // namespace weft
