// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/gmp_agents/dcqcn_agent.h"

#include <algorithm>

#include "ib/gmps/dcqcn_unconfirmed.h"
#include "ib/gmps/ppcc.h"

namespace weft::emulator {
namespace {

constexpr bool announces_feature(FeatureSupport support) {
  return support == FeatureSupport::kFull || support == FeatureSupport::kWithoutSettings;
}

/// Whether the device has the attribute with the modifier of the request.
bool has_attribute(const Gmp& gmp, const DcqcnDeviceForm& form) {
  if (gmp.attribute == kDcqcnPortProfiles || gmp.attribute == kDcqcnSlMap) {
    const std::uint32_t port = gmp.modifier & dcqcn_unconfirmed::kPortMask;
    return form.is_switch && port == gmp.modifier && port >= 1 && port <= form.ports;
  }
  return gmp.modifier == 0 && (gmp.attribute == kDcqcnSwitchGeneral) == form.is_switch;
}

bool is_valid_setting(const Gmp& gmp, const DcqcnDeviceForm& form) {
  const auto data = congestion_data(gmp);
  if (gmp.attribute == kDcqcnSwitchGeneral)
    return decode_dcqcn_switch_general(data).averaging_time <=
           DcqcnSwitchGeneral::kAveragingTimeMax;
  return gmp.attribute != kDcqcnCaGeneral || form.has_planes ||
         !decode_dcqcn_ca_general(data).is_per_plane;
}

}  // namespace

std::optional<std::uint16_t> serve_dcqcn(Gmp& gmp, FeatureSupport support,
                                         const DcqcnDeviceForm& form, DcqcnAgent& agent) {
  if (support == FeatureSupport::kSilent || support == FeatureSupport::kWithoutSettings)
    return std::nullopt;
  if (support != FeatureSupport::kFull) return mad_status::kMethodAttributeUnsupported;
  if (!has_attribute(gmp, form)) return mad_status::kInvalidField;
  CongestionData& held = agent.held[{gmp.attribute, gmp.modifier}];
  if (gmp.method == Method::kSet && !is_valid_setting(gmp, form)) return mad_status::kInvalidField;
  if (gmp.method == Method::kSet && !agent.ignores_sets) {
    ++agent.sets;
    std::ranges::copy(congestion_data(gmp), held.begin());
  }
  if (gmp.attribute == kDcqcnSwitchGeneral) {
    DcqcnSwitchGeneral general = decode_dcqcn_switch_general(held);
    general.buffer_bytes = DcqcnAgent::kBufferBytes;
    held = encode(general);
  }
  std::ranges::copy(held, congestion_data(gmp).begin());
  return mad_status::kGood;
}

std::optional<std::uint16_t> serve_enhanced_info(Gmp& gmp, FeatureSupport ppcc,
                                                 FeatureSupport dcqcn, bool has_planes) {
  const bool is_refused = ppcc == FeatureSupport::kRefused && dcqcn == FeatureSupport::kRefused;
  const auto is_without_answer = [](FeatureSupport support) {
    return support == FeatureSupport::kSilent || support == FeatureSupport::kRefused;
  };
  if (!is_refused && is_without_answer(ppcc) && is_without_answer(dcqcn)) return std::nullopt;
  if (is_refused || gmp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  EnhancedCongestionInfo info;
  info.has_ppcc = announces_feature(ppcc);
  info.has_dcqcn = announces_feature(dcqcn);
  if (info.has_ppcc) info.capabilities |= 1u << EnhancedCongestionInfo::kAlgorithms;
  if (info.has_dcqcn && has_planes) info.capabilities |= 1u << EnhancedCongestionInfo::kEachPlane;
  std::ranges::copy(encode(info), congestion_data(gmp).begin());
  return mad_status::kGood;
}

}  // namespace weft::emulator
