// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies routes; if possible, only the changes since routes with a proof.
#pragma once

#include <optional>
#include <string>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/proof.h"
#include "verify/verify.h"

namespace weft {

class IncrementalVerifier {
 public:
  /// The objects that `before` refers to must outlive this object. `compares`: for debugging, also
  /// verifies the whole routes, and uses that verdict.
  IncrementalVerifier(std::optional<ProvedRoutes> before, bool compares)
      : before_(before), compares_(compares) {}

  struct Result {
    Verdict verdict;
    /// The dependencies that belong to the verdict, if they can be used to verify later changes
    /// (is_complete()). They refer to the fabric of verify().
    std::optional<Dependencies> dependencies{};
    bool only_changes = false;  // prove_changes() was sufficient
  };
  /// Verifies routes: only the changes if prove_changes() succeeds, otherwise as weft::verify().
  /// Routes with SL2VL maps by port are always verified as a whole, and the result has no
  /// dependencies.
  Result verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options);

  /// With `compares`, the first difference between the verdict from changes and the complete
  /// verdict; empty: none.
  const std::string& difference() const { return difference_; }

 private:
  const std::optional<ProvedRoutes> before_;
  const bool compares_;
  std::string difference_;
};

}  // namespace weft
