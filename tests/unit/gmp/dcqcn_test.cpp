// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DCQCN: the paragraphs of the policy, and the settings that the manager writes to emulated CA
// ports and switches.
#include <gmock/gmock.h>

#include "base/file.h"
#include "ib/gmps/dcqcn.h"
#include "policy/congestion_policy.h"
#include "support/congestion_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

constexpr const char* kDcqcnPolicy =
    "dcqcn-switch\n"
    "  group: ALL_SWITCHES\n"
    "  enable: on\n"
    "  averaging-weight: 4\n"
    "  averaging-time: 10\n"
    "end-dcqcn-switch\n"
    "dcqcn-port\n"
    "  group: ALL_SWITCHES\n"
    "  kilobytes: on\n"
    "  profile-1: 100 1000 50\n"
    "  sls-1: 0-2\n"
    "  sls-3: 15\n"
    "end-dcqcn-port\n"
    "dcqcn-ca\n"
    "  group: ALL_CAS\n"
    "  notify: on\n"
    "  react: on\n"
    "  per-plane: on\n"
    "end-dcqcn-ca\n"
    "dcqcn-reaction-point\n"
    "  group: ALL_CAS\n"
    "  clamp-bit-7: on\n"
    "  least-rate: 100\n"
    "  g: 1023\n"
    "end-dcqcn-reaction-point\n"
    "dcqcn-notification-point\n"
    "  group: ALL_CAS\n"
    "  cnp-interval: 4\n"
    "  cnp-sl: 3\n"
    "  rtt-sl: off\n"
    "end-dcqcn-notification-point\n";

class DcqcnPolicy : public testing::Test {
 protected:
  Result<CongestionPolicy> read_policy(const std::string& text) {
    CongestionPolicy policy{.use = CongestionUse::kEnable};
    EXPECT_TRUE(write_file(files_ / "policy", text));
    if (const auto status = read_congestion_policy(files_ / "policy", policy); !status)
      return forward(status);
    return policy;
  }
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kDcqcnPolicy;
    return text.replace(text.find(from), from.size(), to);
  }
  TempDir files_;
};

TEST_F(DcqcnPolicy, StatesFieldsByAttributeAndPort) {
  const auto policy = read_policy(kDcqcnPolicy);
  ASSERT_TRUE(policy) << policy.error().message;
  const Fabric fabric = fabric_of("fattree2:k=4");
  auto settings = dcqcn_settings(policy->dcqcn, policy->groups, fabric);
  ASSERT_EQ(settings.size(), fabric.switch_count() + fabric.ca_count());
  DcqcnSettings& of_switch = settings[EndportId(0)];
  const unsigned ports = fabric.node(NodeId(0)).port_count;
  EXPECT_EQ(of_switch.size(), 1u + 2u * ports) << "no attribute of a port for port 0";
  EXPECT_EQ((of_switch[{kDcqcnSwitchGeneral, 0}]),
            (DcqcnFields{encode(DcqcnSwitchGeneral{true, 0xFF, 0xFF, 0, 0}),
                         encode(DcqcnSwitchGeneral{true, 4, 10, 0, 0})}));
  DcqcnPortProfiles mask{false, true, 0xFFFF, {}}, value = mask;
  mask.profiles[0] = {0xFFFFFFFF, 0x7F, 0xFFFFF};
  value.profiles[0] = {100, 50, 1000};
  EXPECT_EQ((of_switch[{kDcqcnPortProfiles, ports}]), (DcqcnFields{encode(mask), encode(value)}));
  EXPECT_EQ((of_switch[{kDcqcnSlMap, 1}]),
            (DcqcnFields{encode(DcqcnSlMap{{3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}}),
                         encode(DcqcnSlMap{{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}})}));
  DcqcnSettings& of_ca = settings[EndportId(fabric.switch_count())];
  EXPECT_EQ(of_ca.size(), 3u);
  EXPECT_EQ((of_ca[{kDcqcnNotificationPoint, 0}]),
            (DcqcnFields{encode(DcqcnNotificationPoint{0xFFFF, true, true, 0, 0xFF}),
                         encode(DcqcnNotificationPoint{4, true, false, 0, 3})}));
}

TEST_F(DcqcnPolicy, LastParagraphWithAFieldAppliesToTheField) {
  const auto policy =
      read_policy(std::string(kDcqcnPolicy) + "dcqcn-ca\ngroup: ALL\nreact: off\nend-dcqcn-ca\n");
  ASSERT_TRUE(policy) << policy.error().message;
  const Fabric fabric = fabric_of("fattree2:k=4");
  auto settings = dcqcn_settings(policy->dcqcn, policy->groups, fabric);
  EXPECT_EQ((settings[EndportId(fabric.switch_count())][{kDcqcnCaGeneral, 0}]),
            (DcqcnFields{encode(DcqcnCaGeneral{true, true, true}),
                         encode(DcqcnCaGeneral{true, false, true})}));
  EXPECT_FALSE((settings[EndportId(0)].contains({kDcqcnCaGeneral, 0})));
}

TEST_F(DcqcnPolicy, ErrorsNameThePositionAndTheValue) {
  for (const auto& [from, to, message] : {
           std::tuple("group: ALL_SWITCHES", "group: x", "policy:2:10: port group 'x'"),
           {"enable: on", "enable: 1", "policy:3:11: enable: found '1', expected on or off"},
           {"averaging-time: 10", "averaging-time: 25",
            "found '25', expected a number from 0 to 24"},
           {"profile-1: 100 1000 50", "profile-1: 1001 1000 50",
            "expected MINIMUM MAXIMUM PERCENT"},
           {"profile-1: 100 1000 50", "profile-1: 100 1000 101", "found '100 1000 101'"},
           {"profile-1: 100 1000 50", "profile-1: 100 1048576 5", "found '100 1048576 5'"},
           {"sls-3: 15", "sls-3: 2", "sls-3: found '2', expected SLs without another profile"},
           {"sls-3: 15", "sls-3: 16", "sls-3: found '16', expected SLs from 0 to 15"},
           {"kilobytes: on", "vls: 8-7", "vls: found '8-7', expected VLs from 0 to 15"},
           {"g: 1023", "g: 1024", "g: found '1024', expected a number from 0 to 1023"},
           {"cnp-sl: 3", "cnp-sl: 16", "cnp-sl: found '16', expected an SL from 0 to 15, or off"},
           {"end-dcqcn-ca", "end-dcqcn-port", "found 'end-dcqcn-port', expected 'end-dcqcn-ca'"},
       }) {
    const auto policy = read_policy(changed(from, to));
    ASSERT_FALSE(policy) << to;
    EXPECT_THAT(policy.error().message, HasSubstr(message));
  }
  EXPECT_THAT(read_policy("dcqcn-ca\ngroup: ALL\nend-dcqcn-ca\n").error().message,
              HasSubstr("policy:1: dcqcn-ca: found only a group, expected at least one value"));
}

class DcqcnSubnet : public DcqcnPolicy, protected CongestionSubnet {
 protected:
  void bring_up(const char* spec = "fattree2:k=4", FeatureDevices support = FeatureDevices::kAll,
                PlanarSupport planar = PlanarSupport::kNone) {
    EmulatorOptions emulator;
    emulator.ppcc = ppcc;
    emulator.dcqcn = support;
    emulator.planar = planar;
    start(spec, emulator, *read_policy(kDcqcnPolicy));
  }
  VendorCongestionWork::Counts counts() const { return manager->dcqcn_counts(); }
  CongestionAgent& agent(std::uint32_t endport) {
    return managed->emulated().congestion_agent(managed->fabric().endport(EndportId(endport)).port);
  }
  std::uint32_t first_ca() const { return managed->fabric().switch_count(); }
  std::uint32_t devices() const { return managed->fabric().endport_count(); }
  DcqcnCaGeneral ca_general(std::uint32_t endport) {
    return decode_dcqcn_ca_general(agent(endport).dcqcn.held[{kDcqcnCaGeneral, 0}]);
  }
  /// The attributes that the policy configures, in all devices.
  std::uint64_t attributes() const {
    std::uint64_t sum = 3ull * managed->fabric().ca_count();
    for (std::uint32_t sw = 0; sw < first_ca(); ++sw)
      sum += 1 + 2ull * managed->fabric().node(NodeId(sw)).port_count;
    return sum;
  }
  FeatureDevices ppcc = FeatureDevices::kNone;
};

TEST_F(DcqcnSubnet, SettingsOfThePolicyAreWrittenOnce) {
  bring_up();
  agent(first_ca()).dcqcn.held[{kDcqcnReactionPoint, 0}] =
      encode(DcqcnReactionPoint{.clamp_bit_6 = true, .rtt = 77});
  sweep();
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{devices(), devices(), attributes(), 0}));
  EXPECT_EQ(decode_dcqcn_switch_general(agent(0).dcqcn.held[{kDcqcnSwitchGeneral, 0}]),
            (DcqcnSwitchGeneral{true, 4, 10, DcqcnAgent::kBufferBytes, 0}));
  EXPECT_EQ(decode_dcqcn_port_profiles(agent(0).dcqcn.held[{kDcqcnPortProfiles, 2}]).profiles[0],
            (DcqcnProfile{100, 50, 1000}));
  EXPECT_EQ(decode_dcqcn_sl_map(agent(0).dcqcn.held[{kDcqcnSlMap, 2}]).profiles[15], 3);
  EXPECT_EQ(ca_general(first_ca()), (DcqcnCaGeneral{true, true, false}))
      << "a CA without planes gets no setting for each plane";
  DcqcnReactionPoint point{.clamp_bit_7 = true, .clamp_bit_6 = true, .least_rate = 100};
  point.g = 1023;
  point.rtt = 77;
  EXPECT_EQ(decode_dcqcn_reaction_point(agent(first_ca()).dcqcn.held[{kDcqcnReactionPoint, 0}]),
            point)
      << "fields without a setting are unchanged";
  EXPECT_EQ(sweep(), attributes()) << "the second round only reads";
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{devices(), devices(), 0, 0}));
  // One CA was restarted.
  agent(first_ca()).dcqcn = {};
  sweep();
  EXPECT_EQ(counts().written, 3u);
  EXPECT_EQ(manager->counts().dcqcn_changes, attributes() + 3) << "sum of all rounds";
  EXPECT_EQ(manager->counts().dcqcn_devices, devices());
  EXPECT_EQ(manager->counts().dcqcn_configured, devices());
}

TEST_F(DcqcnSubnet, DisablesAllDevicesAndOtherwiseOnlyDevicesOfThePolicy) {
  bring_up();
  sweep();
  apply(*read_policy("dcqcn-switch\ngroup: ALL_SWITCHES\nenable: off\nend-dcqcn-switch\n"));
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{first_ca(), first_ca(), first_ca(), 0}));
  EXPECT_EQ(ca_general(first_ca()), (DcqcnCaGeneral{true, true, false}));
  apply({.use = CongestionUse::kDisable});
  EXPECT_EQ(counts().written, devices() - first_ca());
  EXPECT_EQ(ca_general(first_ca()), DcqcnCaGeneral{});
  const std::uint64_t sent = managed->emulated().counters().gmps_sent;
  apply({.use = CongestionUse::kIgnore});
  EXPECT_EQ(managed->emulated().counters().gmps_sent, sent);
}

TEST_F(DcqcnSubnet, ControlsEachPlaneOnlyOnCasThatAnnounceItAndStatePlanes) {
  bring_up("fattree2:k=4,planes=2", FeatureDevices::kAll, PlanarSupport::kMixed);
  const Snapshot& snapshot = *managed->sm().snapshot();
  std::uint64_t with_planes = 0;
  std::vector<bool> expected(devices());
  for (std::uint32_t ca = first_ca(); ca < devices(); ++ca) {
    const NodeId node = managed->fabric().endport(EndportId(ca)).node;
    const auto device = snapshot.planar->find(managed->fabric().node(node).node_guid);
    expected[ca] = device != snapshot.planar->end() &&
                   std::ranges::any_of(device->second.ports,
                                       [](const auto& port) { return port.second.planes > 1; });
    if (expected[ca] && with_planes++ == 0) {
      agent(ca).dcqcn.lacks_planes = true;
      expected[ca] = false;
    }
  }
  EXPECT_GT(with_planes, 1u);
  EXPECT_LT(with_planes, devices() - first_ca());
  sweep();
  for (std::uint32_t ca = first_ca(); ca < devices(); ++ca)
    EXPECT_EQ(ca_general(ca), (DcqcnCaGeneral{true, true, expected[ca]}));
  EXPECT_EQ(counts().failed, 0u);
}

TEST_F(DcqcnSubnet, DevicesWithoutTheCapabilityGetOnlyTheCapabilityQuery) {
  bring_up("fattree2:k=4", FeatureDevices::kMixed);
  sweep();
  sweep();
  std::uint64_t announcing = 0, supporting = 0;
  for (std::uint32_t i = 0; i < devices(); ++i) {
    const unsigned profile = managed->fabric().endport(EndportId(i)).node.value() % 4;
    announcing += profile == 0 || profile == 2 ? 1 : 0;
    supporting += profile == 0 ? 1 : 0;
    if (profile == 1 || profile == 3) {
      EXPECT_THAT(agent(i).requests,
                  testing::ElementsAre(testing::Pair(kEnhancedCongestionInfo, 1u)));
    }
  }
  EXPECT_EQ(counts(),
            (VendorCongestionWork::Counts{announcing, supporting, 0, announcing - supporting}));
}

TEST_F(DcqcnSubnet, SharesTheCapabilityQueryAndTheTimeoutsWithProgrammableControl) {
  ppcc = FeatureDevices::kMixed;
  bring_up("fattree2:k=4", FeatureDevices::kMixed);
  sweep();
  const std::uint64_t tries = 1 + options.client.retries;
  for (std::uint32_t ca = first_ca(); ca < devices(); ++ca) {
    const unsigned profile = managed->fabric().endport(EndportId(ca)).node.value() % 4;
    EXPECT_EQ(agent(ca).requests[kEnhancedCongestionInfo], 1u);
    if (profile == 0) {
      EXPECT_EQ(agent(ca).dcqcn.sets, 3u);
    }
    if (profile != 2) continue;
    EXPECT_EQ(agent(ca).requests[kPpccConfig], VendorCongestionWork::kTimeoutsMax * tries);
    EXPECT_EQ(agent(ca).requests.size(), 2u) << "no request for DCQCN after three timeouts";
  }
}

TEST_F(DcqcnSubnet, SwitchesGetNoRequestIfThePolicyDoesNotConfigureThem) {
  bring_up();
  options.ppcc = *read_policy("dcqcn-ca\ngroup: ALL\nreact: on\nend-dcqcn-ca\n");
  manager->set_options(options);
  sweep();
  for (std::uint32_t sw = 0; sw < first_ca(); ++sw) EXPECT_TRUE(agent(sw).requests.empty());
  EXPECT_EQ(counts().enabled, managed->fabric().ca_count());
}

TEST_F(DcqcnSubnet, LogsADeviceThatIgnoresTheSetOnce) {
  bring_up();
  agent(first_ca()).dcqcn.ignores_sets = true;
  const LogLines log;
  for (int round = 0; round < 2; ++round) sweep();
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(counts().enabled + 1, devices());
  EXPECT_EQ(log.count("modifier 0: the answer to the Set has other values than the Set"), 1u);
  EXPECT_EQ(manager->counts().dcqcn_failures, 1u);
}

TEST_F(DcqcnSubnet, SettingsAreWrittenInSpiteOfLostPackets) {
  bring_up();
  managed->emulated().set_faults({.lost = 0.05, .doubled = 0.1, .late = 0.1});
  sweep();
  EXPECT_EQ(counts().enabled, devices());
  EXPECT_EQ(counts().failed, 0u);
}

}  // namespace
}  // namespace weft
