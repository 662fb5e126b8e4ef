// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Up*/Down* routing: after a legal path turns down it never goes up again, so channels cannot form
// a cycle. Source: Schroeder et al., Autonet, 1991; opensm(8), "UPDN Routing Algorithm".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct UpdnOptions : UpDownOptions {
  std::span<const SwitchId> roots{};  // -a; empty: detect

  static constexpr OptionSet kSupports = UpDownOptions::kSupports | OptionSet{Option::kRoots};
  static UpdnOptions from(const RoutingOptions& all);
};

/// Ranks are distances from options.roots, or, in a part without these, from detected roots; if all
/// detected roots are on the top level of a tree, ranks are the levels of the tree. If no roots are
/// detected in a fabric that is no tree, or up*/down* paths by these ranks do not connect all
/// hosts, ranks are by distance from the leaves. If these ranks do not connect all hosts either,
/// ranks_around() (shapes/ranks.h) determines the ranks. Each connected part of a fabric has roots
/// of its own. Fails with kUnroutable if the given roots leave hosts of one part without a legal
/// path, naming two switches.
Result<Routes> route_updn(const Fabric& fabric, const UpdnOptions& options);

/// The ranks that route_updn uses, part by part; fails as route_updn does.
Result<std::vector<std::uint16_t>> updn_ranks(const Fabric& fabric, const UpdnOptions& options);

}  // namespace weft
