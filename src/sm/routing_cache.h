// -A: routes of earlier sweeps, for fabrics that come back. A host that reboots, a leaf switch or a
// cable that goes and returns so cost no new routing: the fabric is one that was routed before, or
// what is left of one, and its tables still serve. What is found is proven anew unless it is the
// very fabric that was proven then.
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
  static constexpr std::size_t kKept = 4;  // fabrics; the oldest goes first

  struct Found {
    Routes routes;
    std::optional<Verdict> verdict;  // where the fabric is the same; else it is to be judged
  };

  /// A fabric that was routed; not one whose routes came from here.
  void remember(std::shared_ptr<const Snapshot> snapshot);
  void forget_all() { kept_.clear(); }

  /// The newest entry that is this fabric, else the newest that this fabric is a part of: the same
  /// but for nodes, and cables to them, that are not there now. Nothing where LIDs have moved, or
  /// switches are missing under routes that need service levels.
  std::optional<Found> find(const Fabric& fabric) const;

 private:
  std::deque<std::shared_ptr<const Snapshot>> kept_;  // newest first
};

}  // namespace weft
