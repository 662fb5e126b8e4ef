// Which engine heeds which routing option: the one table of it. docs/reference/routing-options.md mirrors it
// (a test compares the two), run_engine() keeps to it, and who gave an option that the engine in
// use does not heed is told so.
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
  std::string_view engines;  // that heed it, with blanks between
};
std::span<const OptionFacts> option_facts();

/// `options` matters to engine file, which looks at most of them only with a lid matrix. An engine
/// that the table does not know may heed everything.
bool heeds(std::string_view engine, Option option, const RoutingOptions& options);

/// A sentence for each of the given options that has no effect on the engine's routes.
std::vector<std::string> unheeded(std::string_view engine, std::span<const Option> given,
                                  const RoutingOptions& options);

/// The options as the engine may see them, if it does not heed some that are set; nothing if it
/// heeds all.
std::optional<RoutingOptions> only_heeded(std::string_view engine, const RoutingOptions& options);

}  // namespace weft
