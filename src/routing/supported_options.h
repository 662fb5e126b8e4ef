// The table of routing options that each engine supports. docs/reference/routing-options.md mirrors
// it (a test compares the two), run_engine() enforces it, and options that the engine in use does
// not support cause a warning.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/options.h"

namespace weft {

enum class Option {
  kRoots,
  kConnectRoots,
  kOrder,
  kNoScatter,
  kComputeNodes,
  kIoNodes,
  kReverseHops,
  kIndexFromRoots,
  kNodeWeights,
  kIgnored,
  kHopWeights,
  kThrottled,
  kPortOrder,
  kSwitchIds,
  kPortShifting,
  kScatterPorts,
  kLocalBalance,
  kLidMatrix,
  kLfts,
  kTorusConfig,
  kMeshAnalysis,
  kStartVl,
  kNueVls,
  kNueSwitches,
  kDfpDetours,
  kChain,
};

struct OptionFacts {
  Option option;
  std::string_view name;     // as on the command line
  std::string_view engines;  // that support it, separated by blanks
};
std::span<const OptionFacts> option_facts();

/// `options` matters to engine file, which uses most options only with a lid matrix. An engine
/// without an entry in the table is assumed to support all.
bool supports_option(std::string_view engine, Option option, const RoutingOptions& options);

/// One sentence for each of the given options that has no effect on the engine's routes.
std::vector<std::string> unsupported_options(std::string_view engine, std::span<const Option> given,
                                             const RoutingOptions& options);

/// The options without those that the engine does not support; empty if it supports all that are
/// set.
std::optional<RoutingOptions> without_unsupported(std::string_view engine,
                                                  const RoutingOptions& options);

}  // namespace weft
