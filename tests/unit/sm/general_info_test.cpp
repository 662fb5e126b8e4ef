// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: all parts of the manager use the answer to one request, and write settings only to
// devices that announce them.
#include "sm/devices/general_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/port_recovery.h"
#include "sm/adaptive/ar_reading.h"
#include "sm/devices/setting_programming.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

/// A fabric of devices with these features, and a manager that uses all features.
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
      if (smp.attribute == kHierarchyInfo && to == without_planes)
        return EmulatedFabric::Delivery::kLose;
      if (smp.attribute != kGeneralInfo || smp.method != Method::kGet)
        return EmulatedFabric::Delivery::kPass;
      ++requests_by_device[to];
      return none_responds || to == unresponsive ? EmulatedFabric::Delivery::kLose
                                                 : EmulatedFabric::Delivery::kPass;
    });
  }
  bool sweep_again() {
    requests_by_device.clear();
    sm().request_heavy_sweep("test");
    return settle();
  }
  std::uint64_t most_requests_of_a_device() const {
    std::uint64_t most_requests_of_a_device = 0;
    for (const auto& [node, count] : requests_by_device)
      most_requests_of_a_device = std::max(most_requests_of_a_device, count);
    return most_requests_of_a_device;
  }
  std::uint64_t request_count() const {
    std::uint64_t request_count = 0;
    for (const auto& [node, count] : requests_by_device) request_count += count;
    return request_count;
  }
  std::map<NodeId, std::uint64_t> requests_by_device;
  bool none_responds = false;
  std::optional<NodeId> unresponsive;
  std::optional<NodeId> without_planes;  // a device that does not answer HierarchyInfo

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

TEST(GeneralInfo, IsQueriedFromEachDeviceOnceInABringUp) {
  for (const auto planes : {PlanarSupport::kAll, PlanarSupport::kNone}) {
    AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, planes);
    subnet.start();
    ASSERT_TRUE(subnet.settle());
    const std::uint32_t switches = subnet.known().switch_count();
    EXPECT_EQ(subnet.most_requests_of_a_device(), 1u);
    EXPECT_EQ(subnet.requests_by_device.size(),
              planes == PlanarSupport::kAll ? subnet.known().node_count() - 1 : switches)
        << "requests to the manager's port cross no cable and are not counted";
    // All features used the answer.
    EXPECT_EQ(subnet.report().sharp.enabled, switches);
    EXPECT_EQ(subnet.report().recovery.capable, switches);
    EXPECT_GT(subnet.report().adaptive.on, 0u);
    EXPECT_EQ(subnet.report().planes.multiplane_cas,
              planes == PlanarSupport::kAll ? subnet.known().ca_count() : 0u);
    ASSERT_TRUE(subnet.sweep_again());
    EXPECT_EQ(subnet.request_count(), 0u);
    EXPECT_EQ(subnet.report().sharp.enabled, switches);
  }
}

TEST(GeneralInfo, IsQueriedOnceFromDevicesWithMixedSupport) {
  AnnouncingSubnet subnet(FeatureDevices::kMixed, AdaptiveSwitches::kMixed, PlanarSupport::kMixed);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.most_requests_of_a_device(), 1u);
  EXPECT_GE(subnet.requests_by_device.size(), subnet.known().switch_count());
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.request_count(), 0u);
}

TEST(GeneralInfo, CostsOneTimeoutForADeviceKindThatDoesNotAnswer) {
  AnnouncingSubnet subnet(FeatureDevices::kSilent, AdaptiveSwitches::kIgnored,
                          PlanarSupport::kNone);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.request_count(), 1u + subnet.options.transaction_retries);
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.request_count(), 0u);
}

/// Other devices of the same kind answer, so that the unresponsive device is queried again in the
/// next sweep.
TEST(GeneralInfo, CostsOneTimeoutPerSweepForADeviceThatDoesNotAnswer) {
  AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, PlanarSupport::kNone);
  subnet.unresponsive = NodeId(3);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  const std::uint64_t tries = 1u + subnet.options.transaction_retries;
  const std::uint32_t switches = subnet.known().switch_count();
  EXPECT_EQ(subnet.requests_by_device[NodeId(3)], tries);
  EXPECT_EQ(subnet.request_count(), switches - 1 + tries);
  EXPECT_EQ(subnet.report().sharp.enabled, switches - 1);
  subnet.unresponsive.reset();
  ASSERT_TRUE(subnet.sweep_again());
  EXPECT_EQ(subnet.request_count(), 1u);
  EXPECT_EQ(subnet.report().sharp.enabled, switches);
}

constexpr std::uint64_t kTries = 4;

/// The devices answer later, because packets had been lost or firmware was updated.
TEST(GeneralInfo, IsQueriedAgainByALightSweepAfterAPause) {
  for (const auto planes : {PlanarSupport::kAll, PlanarSupport::kNone}) {
    AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, planes);
    ASSERT_EQ(subnet.options.transaction_retries + 1u, kTries);
    subnet.none_responds = true;
    subnet.start();
    ASSERT_TRUE(subnet.settle());
    EXPECT_EQ(subnet.report().adaptive.on + subnet.report().sharp.enabled, 0u);
    subnet.run_for(std::chrono::seconds(30));
    const std::uint64_t sweeps = subnet.sm().heavy_sweeps();
    subnet.none_responds = false;
    subnet.requests_by_device.clear();
    subnet.run_for(std::chrono::seconds(20));
    EXPECT_EQ(subnet.request_count(), 0u) << "no query may be sent before the pause ends";
    subnet.run_for(std::chrono::seconds(30));
    EXPECT_EQ(subnet.sm().heavy_sweeps(), sweeps + 1);
    EXPECT_EQ(subnet.most_requests_of_a_device(), 1u);
    EXPECT_GT(subnet.report().adaptive.on, 0u);
    EXPECT_EQ(subnet.report().sharp.enabled, subnet.known().switch_count());
    EXPECT_EQ(subnet.report().planes.multiplane_cas,
              planes == PlanarSupport::kAll ? subnet.known().ca_count() : 0u);
  }
}

/// Each query is sent to another device of the kind, and causes no heavy sweep.
TEST(GeneralInfo, IsQueriedAfterDoubledPausesIfAKindDoesNotAnswer) {
  AnnouncingSubnet subnet(FeatureDevices::kSilent, AdaptiveSwitches::kIgnored,
                          PlanarSupport::kNone);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  const std::uint64_t sweeps = subnet.sm().heavy_sweeps();
  for (const auto& [minute, requests] : {std::pair(2, 2u), {4, 3u}, {8, 4u}, {14, 4u}, {16, 5u}}) {
    while (subnet.emulated().clock().now() < std::chrono::minutes(minute)) subnet.run_for(kSecond);
    EXPECT_EQ(subnet.requests_by_device.size(), requests);
    EXPECT_EQ(subnet.request_count(), requests * kTries);
  }
  EXPECT_EQ(subnet.sm().heavy_sweeps(), sweeps);
  subnet.requests_by_device.clear();
  subnet.sm().request_full_discovery("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.request_count(), kTries)
      << "a full discovery must query one device of the kind, despite the pause";
}

TEST(GeneralInfo, IsQueriedByALightSweepIfOnlyOtherDevicesOfTheKindAnswered) {
  AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, PlanarSupport::kNone);
  subnet.unresponsive = NodeId(3);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  subnet.unresponsive.reset();
  subnet.requests_by_device.clear();
  subnet.run_for(std::chrono::seconds(80));
  EXPECT_EQ(subnet.requests_by_device, (std::map<NodeId, std::uint64_t>{{NodeId(3), 1}}));
  EXPECT_EQ(subnet.report().sharp.enabled, subnet.known().switch_count());
}

/// The switch may run another firmware, which announces other features.
TEST(GeneralInfo, IsQueriedAgainFromASwitchThatWasRestarted) {
  AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, PlanarSupport::kNone);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  subnet.requests_by_device.clear();
  subnet.emulated().switch_off_node(NodeId(3));
  subnet.emulated().switch_on_node(NodeId(3));
  subnet.run_for(std::chrono::seconds(30));
  ASSERT_EQ(subnet.known().switch_count(), subnet.fabric().switch_count());
  EXPECT_EQ(subnet.requests_by_device, (std::map<NodeId, std::uint64_t>{{NodeId(3), 1}}));
  EXPECT_EQ(subnet.report().sharp.enabled, subnet.known().switch_count());
}

/// The planes of the device are read later than its other features.
TEST(GeneralInfo, IsNotQueriedAgainForAFeatureThatIsReadLater) {
  AnnouncingSubnet subnet(FeatureDevices::kAll);
  subnet.without_planes = NodeId(3);
  subnet.start();
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.report().planes.answering + 1, subnet.report().planes.devices);
  EXPECT_EQ(subnet.report().sharp.enabled, subnet.known().switch_count());
  subnet.without_planes.reset();
  subnet.run_for(std::chrono::minutes(2));  // longer than the pause after a device did not answer
  const auto node_info_requests = [&] {
    return subnet.emulated().counters().requests(Method::kGet, kExtendedNodeInfo);
  };
  const std::uint64_t before = node_info_requests();
  subnet.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.settle());
  EXPECT_EQ(subnet.report().planes.answering, subnet.report().planes.devices);
  EXPECT_EQ(node_info_requests(), before + 1)
      << "the device must be queried once for ExtendedNodeInfo, which its GeneralInfo announces";
  EXPECT_EQ(subnet.requests_by_device[NodeId(3)], 1u);
}

/// The keys disable_default_gi_support and additional_gi_supporting_devices select the kinds.
TEST(GeneralInfo, IsQueriedFromTheConfiguredKindsOnly) {
  for (const bool is_additional : {false, true}) {
    AnnouncingSubnet subnet(FeatureDevices::kAll, AdaptiveSwitches::kAnswered,
                            PlanarSupport::kNone);
    subnet.options.disable_default_gi_support = true;
    if (is_additional) subnet.options.additional_gi_supporting_devices = {0xD2F0};
    subnet.start();
    ASSERT_TRUE(subnet.settle());
    const std::uint32_t expected = is_additional ? subnet.known().switch_count() : 0;
    EXPECT_EQ(subnet.request_count(), expected);
    EXPECT_EQ(subnet.report().sharp.enabled, expected);
    EXPECT_EQ(subnet.report().recovery.capable, expected);
    subnet.requests_by_device.clear();
    subnet.run_for(std::chrono::minutes(3));
    EXPECT_EQ(subnet.request_count(), 0u)
        << "light sweeps must not query kinds that are not configured";
  }
}

constexpr std::uint16_t kQuantumId = 0xD2F0, kQuantum2Id = 0xD2F2;

/// Discovered switches with one link each, for tests without a manager.
struct DiscoveredSwitches {
  DiscoveredSwitches() {
    observed.fabric = fabric_of("fattree2:k=4");
    observed.nodes.resize(observed.fabric.node_count());
    for (std::uint32_t n = 0; n < observed.fabric.node_count(); ++n) {
      ObservedNode& node = observed.nodes[n];
      node.info.node_guid = observed.fabric.node(NodeId(n)).node_guid;
      node.info.type = NodeType::kSwitch;
      node.info.device_id = kQuantumId;
      node.paths.resize(1);
      node.ports.resize(2);
      node.ports[0].capability_mask = ar_unconfirmed::kCapabilitiesWithAdaptive;
    }
    set_state(PortState::kInit);
    begin_sweep();
  }
  void begin_sweep(TimeNs now = TimeNs{0}) { announced.begin_sweep(observed, options, now); }
  void set_state(PortState state) {
    for (ObservedNode& node : observed.nodes) node.ports[1].state = state;
  }
  bool is_known(std::uint32_t node) const {
    return announced.find(observed.nodes[node].info.node_guid) != nullptr;
  }
  Observed observed;
  SmOptions options;
  AnnouncedCapabilities announced;
};

/// The sweep was canceled while the query to the first switch of the kind was outstanding.
TEST(GeneralInfo, IsQueriedAgainAfterACanceledSweep) {
  DiscoveredSwitches discovered;
  Smp request;
  {
    GeneralInfoQueries canceled(discovered.observed, discovered.announced);
    EXPECT_TRUE(canceled.add(NodeId(0)));
    EXPECT_TRUE(canceled.add(NodeId(1)));
    EXPECT_EQ(canceled.next(request), NodeId(0));
    EXPECT_EQ(canceled.next(request), std::nullopt)
        << "only one device of a kind may be queried at a time";
  }
  discovered.begin_sweep();
  GeneralInfoQueries queries(discovered.observed, discovered.announced);
  EXPECT_TRUE(queries.add(NodeId(1)));
  EXPECT_EQ(queries.next(request), NodeId(1));
  DeviceCapabilities sharp;
  sharp.set(DeviceCapabilities::kSharp);
  request.data = encode(sharp);
  EXPECT_EQ(queries.answered(NodeId(1), request), sharp);
  EXPECT_TRUE(discovered.announced.announces(discovered.observed.nodes[1].info.node_guid,
                                             DeviceCapabilities::kSharp));
  EXPECT_FALSE(queries.add(NodeId(1)))
      << "the answer of device 1 is known, so device 1 needs no query";
}

/// A device that never answers must not prevent queries to other devices of its kind.
TEST(GeneralInfo, IsQueriedFromAnotherDeviceOfAKindThatDidNotAnswer) {
  DiscoveredSwitches discovered;
  discovered.observed.nodes[1].info.device_id = kQuantum2Id;
  Smp request;
  std::vector<NodeId> queried;
  for (const int minute : {0, 1, 3, 7}) {
    discovered.begin_sweep(std::chrono::minutes(minute));
    GeneralInfoQueries queries(discovered.observed, discovered.announced);
    for (const std::uint32_t node : {0u, 1u, 2u}) EXPECT_TRUE(queries.add(NodeId(node)));
    while (const auto device = queries.next(request)) {
      queried.push_back(*device);
      queries.failed(*device);
    }
    EXPECT_FALSE(queries.add(NodeId(0)));
    EXPECT_FALSE(discovered.announced.may_be_queried(discovered.observed.nodes[0].info));
  }
  const NodeId of_one(1);  // the only one of its kind
  EXPECT_EQ(queried, (std::vector<NodeId>{NodeId(0), of_one, of_one, NodeId(2), NodeId(0), of_one,
                                          of_one, NodeId(2)}));
  EXPECT_EQ(
      discovered.announced.begin_light_sweep(discovered.observed, std::chrono::minutes(14)).size(),
      0u);
  const auto due =
      discovered.announced.begin_light_sweep(discovered.observed, std::chrono::minutes(15));
  ASSERT_EQ(due.size(), 2u) << "the light sweep must query one device of each kind";
  EXPECT_EQ(due[0].node, NodeId(0));
  EXPECT_EQ(due[1].node, of_one);
}

TEST(GeneralInfo, LightSweepQueriesADeviceOmittedBecauseOfItsKind) {
  for (const bool was_queued : {true, false}) {
    DiscoveredSwitches discovered;
    GeneralInfoQueries queries(discovered.observed, discovered.announced);
    Smp request;
    queries.add(NodeId(0));
    if (was_queued) queries.add(NodeId(2));
    ASSERT_EQ(queries.next(request), NodeId(0));
    queries.failed(NodeId(0));
    EXPECT_EQ(queries.next(request), std::nullopt);
    EXPECT_TRUE(was_queued || !queries.add(NodeId(2)));
    const auto due =
        discovered.announced.begin_light_sweep(discovered.observed, std::chrono::minutes(1));
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].node, NodeId(2));
  }
}

/// The device does not respond, for example because its cable was removed.
TEST(GeneralInfo, LightSweepDoesNotQueryAPortThatDoesNotRespond) {
  DiscoveredSwitches discovered;
  ObservedNode& node = discovered.observed.nodes[0];
  node.info.type = NodeType::kCa;
  node.answered = {false, true};
  node.paths.resize(2);
  GeneralInfoQueries queries(discovered.observed, discovered.announced);
  Smp request;
  EXPECT_TRUE(queries.add(NodeId(0), PortNum(1)));
  ASSERT_EQ(queries.next(request), NodeId(0));
  queries.failed(NodeId(0));
  const TimeNs later = std::chrono::minutes(1);
  EXPECT_EQ(discovered.announced.begin_light_sweep(discovered.observed, later).size(), 1u);
  node.answered[1] = false;
  EXPECT_EQ(discovered.announced.begin_light_sweep(discovered.observed, later).size(), 0u);
}

TEST(AnsweringKinds, HaveOnePauseForAllDevicesThatDoNotAnswer) {
  AnsweringKinds kinds;
  NodeInfo node;
  for (const std::uint64_t guid : {1, 2, 3}) {
    node.node_guid = Guid(guid);
    kinds.note_silence(node, TimeNs{0});
  }
  EXPECT_TRUE(kinds.is_silent(node, std::chrono::seconds(59)));
  EXPECT_FALSE(kinds.is_silent(node, std::chrono::seconds(60)));
  kinds.answered(node);
  kinds.note_silence(node, TimeNs{0});
  EXPECT_FALSE(kinds.is_silent(node, TimeNs{0}))
      << "other devices of the kind answer, so the kind must not count as without answer";
  EXPECT_FALSE(kinds.is_due(node, TimeNs{0}));
}

/// All links of a switch are in INIT after power-up, also while it is brought up.
TEST(GeneralInfo, IsKeptUntilALinkOfASwitchInUseIsInInit) {
  DiscoveredSwitches discovered;
  GeneralInfoQueries queries(discovered.observed, discovered.announced);
  queries.answered(NodeId(0), Smp{});
  discovered.begin_sweep();
  EXPECT_TRUE(discovered.is_known(0))
      << "the switch was not in use yet, so the answer must be kept";
  discovered.begin_sweep();
  EXPECT_TRUE(discovered.is_known(0))
      << "the switch is still not in use in the next sweep, so the answer must be kept";
  discovered.set_state(PortState::kActive);
  discovered.begin_sweep();
  queries.answered(NodeId(1), Smp{});
  EXPECT_TRUE(discovered.is_known(0));
  discovered.set_state(PortState::kInit);
  discovered.begin_sweep();
  EXPECT_FALSE(discovered.is_known(0)) << "the answer of a restarted switch must be dropped";
  EXPECT_FALSE(discovered.is_known(1))
      << "the answer of a restarted switch must be dropped, although it arrived in use";
}

/// The default engine ar_updn requires adaptive routing on all switches: the first switch without
/// adaptive routing ends the queries.
TEST(GeneralInfo, IsQueriedUntilTheFirstSwitchWithoutAdaptiveRouting) {
  for (const bool answers : {true, false})
    for (const auto scope : {ArScope::kAllOrNone, ArScope::kLikely}) {
      DiscoveredSwitches discovered;
      discovered.observed.nodes[1].info.device_id = kQuantum2Id;
      discovered.observed.nodes[2].info.device_id = kQuantum2Id;
      ArMemory known;
      const ArConf conf;
      ArReading reading(discovered.observed, discovered.announced, known, conf, scope);
      Smp request;
      std::uint64_t first = 0, second = 0;
      ASSERT_TRUE(reading.next(request, first));
      ASSERT_TRUE(reading.next(request, second)) << "a switch of the other kind must be queried";
      if (answers)
        reading.answered(first, Smp{});
      else
        reading.failed(first, Error{Code::kTimeout, "no answer"});
      EXPECT_EQ(discovered.announced.may_be_queried(discovered.observed.nodes[0].info), answers);
      reading.answered(second, [] {
        DeviceCapabilities adaptive;
        adaptive.set(DeviceCapabilities::kAdaptiveRouting);
        Smp answer;
        answer.data = encode(adaptive);
        return answer;
      }());
      unsigned others = 0;
      for (std::uint64_t cookie = 0; reading.next(request, cookie);)
        others += request.attribute == kGeneralInfo ? 1 : 0;
      const unsigned switches = discovered.observed.fabric.switch_count();
      EXPECT_EQ(others, scope == ArScope::kAllOrNone ? 0u : answers ? switches - 2 : 1u);
    }
}

TEST(GeneralInfo, CausesNoFurtherRequestsForARefusedAttribute) {
  DiscoveredSwitches discovered;
  DeviceCapabilities adaptive;
  adaptive.set(DeviceCapabilities::kAdaptiveRouting);
  Smp answer;
  answer.data = encode(adaptive);
  GeneralInfoQueries(discovered.observed, discovered.announced).answered(NodeId(0), answer);
  answer.status = mad_status::kMethodAttributeUnsupported;
  ArMemory known;
  const ArConf conf;
  for (const unsigned expected : {1u, 0u}) {
    ArReading reading(discovered.observed, discovered.announced, known, conf, ArScope::kEach);
    Smp request;
    unsigned requests = 0;
    for (std::uint64_t cookie = 0; reading.next(request, cookie);) {
      requests += request.attribute == kAdaptiveRoutingInfo ? 1 : 0;
      reading.answered(cookie, answer);
    }
    EXPECT_EQ(requests, expected);
  }
}

/// A setting of one byte with the desired value 1.
struct OneByte final : VendorSettings {
  std::uint8_t count() const override { return 1; }
  Address address(std::uint8_t) const override { return {kCreditWatchdogConfig, 7}; }
  bool concerns(std::uint32_t sw) const override { return sw == 0; }
  bool applies(std::uint8_t, std::uint32_t, const DeviceCapabilities&) const override {
    return true;
  }
  SmpData wanted(std::uint8_t, std::uint32_t, const SmpData& read) const override {
    SmpData data = read;
    data[0] = std::byte{1};
    return data;
  }
  std::string shortcoming(std::uint8_t, std::uint32_t) const override { return "0"; }
};

TEST(SettingProgramming, EndsForASwitchThatDoesNotStoreTheSetting) {
  DiscoveredSwitches discovered;
  GeneralInfoQueries(discovered.observed, discovered.announced).answered(NodeId(0), Smp{});
  OneByte byte;
  DevicePauses pauses;
  SettingReport report;
  SettingProgramming programming(discovered.observed, byte, discovered.announced, pauses, TimeNs{0},
                                 report);
  Smp request;
  std::uint64_t cookie = 0;
  ASSERT_TRUE(programming.next(request, cookie));
  EXPECT_EQ(request.method, Method::kGet);
  EXPECT_EQ(request.modifier, 7u);
  programming.answered(cookie, Smp{});
  ASSERT_TRUE(programming.next(request, cookie));
  EXPECT_EQ(request.method, Method::kSet);
  EXPECT_EQ(request.data[0], std::byte{1});
  programming.answered(cookie, Smp{});  // the answer still has the value 0
  EXPECT_FALSE(programming.next(request, cookie));
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_NE(report.failures[0].find("does not apply the setting"), std::string::npos);
  EXPECT_EQ(report.written, 0u);
  EXPECT_FALSE(pauses.is_due(discovered.observed.nodes[0].info.node_guid, TimeNs{0}));
}

/// If the switch has answered since the last failure, the pause after the next failure is as short
/// as the first pause.
TEST(SettingProgramming, BeginsWithTheFirstPauseAgainAfterAnAnswer) {
  DiscoveredSwitches discovered;
  GeneralInfoQueries(discovered.observed, discovered.announced).answered(NodeId(0), Smp{});
  OneByte byte;
  DevicePauses pauses;
  SettingReport report;
  const Guid guid = discovered.observed.nodes[0].info.node_guid;
  TimeNs now{0};
  for (const bool answers : {false, true, false}) {
    now += std::chrono::seconds(61);
    ASSERT_TRUE(pauses.is_due(guid, now));
    SettingProgramming programming(discovered.observed, byte, discovered.announced, pauses, now,
                                   report);
    Smp request;
    std::uint64_t cookie = 0;
    ASSERT_TRUE(programming.next(request, cookie));
    request.data[0] = std::byte{1};
    if (answers)
      programming.answered(cookie, request);
    else
      programming.failed(cookie, Error{Code::kTimeout, "no answer"});
    EXPECT_EQ(pauses.is_due(guid, now), answers);
  }
  EXPECT_TRUE(pauses.is_due(guid, now + std::chrono::seconds(61)));
}

}  // namespace
}  // namespace weft
