// Engine chain: parts of the fabric, each routed by an engine of its own, one step after another.
// An entry of a table belongs to the last step that routes it. Lanes keep the steps apart where
// they need it (lanes.h), so that a chain is free of deadlock if its steps are.
// Idea and words: the routing chains of NVIDIA's OpenSM. docs/reference/routing-chains.md
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// One step on one fabric.
struct ChainStep {
  unsigned id = 0;        // steps go in this order
  std::string engine;     // by name, as find_engine() knows it
  unsigned topology = 0;  // 0: the whole fabric
  unsigned path_bit = 0;  // which of the 2^LMC LIDs of each port it routes
  /// Steps that stand in for this one if it fails, by their place in Chain::steps.
  std::vector<std::size_t> fallbacks{};
  bool is_fallback = false;
  Fabric part{};             // what it routes: one LID a port, that of path_bit
  RoutingOptions options{};  // in the ids of `part`
  std::string obstacle{};    // why it cannot be tried at all; empty: it can
};

struct Chain {
  std::vector<ChainStep> steps;  // in order of id; the first routes LIDs 0 of the whole fabric
};

/// Routes by options.chain. A step that fails and that no fallback stands in for leaves its part to
/// the steps before it, except for the first, which fails with kUnroutable naming everything that
/// was tried. LIDs of path bits that no step routes go where the first LID of their port goes.
/// Fails with kUsage where there is no chain, and with kOutOfVls.
Result<Routes> route_chain(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
