// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verification of routes that may begin with the proof of earlier ones: what has not changed is not
// verified again.
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
  /// What it refers to must outlive it. `compares`: for debugging, it verifies everything in either
  /// case, and uses that verdict.
  IncrementalVerifier(std::optional<ProvedRoutes> before, bool compares)
      : before_(before), compares_(compares) {}

  struct Result {
    Verdict verdict;
    /// Of the verdict, if changes of the routes can be verified from them. They refer to the
    /// fabric.
    std::optional<Dependencies> dependencies{};
    bool only_changes = false;  // prove_changes() was enough
  };
  Result verify(const Fabric& fabric, const Routes& routes, const VerifyOptions& options);

  /// With `compares`, the first difference found between a verdict from changes and the complete
  /// one; empty: none.
  const std::string& difference() const { return difference_; }

 private:
  const std::optional<ProvedRoutes> before_;
  const bool compares_;
  std::string difference_;
};

}  // namespace weft
