// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DNUP: up*/down* with ranks counted from the hosts instead of from roots: a packet moves away from
// the hosts' level, then toward it, and never away again. For fabrics with hosts at their roots
// too. Source: opensm(8), "DNUP Routing Algorithm".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct DnupOptions : UpDownOptions {
  static DnupOptions from(const RoutingOptions& all) { return {UpDownOptions::from(all)}; }
};

/// Ranks are those of a tree, if the fabric is one. Else the full leaves of shapes/ranks.h rank
/// lowest, others by their distance from these; where that leaves hosts without a legal path, all
/// switches with hosts rank lowest. Equals rank as around the central switch. Fails with
/// kUnroutable where this leaves hosts of one part without a legal path, naming two switches.
Result<Routes> route_dnup(const Fabric& fabric, const DnupOptions& options);

}  // namespace weft
