#include "routing/heeded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "routing/adaptive/engines.h"
#include "routing/shared/throttled.h"

namespace weft {
namespace {

// Engines that choose among ways by shared/spread.h look at everything that this does.
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

/// Those of kFacts that change what a spreading engine does.
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
      return false;  // the engine itself looks at it or not
  }
}

/// The weights of -w and the distaste for throttled cables are in one number.
void keep_throttled_only(std::vector<std::uint64_t>& weights) {
  for (std::uint64_t& weight : weights)
    weight = weight > kThrottledWeight ? kThrottledWeight + 1 : 1;
}

void take_away(Option option, RoutingOptions& options, bool heeds_throttled) {
  switch (option) {
    case Option::kIgnored:
      options.ignored.clear();
      return;
    case Option::kHopWeights:
      if (heeds_throttled) return keep_throttled_only(options.hop_weights);
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

bool heeds(std::string_view name, Option option, const RoutingOptions& options) {
  const std::string_view engine = plain_engine(name);
  if (engine == "chain") return true;  // what its steps make of it is theirs to say
  const auto lists = [&](const OptionFacts& facts) {
    const auto engines = split(facts.engines, ' ');
    return std::ranges::find(engines, engine) != engines.end();
  };
  if (!lists(facts_of(option))) return std::ranges::none_of(kFacts, lists);
  return engine != "file" || options.lid_matrix || option == Option::kLfts;
}

std::vector<std::string> unheeded(std::string_view engine, std::span<const Option> given,
                                  const RoutingOptions& options) {
  std::vector<std::string> sentences;
  for (const Option option : given)
    if (!heeds(engine, option, options))
      sentences.push_back(fmt::format(
          "{} has no effect: routing engine '{}' does not heed it{}", facts_of(option).name, engine,
          engine == "file" && option != Option::kLidMatrix ? " (with -M it heeds more)" : ""));
  return sentences;
}

std::optional<RoutingOptions> only_heeded(std::string_view engine, const RoutingOptions& options) {
  std::optional<RoutingOptions> result;
  for (const OptionFacts& facts : kFacts) {
    if (!is_set(facts.option, options) || heeds(engine, facts.option, options)) continue;
    if (!result) result = options;
    take_away(facts.option, *result, heeds(engine, Option::kThrottled, options));
  }
  return result;
}

}  // namespace weft
