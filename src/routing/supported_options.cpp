// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/supported_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "routing/engine.h"
#include "routing/reweight/parameter.h"

namespace weft {
namespace {

constexpr std::array kFacts{
    OptionFacts{Option::kRoots, "-a, --root_guid_file"},
    OptionFacts{Option::kConnectRoots, "-z, --connect_roots"},
    OptionFacts{Option::kOrder, "-X, --guid_routing_order_file"},
    OptionFacts{Option::kNoScatter, "--guid_routing_order_no_scatter"},
    OptionFacts{Option::kComputeNodes, "-u, --cn_guid_file"},
    OptionFacts{Option::kIoNodes, "-G, --io_guid_file"},
    OptionFacts{Option::kNodeWeights, "--node_weights_file"},
    OptionFacts{Option::kIgnored, "-i, --ignore_guids"},
    OptionFacts{Option::kHopWeights, "-w, --hop_weights_file"},
    OptionFacts{Option::kAvoidDegradedLinks, "--avoid_throttled_links"},
    OptionFacts{Option::kPortOrder, "-O, --port_search_ordering_file"},
    OptionFacts{Option::kSwitchIds, "-m, --ids_guid_file"},
    OptionFacts{Option::kPortShifting, "--port-shifting"},
    OptionFacts{Option::kScatterPorts, "--scatter-ports"},
    OptionFacts{Option::kLocalBalance, "--balance=local"},
    OptionFacts{Option::kLidMatrix, "-M, --lid_matrix_file"},
    OptionFacts{Option::kLfts, "-U, --lfts_file"},
    OptionFacts{Option::kTorusConfig, "--torus_config"},
    OptionFacts{Option::kChain, "--rch_policy_file"},
};

constexpr std::string_view kWithMatrix = " (with -M it supports more options)";

std::string_view option_name(Option option) {
  const auto found = std::ranges::find(kFacts, option, &OptionFacts::option);
  CHECK(found != kFacts.end());
  return found->name;
}

bool supports_parameter(const Engine* engine, const EngineParameter& parameter) {
  return engine == nullptr || engine->supports == OptionSet::all() ||
         std::ranges::find(engine->parameters, parameter.name, &EngineParameter::name) !=
             engine->parameters.end();
}

/// Whether the engine uses the option only in the passes of --reweight. (ftree uses node weights
/// without these passes, and hoplanes always runs passes.)
bool is_used_only_in_passes(const Engine& engine, Option option) {
  return option == Option::kNodeWeights && plain_engine(engine.name) != "ftree" &&
         engine.name != "hoplanes" && supports_parameter(&engine, kReweight);
}

std::string no_effect(std::string_view engine, std::string_view option, std::string_view more) {
  return fmt::format("{} has no effect: routing engine '{}' does not support it{}", option, engine,
                     more);
}

}  // namespace

std::span<const OptionFacts> option_facts() { return kFacts; }

bool supports_option(std::string_view name, Option option, const RoutingOptions& options) {
  const Engine* engine = find_engine(name);
  if (engine == nullptr) return true;
  if (!engine->supports.contains(option)) return false;
  if (is_used_only_in_passes(*engine, option) && options.parameters.of(kReweight) == 0)
    return false;
  return name != "file" || options.lid_matrix || option == Option::kLfts;
}

std::vector<std::string> unsupported_options(std::string_view name, std::span<const Option> given,
                                             const RoutingOptions& options) {
  std::vector<std::string> sentences;
  const bool needs_matrix = name == "file" && !options.lid_matrix;
  const Engine* engine = find_engine(name);
  for (const Option option : given)
    if (!supports_option(name, option, options))
      sentences.push_back(no_effect(name, option_name(option),
                                    needs_matrix && option != Option::kLidMatrix ? kWithMatrix
                                    : engine != nullptr && engine->supports.contains(option)
                                        ? " without --reweight"
                                        : ""));
  for (const EngineParameter& parameter : engine_parameters())
    if (options.parameters.is_set(parameter) && !supports_parameter(engine, parameter))
      sentences.push_back(no_effect(name, parameter.option, needs_matrix ? kWithMatrix : ""));
  return sentences;
}

}  // namespace weft
