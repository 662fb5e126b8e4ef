// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/device_configuration.h"

#include <array>

#include "base/text.h"
#include "policy/policy_paragraphs.h"

namespace weft {
namespace {

struct DeviceSetting {
  std::string_view name;
  std::optional<bool> DeviceSettings::*into;
};
constexpr std::array kDeviceSettings{
    DeviceSetting{"adaptive-routing", &DeviceSettings::adaptive_routing},
    DeviceSetting{"hash-based-forwarding", &DeviceSettings::hash_forwarding},
    DeviceSetting{"sharp", &DeviceSettings::sharp}};
constexpr std::array<std::string_view, 4> kDeviceNames{"group", "adaptive-routing",
                                                       "hash-based-forwarding", "sharp"};
constexpr std::array<std::string_view, 1> kDeviceMandatory{"group"};
constexpr ParagraphForm kDeviceForm{"device-configuration", kDeviceNames, kDeviceMandatory};

void take_paragraph(const Paragraph& paragraph, const PortGroups& groups, DeviceConfiguration& into,
                    Problems& problems) {
  const Qualifier& group = *paragraph.find("group");
  const std::size_t before = problems.size();
  if (!groups.has(group.value))
    problems.push_back(group.place + ": " + groups.missing_text(group.value));
  FiledDeviceSettings filed{group.value, {}, paragraph.place};
  for (const DeviceSetting& setting : kDeviceSettings) {
    const Qualifier* found = paragraph.find(setting.name);
    if (found == nullptr) continue;
    if (found->value == "on" || found->value == "off")
      filed.settings.*setting.into = found->value == "on";
    else
      problems.push_back(fmt::format("{}: {}: found {}, expected on or off", found->place,
                                     found->name, quoted(found->value)));
  }
  if (problems.size() != before) return;
  if (filed.settings == DeviceSettings{})
    return problems.push_back(fmt::format(
        "{}: group {} has no setting, expected adaptive-routing, hash-based-forwarding or sharp",
        paragraph.place, quoted(group.value)));
  into.push_back(std::move(filed));
}

}  // namespace

Result<DeviceConfiguration> read_device_configuration(const std::string& path,
                                                      const PortGroups& groups) {
  Problems problems;
  const auto paragraphs = read_paragraphs(path, kDeviceForm, problems);
  if (!paragraphs) return forward(paragraphs);
  DeviceConfiguration configuration;
  for (const Paragraph& paragraph : *paragraphs)
    take_paragraph(paragraph, groups, configuration, problems);
  if (const auto status = as_status(problems); !status) return forward(status);
  return configuration;
}

std::vector<DeviceSettings> settings_of_devices(const DeviceConfiguration& configuration,
                                                const PortGroups& groups, const Fabric& fabric) {
  if (configuration.empty()) return {};
  std::vector<DeviceSettings> result(fabric.node_count());
  for (const FiledDeviceSettings& filed : configuration) {
    const auto ports = ports_of_group(groups, filed.group, fabric);
    for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
      if (!ports[p]) continue;
      DeviceSettings& device = result[fabric.port(PortId(p)).node.value()];
      for (const DeviceSetting& setting : kDeviceSettings)
        if (filed.settings.*setting.into) device.*setting.into = filed.settings.*setting.into;
    }
  }
  return result;
}

void take_device_settings(const std::vector<DeviceSettings>& settings, const Fabric& fabric,
                          ArConf& conf) {
  for (std::uint32_t s = 0; s < fabric.switch_count() && !settings.empty(); ++s) {
    const DeviceSettings& device = settings[s];
    if (!device.adaptive_routing && !device.hash_forwarding) continue;
    ArSwitchConf& own = conf.switches[fabric.node(SwitchId(s)).node_guid];
    if (device.adaptive_routing) own.enable = device.adaptive_routing;
    own.hash_forwarding = device.hash_forwarding;
  }
}

}  // namespace weft
