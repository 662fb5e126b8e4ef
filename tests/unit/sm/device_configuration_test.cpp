// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of devices by port group: the file, and the settings that the manager writes to emulated
// switches.
#include "policy/device_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/sharp.h"
#include "sm/devices/sharp.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// Port groups: "spines" has all spines, "left" has the leaves that match leaf-[12].
PortGroups port_groups() {
  PortGroups groups;
  for (const auto& [name, regexp] : {std::pair("spines", "spine"), {"left", "leaf-[12]"}}) {
    PortGroup group;
    group.name = name;
    group.rule = PortGroup::Rule::kRegexp;
    group.regexp = regexp;
    groups.groups.push_back(group);
  }
  return groups;
}

FiledDeviceSettings filed(const std::string& group, const DeviceSettings& settings) {
  return {group, settings, "f:1"};
}

class DeviceConfigurationFile : public testing::Test {
 protected:
  Result<DeviceConfiguration> read(const std::string& lines) {
    const std::string path = folder_ / "devices";
    EXPECT_TRUE(
        write_file(path, "device-configuration\n" + lines + "\nend-device-configuration\n"));
    return read_device_configuration(path, port_groups());
  }
  TempDir folder_;
};

TEST_F(DeviceConfigurationFile, ReadsTheSettingsOfEachGroup) {
  const auto found = read(
      "group: spines\nadaptive-routing: off\nsharp: on\nend-device-configuration\n"
      "device-configuration\ngroup: ALL_SWITCHES\nhash-based-forwarding: off  # all of them");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->at(0).group, "spines");
  EXPECT_EQ(found->at(0).settings, (DeviceSettings{false, std::nullopt, true}));
  EXPECT_EQ(found->at(1).group, "ALL_SWITCHES");
  EXPECT_EQ(found->at(1).settings, (DeviceSettings{std::nullopt, false, std::nullopt}));
}

TEST_F(DeviceConfigurationFile, NamesEachErrorWithItsPlace) {
  for (const auto& [lines, message] :
       {std::pair("sharp: on", "group"),
        std::pair("group: leafs\nsharp: on", "devices:2:8: port group 'leafs' is not defined"),
        std::pair("group: spines", "devices:1: group 'spines' has no setting"),
        std::pair("group: spines\nsharp: yes", "devices:3:8: sharp: found 'yes', expected on or"),
        std::pair("group: spines\nspeed: on", "speed"),
        std::pair("group: spines\nsharp: on\nsharp: off", "sharp")}) {
    const auto found = read(lines);
    ASSERT_FALSE(found) << lines;
    EXPECT_EQ(found.error().code, Code::kBadInput);
    EXPECT_THAT(found.error().message, HasSubstr(message));
  }
}

TEST(DeviceConfiguration, LastParagraphWithASettingApplies) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto settings = settings_of_devices(
      {filed("ALL", {true, std::nullopt, false}), filed("spines", {false})}, port_groups(), fabric);
  ASSERT_EQ(settings.size(), fabric.node_count());
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const bool is_spine = fabric.node(NodeId(n)).description.starts_with("spine");
    EXPECT_EQ(settings[n], (DeviceSettings{!is_spine, std::nullopt, false}));
  }
  EXPECT_TRUE(settings_of_devices({}, port_groups(), fabric).empty());
}

/// A manager on a fabric of emulated switches with configurable settings.
class ConfiguredDevices {
 public:
  explicit ConfiguredDevices(FeatureDevices sharp,
                             AdaptiveSwitches adaptive = AdaptiveSwitches::kRefused)
      : managed(fabric_of("fattree2:k=4"), emulator(sharp, adaptive)) {
    managed.options.routing.port_groups = port_groups();
  }
  bool is_spine(std::uint32_t sw) const {
    return managed.fabric().node(NodeId(sw)).description.starts_with("spine");
  }
  std::uint64_t sharp_switches() {
    std::uint64_t count = 0;
    for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
      count += is_sharp_enabled(managed.emulated().sharp_port(SwitchId(s))) ? 1 : 0;
    return count;
  }
  std::uint64_t requests(AttributeId attribute) {
    const EmulatorCounters& counters = managed.emulated().counters();
    return counters.requests(Method::kGet, attribute) + counters.requests(Method::kSet, attribute);
  }
  bool sweep_again() {
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("test");
    return managed.settle();
  }

  ManagedSubnet managed;

 private:
  static EmulatorOptions emulator(FeatureDevices sharp, AdaptiveSwitches adaptive) {
    EmulatorOptions options;
    options.sharp = sharp;
    options.adaptive = adaptive;
    return options;
  }
};

constexpr AttributeId kSharpAttribute = AttributeId::kMlnxExtendedPortInfo;

TEST(Sharp, IsSetByGroupAndReadAgainInEachSweep) {
  ConfiguredDevices subnet(FeatureDevices::kAll);
  subnet.managed.options.sharp_enabled = SharpSetting::kEnable;
  subnet.managed.options.devices = {filed("spines", {.sharp = false})};
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  const std::uint32_t switches = subnet.managed.fabric().switch_count();
  for (std::uint32_t s = 0; s < switches; ++s) {
    SmpData data = subnet.managed.emulated().sharp_port(SwitchId(s));
    EXPECT_EQ(is_sharp_enabled(data), !subnet.is_spine(s));
    EXPECT_EQ(data[5], std::byte{0x64}) << "a field without a setting must keep its value";
  }
  EXPECT_EQ(subnet.managed.report().sharp.capable, switches);
  EXPECT_EQ(subnet.managed.report().sharp.enabled, subnet.sharp_switches());
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.requests(kGeneralInfo), 0u);
  EXPECT_EQ(subnet.requests(kSharpAttribute), switches);
  EXPECT_EQ(subnet.managed.sets(kSharpAttribute), 0u);
  // The next heavy sweep after set_options() writes the new setting.
  subnet.managed.options.sharp_enabled = SharpSetting::kDisable;
  subnet.managed.sm().set_options(subnet.managed.options);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.sharp_switches(), 0u);
}

TEST(Sharp, IsQueriedFromNoSwitchWithoutASetting) {
  ConfiguredDevices subnet(FeatureDevices::kAll);
  subnet.managed.options.devices = {filed("spines", {.adaptive_routing = true})};
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.requests(kSharpAttribute), 0u);
}

/// Of every four devices one supports SHARP, one does not announce it, one announces it without
/// responding, and one refuses GeneralInfo.
TEST(Sharp, IsSetOnlyInDevicesThatAnnounceSharp) {
  ConfiguredDevices subnet(FeatureDevices::kMixed);
  subnet.managed.options.sharp_enabled = SharpSetting::kEnable;
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.managed.report().up);
  const std::uint32_t switches = subnet.managed.fabric().switch_count();
  std::uint64_t capable = 0, unresponsive = 0;
  for (std::uint32_t s = 0; s < switches; ++s) {
    EXPECT_EQ(is_sharp_enabled(subnet.managed.emulated().sharp_port(SwitchId(s))), s % 4 == 0);
    capable += s % 4 == 0 || s % 4 == 2 ? 1 : 0;
    unresponsive += s % 4 == 2 ? 1 : 0;
  }
  EXPECT_EQ(subnet.managed.report().sharp.capable, capable);
  EXPECT_EQ(subnet.managed.report().sharp.failures.size(), unresponsive);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.requests(kSharpAttribute), capable - unresponsive)
      << "devices that did not answer are queried again only after a pause";
}

TEST(Sharp, ConcernsDevicesThatMayHaveSharpAndConfiguredDevices) {
  constexpr std::uint16_t kSwitchX = 0xC738, kQuantum2 = 0xD2F2, kOther = 0xB924;
  Observed observed;
  observed.fabric = fabric_of("fattree2:k=4");
  observed.nodes.resize(observed.fabric.node_count());
  observed.nodes[0].info.device_id = kSwitchX;
  observed.nodes[1].info.device_id = kQuantum2;
  observed.nodes[2].info.device_id = kOther;
  SmOptions options;
  options.sharp_enabled = SharpSetting::kDisable;
  options.additional_gi_supporting_devices = {kOther};
  AnnouncedCapabilities announced;
  announced.begin_sweep(observed, options, TimeNs{0});
  SharpReport report;
  const SharpSettings settings(observed, options, announced, report);
  EXPECT_FALSE(settings.concerns(0)) << "devices of this kind have GeneralInfo, but no SHARP";
  EXPECT_TRUE(settings.concerns(1));
  EXPECT_TRUE(settings.concerns(2));
}

TEST(Sharp, CostsOneTimeoutForADeviceKindThatDoesNotAnswer) {
  ConfiguredDevices subnet(FeatureDevices::kSilent);
  subnet.managed.options.sharp_enabled = SharpSetting::kEnable;
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.requests(kGeneralInfo), 1u + subnet.managed.options.transaction_retries);
  EXPECT_EQ(subnet.requests(kSharpAttribute), 0u);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.requests(kGeneralInfo), 0u);
}

/// Spines have one path to each leaf, and therefore no AR groups.
TEST(DeviceConfiguration, EnablesAdaptiveRoutingAndHashBasedForwardingByGroup) {
  ConfiguredDevices subnet(FeatureDevices::kNone, AdaptiveSwitches::kAnswered);
  subnet.managed.options.routing_engine = {{"ar_updn"}, true};
  subnet.managed.options.devices = {filed("left", {.adaptive_routing = false}),
                                    filed("ALL_SWITCHES", {.hash_forwarding = false})};
  subnet.managed.start();
  ASSERT_TRUE(subnet.managed.settle());
  const auto expect_adaptive = [&](std::size_t enabled, bool hashes) {
    std::size_t count = 0;
    for (std::uint32_t s = 0; s < subnet.managed.fabric().switch_count(); ++s) {
      const AdaptiveRoutingInfo& info = subnet.managed.emulated().adaptive(SwitchId(s)).info;
      if (!info.enabled) continue;
      ++count;
      EXPECT_EQ((info.more_enabled & AdaptiveRoutingInfo::kHbfBySlEnabled) != 0, hashes);
      EXPECT_EQ(info.hbf_sl_mask, hashes ? 0xFFFF : 0);
    }
    EXPECT_EQ(count, enabled);
  };
  expect_adaptive(2, false);
  subnet.managed.options.devices = {filed("ALL_SWITCHES", {.hash_forwarding = true})};
  subnet.managed.sm().set_options(subnet.managed.options);
  ASSERT_TRUE(subnet.sweep_again());
  expect_adaptive(4, true);
}

}  // namespace
}  // namespace weft
