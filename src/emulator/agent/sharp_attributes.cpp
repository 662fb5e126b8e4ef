// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/sharp_attributes.h"

#include <array>

#include "ib/vendor/planes.h"
#include "ib/vendor/sharp.h"
#include "ib/vendor/sharp_unconfirmed.h"

namespace weft::emulator {
namespace {

enum class SharpSupport : std::uint8_t { kRefused, kFull, kNotAnnounced, kWithoutSetting, kSilent };

SharpSupport sharp_support(const Model& model, Place at) {
  const SharpSwitches option = model.options().sharp;
  if (option == SharpSwitches::kNone || !model.node(at.node).is_switch ||
      !sharp_unconfirmed::may_have_sharp(model.device_id(at.node)))
    return SharpSupport::kRefused;
  if (option == SharpSwitches::kAll) return SharpSupport::kFull;
  if (option == SharpSwitches::kSilent) return SharpSupport::kSilent;
  constexpr std::array kTurns{SharpSupport::kFull, SharpSupport::kNotAnnounced,
                              SharpSupport::kWithoutSetting, SharpSupport::kRefused};
  return kTurns[at.node.value() % kTurns.size()];
}

}  // namespace

bool is_of_sharp(const Model& model, const Smp& smp, Place at) {
  const bool is_setting = smp.attribute == AttributeId::kMlnxExtendedPortInfo &&
                          smp.modifier == sharp_unconfirmed::kPortOfSwitch;
  const bool is_capability = smp.attribute == kGeneralInfo && !model.planar().announces(at.node);
  return (is_setting || is_capability) && sharp_support(model, at) != SharpSupport::kRefused;
}

bool ignores_sharp(const Model& model, const Smp& smp, Place at) {
  if (!is_of_sharp(model, smp, at)) return false;
  const SharpSupport support = sharp_support(model, at);
  return support == SharpSupport::kSilent ||
         (support == SharpSupport::kWithoutSetting && smp.attribute != kGeneralInfo);
}

MadStatus serve_sharp(Model& model, Smp& smp, Place at) {
  if (smp.attribute == kGeneralInfo) {
    if (smp.modifier != kCapabilityMaskOfDevice || smp.method != Method::kGet)
      return mad_status::kInvalidField;
    DeviceCapabilities capabilities;
    capabilities.set(DeviceCapabilities::kExtendedPortInfo);
    if (sharp_support(model, at) != SharpSupport::kNotAnnounced)
      capabilities.set(DeviceCapabilities::kSharp);
    smp.data = encode(capabilities);
    return mad_status::kGood;
  }
  if (sharp_support(model, at) == SharpSupport::kNotAnnounced)
    return mad_status::kMethodAttributeUnsupported;
  if (smp.method == Method::kSet) model.node(at.node).sharp_port = smp.data;
  smp.data = model.node(at.node).sharp_port;
  return mad_status::kGood;
}

}  // namespace weft::emulator
