// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: all parts of the manager take the answer of one request.
#include "sm/devices/general_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/managed_subnet.h"

namespace weft {
namespace {

/// A fabric of devices with all features, and a manager that uses all of them.
struct AnnouncingSubnet : ManagedSubnet {
  explicit AnnouncingSubnet(FeatureDevices features,
                            AdaptiveSwitches adaptive = AdaptiveSwitches::kAnswered,
                            PlanarSupport planes = PlanarSupport::kAll)
      : ManagedSubnet(
            fabric_of(planes == PlanarSupport::kNone ? "fattree2:k=4" : "fattree2:k=4,planes=2"),
            emulator(features, adaptive, planes)) {
    options.routing_engine = {{"ar_updn"}, false};
    options.sharp_enabled = SharpSetting::kEnable;
    options.fast_recovery = options.port_recovery = RecoverySetting::kEnable;
    emulated().set_filter([this](const Smp& smp, NodeId, NodeId to) {
      if (smp.attribute != kGeneralInfo || smp.method != Method::kGet)
        return EmulatedFabric::Fate::kPass;
      ++asked[to];
      return to == silent ? EmulatedFabric::Fate::kLose : EmulatedFabric::Fate::kPass;
    });
  }
  bool sweep_again() {
    asked.clear();
    sm().request_heavy_sweep("test");
    return settle();
  }
  std::uint64_t most() const {
    std::uint64_t most = 0;
    for (const auto& [node, count] : asked) most = std::max(most, count);
    return most;
  }
  std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (const auto& [node, count] : asked) sum += count;
    return sum;
  }
  std::map<NodeId, std::uint64_t> asked;  // requests by device
  std::optional<NodeId> silent;

 private:
  static EmulatorOptions emulator(FeatureDevices features, AdaptiveSwitches adaptive,
                                  PlanarSupport planes) {
    EmulatorOptions options;
    options.sharp = options.recovery = features;
    options.adaptive = adaptive;
    options.planar = planes;
    return options;
  }
};

TEST(GeneralInfo, IsAskedOfEachDeviceOnceInABringUp) {
  for (const auto planes : {PlanarSupport::kAll, PlanarSupport::kNone}) {
    AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, planes);
    subnet.start();
    ASSERT_TRUE(subnet.settle());
    const std::uint32_t switches = subnet.known().switch_count();
    EXPECT_EQ(subnet.most(), 1u);
    EXPECT_EQ(subnet.asked.size(),
              planes == PlanarSupport::kAll ? subnet.known().node_count() - 1 : switches)
        << "requests to the own port cross no cable";
    // The answer was used by all of them.
    EXPECT_EQ(subnet.report().sharp.enabled, switches);
    EXPECT_EQ(subnet.report().recovery.capable, switches);
    EXPECT_GT(subnet.report().adaptive.on, 0u);
    EXPECT_EQ(subnet.report().planes.multiplane_cas,
              planes == PlanarSupport::kAll ? subnet.known().ca_count() : 0u);
    ASSERT_TRUE(subnet.sweep_again());
    EXPECT_EQ(subnet.sum(), 0u);
    EXPECT_EQ(subnet.report().sharp.enabled, switches);
  }
}

TEST(GeneralInfo, IsAskedOfDevicesOfAllGenerationsOnce) {
  AnnouncingSubnet subnet(FeatureDevices::kMixed, AdaptiveSwitches::kMixed, PlanarSupport::kMixed);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.most(), 1u);
  EXPECT_GE(subnet.asked.size(), subnet.known().switch_count());
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.sum(), 0u);
}

TEST(GeneralInfo, CostsOneTimeoutForAKindThatIsSilentToAll) {
  AnnouncingSubnet subnet(FeatureDevices::kSilent, AdaptiveSwitches::kIgnored,
                          PlanarSupport::kNone);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.sum(), 1u + subnet.options.transaction_retries);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.sum(), 0u);
}

/// Others of its kind answer, so that it is asked again in the next sweep.
TEST(GeneralInfo, CostsOneTimeoutInASweepForADeviceThatIsSilent) {
  AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, PlanarSupport::kNone);
  subnet.silent = NodeId(3);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  const std::uint64_t tries = 1u + subnet.options.transaction_retries;
  const std::uint32_t switches = subnet.known().switch_count();
  EXPECT_EQ(subnet.asked[NodeId(3)], tries);
  EXPECT_EQ(subnet.sum(), switches - 1 + tries);
  EXPECT_EQ(subnet.report().sharp.enabled, switches - 1);
  subnet.silent.reset();
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.sum(), 1u);
  EXPECT_EQ(subnet.report().sharp.enabled, switches);
}

/// Another firmware may run, which announces more or less.
TEST(GeneralInfo, IsAskedAgainOfASwitchThatWasRestarted) {
  AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, PlanarSupport::kNone);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  subnet.asked.clear();
  subnet.emulated().switch_off_node(NodeId(3));
  subnet.emulated().switch_on_node(NodeId(3));
  subnet.run_for(std::chrono::seconds(30));
  ASSERT_EQ(subnet.known().switch_count(), subnet.fabric().switch_count());
  EXPECT_EQ(subnet.asked, (std::map<NodeId, std::uint64_t>{{NodeId(3), 1}}));
  EXPECT_EQ(subnet.report().sharp.enabled, subnet.known().switch_count());
}

/// With disable_default_gi_support and additional_gi_supporting_devices.
TEST(GeneralInfo, IsAskedOfTheConfiguredKindsOnly) {
  for (const bool is_additional : {false, true}) {
    AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered,
                            PlanarSupport::kNone);
    subnet.options.disable_default_gi_support = true;
    if (is_additional) subnet.options.additional_gi_supporting_devices = {0xD2F0};
    subnet.start();
    ASSERT_TRUE(subnet.settle());
    const std::uint32_t asked = is_additional ? subnet.known().switch_count() : 0;
    EXPECT_EQ(subnet.sum(), asked);
    EXPECT_EQ(subnet.report().sharp.enabled, asked);
    EXPECT_EQ(subnet.report().recovery.capable, asked);
  }
}

/// The sweep was canceled while the first switch of the kind was being asked.
TEST(GeneralInfo, IsAskedAgainAfterACanceledSweep) {
  Observed observed;
  observed.fabric = fabric_of("fattree2:k=4");
  observed.nodes.resize(observed.fabric.node_count());
  for (std::uint32_t n = 0; n < observed.fabric.node_count(); ++n) {
    observed.nodes[n].info.node_guid = observed.fabric.node(NodeId(n)).node_guid;
    observed.nodes[n].info.type = NodeType::kSwitch;
    observed.nodes[n].paths.resize(1);
  }
  const SmOptions options;
  AnnouncedCapabilities announced;
  announced.begin_sweep(observed, options);
  Smp request;
  {
    GeneralInfoQueries canceled(observed, announced);
    EXPECT_TRUE(canceled.add(NodeId(0)));
    EXPECT_TRUE(canceled.add(NodeId(1)));
    EXPECT_EQ(canceled.next(request), NodeId(0));
    EXPECT_EQ(canceled.next(request), std::nullopt) << "one of a kind at a time";
  }
  announced.begin_sweep(observed, options);
  GeneralInfoQueries queries(observed, announced);
  EXPECT_TRUE(queries.add(NodeId(1)));
  EXPECT_EQ(queries.next(request), NodeId(1));
  DeviceCapabilities sharp;
  sharp.set(DeviceCapabilities::kSharp);
  request.data = encode(sharp);
  EXPECT_EQ(queries.answered(NodeId(1), request), sharp);
  EXPECT_TRUE(announced.announces(observed.nodes[1].info.node_guid, DeviceCapabilities::kSharp));
  EXPECT_FALSE(queries.add(NodeId(1))) << "it is known";
}

}  // namespace
}  // namespace weft
