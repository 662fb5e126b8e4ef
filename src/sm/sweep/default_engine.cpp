// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/default_engine.h"

#include "routing/topology.h"

namespace weft {
namespace {

enum class Support : std::uint8_t { kNone, kUnknown, kFull };

Support adaptive_support(const ObservedNode& sw, const ArKnowledge& known, const ArConf& conf) {
  if (!may_have_general_info(sw.info, known, conf) || !may_be_adaptive(sw)) return Support::kNone;
  const ArHeld* held = known.find(sw.info.node_guid);
  if (held == nullptr || !held->device) return Support::kUnknown;
  if (!held->announces() || held->refuses) return Support::kNone;
  if (!held->answers) return Support::kUnknown;
  return held->can_choose() ? Support::kFull : Support::kNone;
}

/// The least support of any switch.
Support adaptive_support(const Observed& observed, const ArKnowledge& known, const ArConf& conf) {
  Support least = Support::kFull;
  for (std::uint32_t s = 0; s < observed.fabric.switch_count() && least != Support::kNone; ++s)
    least = std::min(least, adaptive_support(observed.nodes[s], known, conf));
  return least;
}

bool is_open(const SmOptions& options) {
  const auto& adaptive = options.routing.adaptive;
  return options.routing_engine.is_default && (!adaptive || adaptive->enable);
}

bool is_tree(const Fabric& fabric) {
  const TopologyKind kind = recognise(fabric).kind;
  return kind == TopologyKind::kTree || kind == TopologyKind::kQuasiTree;
}

}  // namespace

std::optional<ArScope> ar_scope(const SmOptions& options, const SubnetMemory& memory,
                                const ArConf& conf) {
  if (uses_adaptive_routing(options)) return ArScope::kEach;
  if (!is_open(options)) return std::nullopt;
  if (memory.first_as_master) return ArScope::kLikely;
  const Observed& observed = *memory.observed;
  if (adaptive_support(observed, memory.ar, conf) == Support::kNone || !is_tree(observed.fabric))
    return std::nullopt;
  return ArScope::kAllOrNone;
}

bool defaults_to_adaptive(const SmOptions& options, const SubnetMemory& memory,
                          const ArConf& conf) {
  if (!is_open(options)) return false;
  const Observed& observed = *memory.observed;
  const Support support = adaptive_support(observed, memory.ar, conf);
  if (support == Support::kUnknown) return memory.adaptive_default;
  return support == Support::kFull && is_tree(observed.fabric);
}

}  // namespace weft
