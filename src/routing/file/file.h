// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes read from files: forwarding tables (-U), a LID matrix (-M) from which balanced forwarding
// tables are computed, or both. The engine does not check the routes; the verifier does.
// Source: opensm(8), "Modular Routing Engine".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct FileOptions : SpreadOptions {
  const Lfts* lfts = nullptr;             // -U
  const LidMatrix* lid_matrix = nullptr;  // -M; null: no load balancing

  static constexpr OptionSet kSupports =
      SpreadOptions::kSupports | OptionSet{Option::kLfts, Option::kLidMatrix};
  static FileOptions from(const RoutingOptions& all);
};

/// Returns options.lfts unchanged. LIDs without an entry in any of these tables are routed by
/// options.lid_matrix, if given. Fails with kUnroutable if neither is given.
Result<Routes> route_file(const Fabric& fabric, const FileOptions& options);

}  // namespace weft
