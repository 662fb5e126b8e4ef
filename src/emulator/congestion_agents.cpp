// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/congestion_agents.h"

#include <algorithm>

namespace weft::emulator {
namespace {

/// Sets or gets one attribute.
std::uint16_t handle(Gmp& gmp, bool is_switch, CongestionAgent& agent) {
  const bool sets = gmp.method == Method::kSet;
  const auto serve = [&](auto& held, const auto& decode) {
    if (sets) held = decode(congestion_data(gmp));
    std::ranges::copy(encode(held), congestion_data(gmp).begin());
    agent.sets += sets ? 1 : 0;
    return mad_status::kGood;
  };
  switch (static_cast<CongestionAttribute>(gmp.attribute)) {
    case CongestionAttribute::kSwitchCongestionSetting:
      if (is_switch) return serve(agent.switch_setting, decode_switch_congestion_setting);
      break;
    case CongestionAttribute::kCaCongestionSetting:
      if (!is_switch) return serve(agent.ca_setting, decode_ca_congestion_setting);
      break;
    case CongestionAttribute::kCongestionControlTable:
      if (!is_switch) return serve(agent.table[gmp.modifier], decode_congestion_control_table);
      break;
  }
  return mad_status::kMethodAttributeUnsupported;
}

}  // namespace

bool CongestionAgents::answer(Gmp& gmp, Place at) {
  if (gmp.method != Method::kGet && gmp.method != Method::kSet) return false;
  CongestionAgent& agent = agents_[model_.agent_port(at.node, at.port)];
  if (!agent.answers || (agent.cc_key != 0 && agent.cc_key != cc_key(gmp))) return false;
  const bool is_switch = model_.node(at.node).is_switch;
  if (is_of_ppcc(gmp.attribute) && !is_switch) {
    const FeatureSupport support =
        model_.has(at.node, DeviceFeature::kPpcc)
            ? feature_support(Feature::kPpcc, model_.options().ppcc, at.node)
            : FeatureSupport::kRefused;
    const auto status = serve_ppcc(gmp, support, agent.ppcc);
    if (!status) return false;
    gmp.status = *status;
  } else {
    gmp.status = handle(gmp, is_switch, agent);
  }
  gmp.method = Method::kGetResp;
  return true;
}

}  // namespace weft::emulator
