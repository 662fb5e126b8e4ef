// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/sharp.h"

#include "ib/vendor/sharp.h"
#include "ib/vendor/sharp_unconfirmed.h"
#include "policy/device_configuration.h"

namespace weft {

SharpSettings::SharpSettings(const Observed& observed, const SmOptions& options,
                             const AnnouncedCapabilities& announced, SharpReport& report)
    : report_(report), wanted_(observed.fabric.switch_count(), SharpSetting::kIgnore) {
  const auto settings =
      settings_of_devices(options.devices, options.routing.port_groups, observed.fabric);
  for (std::uint32_t s = 0; s < wanted_.size(); ++s) {
    const NodeInfo& info = observed.nodes[s].info;
    if (!sharp_unconfirmed::may_have_sharp(info.device_id) && !announced.is_additional(info))
      continue;
    const std::optional<bool> own = settings.empty() ? std::nullopt : settings[s].sharp;
    wanted_[s] = !own   ? options.sharp_enabled
                 : *own ? SharpSetting::kEnable
                        : SharpSetting::kDisable;
  }
}

VendorSettings::Address SharpSettings::address(std::uint8_t) const {
  return {AttributeId::kMlnxExtendedPortInfo, sharp_unconfirmed::kPortOfSwitch};
}

bool SharpSettings::applies(std::uint8_t, std::uint32_t,
                            const DeviceCapabilities& announced) const {
  return announced.has(DeviceCapabilities::kSharp) &&
         announced.has(DeviceCapabilities::kExtendedPortInfo);
}

SmpData SharpSettings::wanted(std::uint8_t, std::uint32_t sw, const SmpData& read) const {
  SmpData data = read;
  set_sharp_enabled(data, is_enabled(sw));
  return data;
}

void SharpSettings::confirmed(std::uint8_t, std::uint32_t sw) {
  report_.enabled += is_enabled(sw) ? 1 : 0;
}

std::string SharpSettings::shortcoming(std::uint8_t, std::uint32_t sw) const {
  return fmt::format("SHARP, which the switch announces, is not {}",
                     is_enabled(sw) ? "enabled" : "disabled");
}

}  // namespace weft
