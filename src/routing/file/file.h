// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes read from files: forwarding tables (-U), a hop matrix to balance over (-M), or both. The
// engine does not check the routes; the verifier does. Source: opensm(8), "Modular Routing Engine".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct FileOptions : SpreadOptions {
  const Lfts* lfts = nullptr;             // -U
  const LidMatrix* lid_matrix = nullptr;  // -M; load-balancing options apply only with it

  static constexpr OptionSet kSupports =
      SpreadOptions::kSupports | OptionSet{Option::kLfts, Option::kLidMatrix};
  static FileOptions from(const RoutingOptions& all);
};

/// options.lfts unchanged; a LID that is in none of these tables is routed over options.lid_matrix
/// if present. Fails with kUnroutable if neither is given.
Result<Routes> route_file(const Fabric& fabric, const FileOptions& options);

}  // namespace weft
