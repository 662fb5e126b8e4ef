// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/general_info.h"

#include "emulator/agent/adaptive_attributes.h"
#include "emulator/agent/private_lft_attributes.h"
#include "emulator/agent/recovery_attributes.h"
#include "emulator/agent/sharp_attributes.h"
#include "ib/vendor/device_capabilities.h"

namespace weft::emulator {
namespace {

bool announces_adaptive(const Model& model, Place at) {
  return supports_adaptive(model, at) &&
         model.node(at.node).adaptive.support != AdaptiveSupport::kNone;
}

}  // namespace

bool ignores_general_info(const Model& model, const Smp& smp, Place at) {
  if (smp.attribute != kGeneralInfo || announces_adaptive(model, at)) return false;
  return model.planar().support(at.node) == PlaneSupport::kSilent ||
         sharp_support(model, at) == FeatureSupport::kSilent ||
         recovery_support(model, at) == FeatureSupport::kSilent ||
         (model.node(at.node).is_switch && model.options().adaptive == AdaptiveSwitches::kIgnored);
}

MadStatus serve_general_info(const Model& model, Smp& smp, Place at) {
  const bool adaptive = announces_adaptive(model, at);
  const bool planar = model.planar().support(at.node) == PlaneSupport::kAll;
  const FeatureSupport sharp = sharp_support(model, at);
  const bool recovers = recovery_support(model, at) != FeatureSupport::kRefused;
  if (smp.method != Method::kGet ||
      (!adaptive && !planar && !recovers && sharp == FeatureSupport::kRefused))
    return mad_status::kMethodAttributeUnsupported;
  if (smp.modifier != kCapabilityMaskOfDevice) return mad_status::kInvalidField;
  const NodeModel& node = model.node(at.node);
  DeviceCapabilities capabilities;
  if (adaptive)
    capabilities.set(node.adaptive.support == AdaptiveSupport::kOld
                         ? DeviceCapabilities::kOlderAdaptiveRouting
                         : DeviceCapabilities::kAdaptiveRouting);
  const FeatureSupport plft = private_lft_support(model, at);
  if (plft == FeatureSupport::kFull || plft == FeatureSupport::kPart ||
      plft == FeatureSupport::kWithoutSettings)
    capabilities.set(DeviceCapabilities::kPrivateLft);
  if (plft == FeatureSupport::kFull || plft == FeatureSupport::kWithoutSettings)
    capabilities.set(DeviceCapabilities::kPortSlToPrivateLft);
  if (sharp != FeatureSupport::kRefused) capabilities.set(DeviceCapabilities::kExtendedPortInfo);
  if (sharp == FeatureSupport::kFull || sharp == FeatureSupport::kWithoutSettings)
    capabilities.set(DeviceCapabilities::kSharp);
  if (planar) capabilities.set(DeviceCapabilities::kExtendedNodeInfo);
  if (model.planar().has_fnm_ports(at.node))
    capabilities.set(DeviceCapabilities::kExtendedPortInfo);
  if (planar && !node.is_switch) capabilities.set(DeviceCapabilities::kPlaneFilter);
  announce_recovery(model, at, capabilities);
  smp.data = encode(capabilities);
  return mad_status::kGood;
}

}  // namespace weft::emulator
