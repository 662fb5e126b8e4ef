// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/class_key_agents.h"

#include <algorithm>

#include "emulator/feature_support.h"
#include "ib/sa_records.h"

namespace weft::emulator {
namespace {

void put(Gmp& gmp, KeyedClass keyed, std::span<const std::byte> data) {
  std::ranges::copy(data,
                    gmp.data.begin() + static_cast<std::ptrdiff_t>(form_of(keyed).data_offset));
}

std::uint16_t serve_class_port_info(Gmp& gmp, KeyedClass keyed, FeatureSupport support) {
  if (gmp.method != Method::kGet || support == FeatureSupport::kRefused)
    return mad_status::kMethodAttributeUnsupported;
  const bool is_announced = support == FeatureSupport::kFull;
  if (form_of(keyed).announced_by == 0 && !is_announced)
    return mad_status::kMethodAttributeUnsupported;
  ClassPortInfo info;
  info.class_version = form_of(keyed).version;
  info.capability_mask = is_announced ? form_of(keyed).announced_by : std::uint16_t{0};
  put(gmp, keyed, encode(info));
  return mad_status::kGood;
}

std::uint16_t serve_key_info(Gmp& gmp, KeyedClass keyed, ClassKeyAgent& agent) {
  if (gmp.method == Method::kSet) {
    const std::uint16_t violations = agent.info.violations;
    agent.info = decode_class_key_info(
        std::span(gmp.data).subspan(form_of(keyed).data_offset).first<ClassKeyInfo::kSize>());
    agent.info.violations = violations;
    agent.info.node_violations = 0;
    ++agent.sets;
  }
  ClassKeyInfo shown = agent.info;
  if (shown.is_protected) shown.key = 0;
  put(gmp, keyed, encode(shown));
  return mad_status::kGood;
}

std::uint16_t serve_neighbors(Gmp& gmp, ClassKeyAgent& agent) {
  constexpr KeyedClass kKeyed = KeyedClass::kNodeToNode;
  if (gmp.modifier >= NeighborsBlock::kBlocksMax) return mad_status::kInvalidField;
  NeighborsBlock& block = agent.neighbors[gmp.modifier];
  if (gmp.method == Method::kSet)
    block = decode_neighbors_block(
        std::span(gmp.data).subspan(form_of(kKeyed).data_offset).first<NeighborsBlock::kSize>());
  put(gmp, kKeyed, encode(block));
  return mad_status::kGood;
}

/// Responds to KeyInfo, and in class 0x0C to NeighborsInfo.
std::uint16_t serve_keyed(Gmp& gmp, KeyedClass keyed, ClassKeyAgent& agent) {
  if (gmp.attribute == form_of(keyed).key_info) return serve_key_info(gmp, keyed, agent);
  return keyed == KeyedClass::kNodeToNode && gmp.attribute == kNeighborsInfoAttribute
             ? serve_neighbors(gmp, agent)
             : mad_status::kMethodAttributeUnsupported;
}

}  // namespace

std::optional<KeyedClass> ClassKeyAgents::serves(const Gmp& gmp) const {
  if (model_.options().class_keys == FeatureDevices::kNone) return std::nullopt;
  for (const KeyedClass keyed :
       {KeyedClass::kCongestion, KeyedClass::kVendor, KeyedClass::kNodeToNode}) {
    const KeyedClassForm& form = form_of(keyed);
    if (gmp.mgmt_class != form.mgmt_class) continue;
    const bool is_own = gmp.attribute == kClassPortInfoAttribute || gmp.attribute == form.key_info;
    return keyed != KeyedClass::kCongestion || is_own ? std::optional(keyed) : std::nullopt;
  }
  return std::nullopt;
}

void ClassKeyAgents::reset(NodeId node) {
  for (auto& [of, agent] : agents_) {
    if (model_.fabric().port(of.second).node != node) continue;
    agent.info = {};
    agent.lease_end.reset();
    agent.neighbors.clear();
  }
}

bool ClassKeyAgents::rejects(KeyedClass keyed, const Gmp& gmp, Place at) {
  ClassKeyAgent& agent = agents_[{keyed, model_.agent_port(at.node, at.port)}];
  ClassKeyInfo& info = agent.info;
  if (agent.lease_end && *agent.lease_end <= clock_.now()) info.is_protected = false;
  if (!info.is_protected || info.key == 0 || info.key == class_key(gmp)) {
    agent.lease_end.reset();
    return false;
  }
  ++info.violations;
  if (info.lease != 0 && !agent.lease_end)
    agent.lease_end = clock_.now() + std::chrono::seconds(info.lease);
  return true;
}

bool ClassKeyAgents::answer(KeyedClass keyed, Gmp& gmp, Place at) {
  const KeyedClassForm& form = form_of(keyed);
  const FeatureSupport support =
      model_.has(at.node, DeviceFeature::kClassKeys)
          ? feature_support(Feature::kClassKeys, model_.options().class_keys, at.node)
          : FeatureSupport::kRefused;
  ClassKeyAgent& agent = agents_[{keyed, model_.agent_port(at.node, at.port)}];
  const bool has_class = !form.is_of_switches_only || model_.node(at.node).is_switch;
  if (!agent.answers || support == FeatureSupport::kSilent || !has_class) return false;
  if (gmp.method != Method::kGet && gmp.method != Method::kSet) return false;
  if (gmp.attribute == kClassPortInfoAttribute) {
    gmp.status = serve_class_port_info(gmp, keyed, support);
  } else if (rejects(keyed, gmp, at)) {
    return false;
  } else {
    gmp.status = support == FeatureSupport::kFull ? serve_keyed(gmp, keyed, agent)
                                                  : mad_status::kMethodAttributeUnsupported;
  }
  gmp.method = Method::kGetResp;
  return true;
}

}  // namespace weft::emulator
