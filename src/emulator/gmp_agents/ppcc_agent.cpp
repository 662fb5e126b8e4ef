// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/gmp_agents/ppcc_agent.h"

#include <algorithm>

#include "ib/gmps/ppcc_unconfirmed.h"

namespace weft::emulator {
namespace {

template <class Attribute>
std::uint16_t respond(Gmp& gmp, const Attribute& attribute) {
  std::ranges::copy(encode(attribute), congestion_data(gmp).begin());
  return mad_status::kGood;
}

bool applies_set(const Gmp& gmp, PpccAgent& agent) {
  if (gmp.method != Method::kSet || agent.ignores_sets) return false;
  ++agent.sets;
  return true;
}

std::uint16_t serve_config(Gmp& gmp, std::size_t slot, PpccAgent& agent) {
  PpccConfig& held = agent.configs[slot];
  const PpccConfig config = decode_ppcc_config(congestion_data(gmp));
  for (std::size_t other = 0; other < agent.configs.size(); ++other)
    if (gmp.method == Method::kSet && other != slot && config.is_enabled &&
        agent.configs[other].is_enabled && (agent.configs[other].sls & config.sls) != 0)
      return mad_status::kInvalidField;
  if (applies_set(gmp, agent)) {
    held = {.is_enabled = config.is_enabled, .sls = config.sls};
    held.traces = config.traces;
    held.counts = config.counts;
  }
  PpccConfig shown = held;
  set_algorithms(shown, agent.algorithms);
  return respond(gmp, shown);
}

std::uint16_t serve_parameters(Gmp& gmp, std::size_t slot, PpccAgent& agent) {
  if (applies_set(gmp, agent))
    agent.parameters[slot] = decode_ppcc_parameters(congestion_data(gmp));
  agent.parameters[slot].sls = agent.configs[slot].sls;
  return respond(gmp, agent.parameters[slot]);
}

}  // namespace

std::optional<std::uint16_t> serve_ppcc(Gmp& gmp, FeatureSupport support, PpccAgent& agent) {
  if (support == FeatureSupport::kSilent) return std::nullopt;
  if (support == FeatureSupport::kRefused) return mad_status::kMethodAttributeUnsupported;
  if (support == FeatureSupport::kWithoutSettings) return std::nullopt;
  const std::size_t slot = gmp.modifier & ppcc_unconfirmed::kSlotMask;
  const bool reads_list = gmp.attribute == kPpccConfig && gmp.method == Method::kGet;
  if (support == FeatureSupport::kPart || slot != gmp.modifier ||
      (agent.algorithms[slot].id == 0 && !reads_list))
    return mad_status::kInvalidField;
  return gmp.attribute == kPpccConfig ? serve_config(gmp, slot, agent)
                                      : serve_parameters(gmp, slot, agent);
}

}  // namespace weft::emulator
