// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/sharp_attributes.h"

#include "ib/vendor/sharp.h"
#include "ib/vendor/sharp_unconfirmed.h"

namespace weft::emulator {
namespace {

constexpr bool is_setting(const Smp& smp) {
  return smp.attribute == AttributeId::kMlnxExtendedPortInfo &&
         smp.modifier == sharp_unconfirmed::kPortOfSwitch;
}

}  // namespace

FeatureSupport sharp_support(const Model& model, Place at) {
  const bool may_support_it = model.node(at.node).is_switch &&
                              model.has(at.node, DeviceFeature::kSharp) &&
                              sharp_unconfirmed::may_have_sharp(model.device_id(at.node));
  return may_support_it ? feature_support(Feature::kSharp, model.options().sharp, at.node)
                        : FeatureSupport::kRefused;
}

bool is_of_sharp(const Model& model, const Smp& smp, Place at) {
  return is_setting(smp) && sharp_support(model, at) != FeatureSupport::kRefused;
}

bool ignores_sharp(const Model& model, const Smp& smp, Place at) {
  if (!is_setting(smp)) return false;
  const FeatureSupport support = sharp_support(model, at);
  return support == FeatureSupport::kSilent || support == FeatureSupport::kWithoutSettings;
}

MadStatus serve_sharp(Model& model, Smp& smp, Place at) {
  if (sharp_support(model, at) == FeatureSupport::kPart)
    return mad_status::kMethodAttributeUnsupported;
  if (smp.method == Method::kSet) model.node(at.node).sharp_port = smp.data;
  smp.data = model.node(at.node).sharp_port;
  return mad_status::kGood;
}

}  // namespace weft::emulator
