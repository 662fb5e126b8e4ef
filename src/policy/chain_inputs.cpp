// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/chain_inputs.h"

#include <algorithm>

#include "routing/chain/part.h"

namespace weft {
namespace {

std::vector<bool> degraded_in_part(const std::vector<bool>& degraded, const Fabric& whole,
                                   const Fabric& part) {
  std::vector<bool> result(part.channel_count());
  for (std::uint32_t c = 0; c < result.size(); ++c) {
    const Channel& channel = part.channel(ChannelId(c));
    const SwitchId from(whole.find_node(part.node(channel.from).node_guid)->value());
    result[c] = degraded[whole.channel_at(from, channel.from_port).value()];
  }
  return result;
}

Result<Fabric> part_of_step(const RoutingInputs& inputs, const FiledStep& step,
                            const Fabric& fabric) {
  if (step.topology == 0) {
    const std::vector<bool> all(fabric.port_count(), true);
    return part_of(fabric, all, all, step.path_bit);
  }
  const auto topology = std::ranges::find(inputs.topologies, step.topology, &FiledTopology::id);
  return part_of(fabric, ports_of_group(inputs.port_groups, topology->switch_group, fabric),
                 ports_of_group(inputs.port_groups, topology->host_group, fabric), step.path_bit);
}

}  // namespace

std::shared_ptr<const Chain> resolve_chain(const RoutingInputs& inputs, const Fabric& fabric,
                                           std::vector<std::string>& warnings,
                                           const std::vector<bool>* degraded) {
  if (inputs.chain.empty()) return nullptr;
  auto chain = std::make_shared<Chain>();
  for (const ChainStepInputs& input : inputs.chain) {
    const FiledStep& filed = input.filed;
    ChainStep step{.id = filed.id,
                   .engine = filed.engine,
                   .topology = filed.topology,
                   .path_bit = filed.path_bit};
    step.is_fallback = filed.fallback_to != 0;
    for (std::size_t i = 0; i < inputs.chain.size(); ++i)
      if (inputs.chain[i].filed.fallback_to == filed.id) step.fallbacks.push_back(i);
    // For the warnings about GUIDs that are not in the whole fabric.
    if (input.own) (void)resolve_one(*input.own, fabric, warnings, degraded);
    auto part = part_of_step(inputs, filed, fabric);
    if (part) {
      step.part = std::move(*part);
      std::vector<std::string> elsewhere;  // GUIDs in the files that belong to other parts
      const auto of_part = degraded == nullptr ? std::vector<bool>{}
                                               : degraded_in_part(*degraded, fabric, step.part);
      step.options = resolve_one(input.own ? *input.own : inputs, step.part, elsewhere,
                                 degraded == nullptr ? nullptr : &of_part);
      step.options.groups.clear();
    } else {
      step.obstacle = part.error().message;
    }
    chain->steps.push_back(std::move(step));
  }
  return chain;
}

}  // namespace weft
