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

void CongestionAgents::reset(NodeId node) {
  for (auto& [port, agent] : agents_) {
    if (model_.fabric().port(port).node != node) continue;
    agent.cc_key = 0;
    agent.switch_setting = {};
    agent.ca_setting = {};
    agent.table.clear();
    agent.ppcc.configs = {};
    agent.ppcc.parameters = {};
    agent.dcqcn.held.clear();
  }
}

/// Handles a Get or Set, and returns the status. None: no response is sent.
std::optional<std::uint16_t> CongestionAgents::serve(Gmp& gmp, Place at,
                                                     CongestionAgent& agent) const {
  const EmulatorOptions& options = model_.options();
  const bool is_switch = model_.node(at.node).is_switch;
  const auto support = [&](DeviceFeature of_device, Feature feature, FeatureDevices devices) {
    return model_.has(at.node, of_device) ? feature_support(feature, devices, at.node)
                                          : FeatureSupport::kRefused;
  };
  const FeatureSupport ppcc = is_switch
                                  ? FeatureSupport::kRefused
                                  : support(DeviceFeature::kPpcc, Feature::kPpcc, options.ppcc);
  const FeatureSupport dcqcn = support(DeviceFeature::kDcqcn, Feature::kDcqcn, options.dcqcn);
  const bool has_planes =
      !is_switch && model_.planar().announces(at.node) && !agent.dcqcn.lacks_planes;
  if (gmp.attribute == kEnhancedCongestionInfo)
    return serve_enhanced_info(gmp, ppcc, dcqcn, has_planes);
  if (is_of_ppcc(gmp.attribute) && !is_switch) return serve_ppcc(gmp, ppcc, agent.ppcc);
  if (is_of_dcqcn(gmp.attribute)) {
    const std::uint8_t ports = model_.fabric().node(at.node).port_count;
    return serve_dcqcn(gmp, dcqcn, {is_switch, ports, has_planes}, agent.dcqcn);
  }
  return handle(gmp, is_switch, agent);
}

bool CongestionAgents::answer(Gmp& gmp, Place at) {
  if (gmp.method != Method::kGet && gmp.method != Method::kSet) return false;
  CongestionAgent& agent = agents_[model_.agent_port(at.node, at.port)];
  ++agent.requests[gmp.attribute];
  if (!agent.answers || (agent.cc_key != 0 && agent.cc_key != cc_key(gmp))) return false;
  const auto status = serve(gmp, at, agent);
  if (!status) return false;
  gmp.status = *status;
  gmp.method = Method::kGetResp;
  return true;
}

}  // namespace weft::emulator
