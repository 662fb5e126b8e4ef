// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/default_engine.h"

#include <algorithm>
#include <span>

#include "routing/topology.h"

namespace weft {
namespace {

enum class Support : std::uint8_t { kNone, kUnknown, kFull };

Support adaptive_support(const ObservedNode& sw, const SubnetMemory& memory) {
  if (!may_be_adaptive(sw)) return Support::kNone;
  const DeviceCapabilities* announced = memory.announced.find(sw.info.node_guid);
  if (announced == nullptr)
    return memory.announced.may_be_queried(sw.info) ? Support::kUnknown : Support::kNone;
  const ArHeld* held = memory.ar.find(sw.info.node_guid);
  if (!announced->has(DeviceCapabilities::kAdaptiveRouting) || (held != nullptr && held->refuses))
    return Support::kNone;
  if (held == nullptr || !held->answers) return Support::kUnknown;
  return held->is_ar_capable() ? Support::kFull : Support::kNone;
}

/// The lowest support among the switches.
Support adaptive_support(const SubnetMemory& memory) {
  const Observed& observed = *memory.observed;
  Support least = Support::kFull;
  for (std::uint32_t s = 0; s < observed.fabric.switch_count() && least != Support::kNone; ++s)
    least = std::min(least, adaptive_support(observed.nodes[s], memory));
  return least;
}

bool any_is_unknown(const SubnetMemory& memory) {
  return std::ranges::any_of(
      std::span(memory.observed->nodes).first(memory.observed->fabric.switch_count()),
      [&](const ObservedNode& sw) { return adaptive_support(sw, memory) == Support::kUnknown; });
}

bool may_use_adaptive_default(const SmOptions& options) {
  const auto& adaptive = options.routing.adaptive;
  return options.routing_engine.is_default && (!adaptive || adaptive->enable);
}

bool is_tree(const Fabric& fabric) {
  const TopologyKind kind = recognize(fabric).kind;
  return kind == TopologyKind::kTree || kind == TopologyKind::kQuasiTree;
}

}  // namespace

std::optional<ArScope> ar_scope(const SmOptions& options, const SubnetMemory& memory) {
  if (uses_adaptive_routing(options)) return ArScope::kEach;
  if (memory.first_as_master || memory.ar.any_on()) return ArScope::kLikely;
  if (!may_use_adaptive_default(options))
    return any_is_unknown(memory) ? std::optional(ArScope::kLikely) : std::nullopt;
  if (adaptive_support(memory) == Support::kNone || !is_tree(memory.observed->fabric))
    return std::nullopt;
  return ArScope::kAllOrNone;
}

bool defaults_to_adaptive(const SmOptions& options, const SubnetMemory& memory) {
  if (!may_use_adaptive_default(options)) return false;
  const Support support = adaptive_support(memory);
  if (support == Support::kUnknown) return memory.adaptive_default;
  return support == Support::kFull && is_tree(memory.observed->fabric);
}

}  // namespace weft
