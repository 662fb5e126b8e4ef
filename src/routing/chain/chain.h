// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Engine chain: a sequence of steps, each of which routes a part of the fabric with its own engine.
// A table entry belongs to the last step that routes it. The steps use separate lanes where
// necessary (lanes.h), so a chain is deadlock-free if its steps are deadlock-free. Concept and
// terms are those of the routing chains of NVIDIA's OpenSM: docs/reference/routing-chains.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

/// One step on one fabric.
struct ChainStep {
  unsigned id = 0;        // steps are applied in this order
  std::string engine;     // name for find_engine()
  unsigned topology = 0;  // 0: the whole fabric
  unsigned path_bit = 0;  // index of the LID of each port that the step routes
  /// Steps that replace this step if it fails, as indices in Chain::steps.
  std::vector<std::size_t> fallbacks{};
  bool is_fallback = false;
  Fabric part{};             // the routed part; the only LID of a port is that of path_bit
  RoutingOptions options{};  // with the ids of `part`
  std::string obstacle{};    // why the step cannot be tried; empty: it can be tried
};

/// The index of a step is stored in one byte, of which the highest values have other meanings
/// (Owners, ChainPairs).
inline constexpr std::size_t kChainStepsMost = 252;

struct Chain {
  std::vector<ChainStep> steps;  // sorted by id; the first routes path bit 0 of the whole fabric
};

struct ChainOptions {
  unsigned threads = 0;
  unsigned vls_max = 8;
  bool ignore_replies = false;
  const Chain* chain = nullptr;
  const Lfts* previous = nullptr;  // active tables

  static constexpr OptionSet kSupports = OptionSet::all();  // limited by the engines of the steps
  static ChainOptions from(const RoutingOptions& all);
};

/// Routes by options.chain. If a step and its fallbacks fail, the entries of its part are those of
/// the earlier steps. If the first step and its fallbacks fail, the call fails with kUnroutable,
/// and the message names every attempt. LIDs of path bits that no step routes use the path of the
/// first LID of the port. Fails with kUsage if options.chain is null or has no steps, with
/// kUnroutable also if the paths of one pair of switches contain a cycle, and with kOutOfVls if the
/// steps need more VLs or SLs than there are.
Result<Routes> route_chain(const Fabric& fabric, const ChainOptions& options);

}  // namespace weft
