#include "routing/supported_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "routing/adaptive/engines.h"
#include "routing/shapes/throttled.h"

namespace weft {
namespace {

// Engines that balance by shared/spread.h support all options that it uses.
constexpr std::string_view kSpreading = "minhop updn dnup dor nue dfp file";
constexpr std::string_view kUpDown = "updn dnup";

constexpr std::array kFacts{
    OptionFacts{Option::kRoots, "-a, --root_guid_file", "updn ftree"},
    OptionFacts{Option::kConnectRoots, "-z, --connect_roots", "updn dnup ftree"},
    OptionFacts{Option::kOrder, "-X, --guid_routing_order_file",
                "minhop updn dnup dor sssp dfsssp lash nue dfp file"},
    OptionFacts{Option::kNoScatter, "--guid_routing_order_no_scatter", kSpreading},
    OptionFacts{Option::kComputeNodes, "-u, --cn_guid_file", "ftree sssp dfsssp"},
    OptionFacts{Option::kIoNodes, "-G, --io_guid_file", "ftree sssp dfsssp"},
    OptionFacts{Option::kReverseHops, "-H, --max_reverse_hops", "ftree"},
    OptionFacts{Option::kIndexFromRoots, "--quasi_ftree_indexing", "ftree"},
    OptionFacts{Option::kNodeWeights, "--node_weights_file", "ftree"},
    OptionFacts{Option::kIgnored, "-i, --ignore_guids", kSpreading},
    OptionFacts{Option::kHopWeights, "-w, --hop_weights_file", "minhop updn dnup sssp dfsssp"},
    OptionFacts{Option::kThrottled, "--avoid_throttled_links", "minhop updn dnup sssp dfsssp nue"},
    OptionFacts{Option::kPortOrder, "-O, --port_search_ordering_file", kSpreading},
    OptionFacts{Option::kSwitchIds, "-m, --ids_guid_file", kUpDown},
    OptionFacts{Option::kPortShifting, "--port-shifting", kSpreading},
    OptionFacts{Option::kScatterPorts, "--scatter-ports", kSpreading},
    OptionFacts{Option::kLocalBalance, "--balance=local", kSpreading},
    OptionFacts{Option::kLidMatrix, "-M, --lid_matrix_file", "minhop file"},
    OptionFacts{Option::kLfts, "-U, --lfts_file", "file"},
    OptionFacts{Option::kTorusConfig, "--torus_config", "torus-2QoS"},
    OptionFacts{Option::kMeshAnalysis, "--do_mesh_analysis", "lash"},
    OptionFacts{Option::kStartVl, "--lash_start_vl", "lash"},
    OptionFacts{Option::kNueVls, "--nue_max_num_vls", "nue"},
    OptionFacts{Option::kNueSwitches, "--nue_include_switches", "nue"},
    OptionFacts{Option::kDfpDetours, "--dfp_detours", "dfp"},
    OptionFacts{Option::kChain, "--rch_policy_file", "chain"},
};

const OptionFacts& facts_of(Option option) {
  const auto found = std::ranges::find(kFacts, option, &OptionFacts::option);
  CHECK(found != kFacts.end());
  return *found;
}

/// Options in kFacts that change the result of a spreading engine.
bool is_set(Option option, const RoutingOptions& options) {
  switch (option) {
    case Option::kIgnored:
      return !options.ignored.empty();
    case Option::kHopWeights:
    case Option::kThrottled:
      return !options.hop_weights.empty();
    case Option::kPortOrder:
      return !options.port_rank.empty();
    case Option::kPortShifting:
      return options.port_shifting;
    case Option::kScatterPorts:
      return options.scatter_ports != 0;
    case Option::kLocalBalance:
      return options.balance == Balance::kLocal;
    default:
      return false;  // depends on the engine itself
  }
}

/// Weights of -w and those of throttled cables are in one number.
void keep_throttled_only(std::vector<std::uint64_t>& weights) {
  for (std::uint64_t& weight : weights)
    weight = weight > kThrottledWeight ? kThrottledWeight + 1 : 1;
}

void take_away(Option option, RoutingOptions& options, bool supports_throttled) {
  switch (option) {
    case Option::kIgnored:
      options.ignored.clear();
      return;
    case Option::kHopWeights:
      if (supports_throttled) return keep_throttled_only(options.hop_weights);
      options.hop_weights.clear();
      return;
    case Option::kPortOrder:
      options.port_rank.clear();
      return;
    case Option::kPortShifting:
      options.port_shifting = false;
      return;
    case Option::kScatterPorts:
      options.scatter_ports = 0;
      return;
    case Option::kLocalBalance:
      options.balance = Balance::kGlobal;
      return;
    default:
      return;
  }
}

}  // namespace

std::span<const OptionFacts> option_facts() { return kFacts; }

bool supports_option(std::string_view name, Option option, const RoutingOptions& options) {
  const std::string_view engine = plain_engine(name);
  if (engine == "chain") return true;  // depends on the engines of its steps
  const auto lists = [&](const OptionFacts& facts) {
    const auto engines = split(facts.engines, ' ');
    return std::ranges::find(engines, engine) != engines.end();
  };
  if (!lists(facts_of(option))) return std::ranges::none_of(kFacts, lists);
  return engine != "file" || options.lid_matrix || option == Option::kLfts;
}

std::vector<std::string> unsupported_options(std::string_view engine, std::span<const Option> given,
                                             const RoutingOptions& options) {
  std::vector<std::string> sentences;
  for (const Option option : given)
    if (!supports_option(engine, option, options))
      sentences.push_back(fmt::format("{} has no effect: routing engine '{}' does not support it{}",
                                      facts_of(option).name, engine,
                                      engine == "file" && option != Option::kLidMatrix
                                          ? " (with -M it supports more options)"
                                          : ""));
  return sentences;
}

std::optional<RoutingOptions> without_unsupported(std::string_view engine,
                                                  const RoutingOptions& options) {
  std::optional<RoutingOptions> result;
  for (const OptionFacts& facts : kFacts) {
    if (!is_set(facts.option, options) || supports_option(engine, facts.option, options)) continue;
    if (!result) result = options;
    take_away(facts.option, *result, supports_option(engine, Option::kThrottled, options));
  }
  return result;
}

}  // namespace weft
