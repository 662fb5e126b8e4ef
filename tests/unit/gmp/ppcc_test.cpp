// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Programmable congestion control: bytes, files, and the settings that the manager writes to
// emulated CA ports.
#include "ib/gmps/ppcc.h"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>

#include "base/file.h"
#include "policy/congestion_policy.h"
#include "support/congestion_subnet.h"
#include "unit/gmp/number_at.h"

namespace weft {
namespace {

using testing::HasSubstr;

TEST(PpccWire, EnhancedCongestionInfoHasEachFieldAtItsOffset) {
  const EnhancedCongestionInfo info{true, false, 0x0102030405060708};
  const CongestionData data = encode(info);
  EXPECT_EQ(number_at(data, 0, 8), 0x8000'0000'0000'0000u);
  EXPECT_EQ(number_at(data, 8, 8), 0x0102030405060708u);
  EXPECT_EQ(number_at(encode(EnhancedCongestionInfo{false, true, 0}), 0, 1), 0x40u);
  EXPECT_EQ(decode_enhanced_congestion_info(data), info);
}

TEST(PpccWire, ConfigurationHasEachFieldAtItsOffset) {
  PpccConfig config{true, false, true, false, 0x1234, 9, 1};
  config.content[0] = std::byte{0xAB};
  config.content[175] = std::byte{0xCD};
  const CongestionData data = encode(config);
  EXPECT_EQ(number_at(data, 0, 8), 0xA000'0000'1234'0901u);
  EXPECT_EQ(number_at(data, 8, 8), 0u);
  EXPECT_EQ(number_at(data, 16, 1), 0xABu);
  EXPECT_EQ(number_at(data, 191, 1), 0xCDu);
  EXPECT_EQ(decode_ppcc_config(data), config);
  EXPECT_EQ(number_at(encode(PpccConfig{.status = true, .counts = true}), 0, 1), 0x50u);
}

TEST(PpccWire, AlgorithmListHasAnIdAndAVersionForEachSlot) {
  PpccConfig config;
  const std::array<PpccAlgorithmId, 2> algorithms{{{0x1122, 3, 4}, {0x5566, 7, 8}}};
  set_algorithms(config, algorithms);
  EXPECT_EQ(config.type, 2);
  EXPECT_EQ(config.length, 2);
  const CongestionData data = encode(config);
  EXPECT_EQ(number_at(data, 16, 8), 0x1122'0304'5566'0708u);
  EXPECT_EQ(number_at(data, 24, 8), 0u);
  EXPECT_EQ(algorithms_of(config)[1], algorithms[1]);
  EXPECT_EQ(algorithms_of(config)[2], PpccAlgorithmId{});
  config.type = PpccConfig::kText;
  EXPECT_EQ(algorithms_of(config)[1], PpccAlgorithmId{});
}

TEST(PpccWire, ParametersAre44Numbers) {
  PpccParameters parameters;
  parameters.sls = 0x8001;
  parameters.length = 44;
  parameters.values[0] = 0x01020304;
  parameters.values[43] = 0x05060708;
  const CongestionData data = encode(parameters);
  EXPECT_EQ(number_at(data, 0, 8), 0x0000'0000'8001'2C02u);
  EXPECT_EQ(number_at(data, 16, 4), 0x01020304u);
  EXPECT_EQ(number_at(data, 188, 4), 0x05060708u);
  EXPECT_EQ(decode_ppcc_parameters(data), parameters);
}

constexpr const char* kAlgorithms =
    "algorithm\n"
    "  name: reactive\n"
    "  id: 0x101\n"
    "  version: 1.1\n"
    "  parameters: rate 100 1 400, gain 3\n"
    "end-algorithm\n"
    "algorithm\n"
    "  name: plain\n"
    "  id: 0x201\n"
    "  version: 2.0\n"
    "end-algorithm\n";

constexpr const char* kPolicy =
    "congestion-control\n"
    "  group: ALL_CAS\n"
    "  algorithm: reactive\n"
    "  sls: 0-3, 8\n"
    "  set: gain 5\n"
    "  counters: on\n"
    "end-congestion-control\n";

class PpccFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "algorithms");
    algorithms(kAlgorithms);
  }
  void algorithms(const std::string& text) {
    EXPECT_TRUE(write_file(folder_ / "algorithms/all", text));
  }
  Result<CongestionPolicy> read(const std::string& text) {
    CongestionPolicy policy{.use = CongestionUse::kEnable};
    auto found = read_congestion_algorithms(folder_ / "algorithms");
    if (!found) return forward(found);
    policy.algorithms = std::move(*found);
    EXPECT_TRUE(write_file(folder_ / "policy", text));
    if (const auto status = read_congestion_policy(folder_ / "policy", policy); !status)
      return forward(status);
    return policy;
  }
  TempDir folder_;
};

TEST_F(PpccFiles, DescribeAlgorithmsAndSettings) {
  EXPECT_TRUE(write_file(folder_ / "algorithms/.hidden", "not a description"));
  const auto policy = read(kPolicy);
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ(policy->algorithms.size(), 2u);
  const CongestionAlgorithm& reactive = policy->algorithms[0];
  EXPECT_EQ(reactive.id, (PpccAlgorithmId{0x101, 1, 1}));
  EXPECT_EQ(reactive.parameters,
            (std::vector<CongestionParameter>{{"rate", 100, 1, 400}, {"gain", 3, 0, 0xFFFFFFFF}}));
  ASSERT_EQ(policy->settings.size(), 1u);
  EXPECT_EQ(policy->settings[0].setting, (CongestionSetting{0, 0x10F, false, true, {100, 5}}));
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto settings = congestion_settings(*policy, fabric, 0);
  EXPECT_EQ(settings.size(), fabric.ca_count());
}

TEST_F(PpccFiles, LastParagraphWithAnSlAppliesToTheSl) {
  const auto policy = read(std::string(kPolicy) +
                           "congestion-control\ngroup: ALL\nalgorithm: plain\nsls: 2-4\n"
                           "end-congestion-control\n");
  ASSERT_TRUE(policy) << policy.error().message;
  const Fabric fabric = fabric_of("fattree2:k=4");
  const auto settings = congestion_settings(*policy, fabric, 0);
  ASSERT_EQ(settings.size(), fabric.ca_count()) << "settings only for CA ports";
  for (const auto& [port, of_port] : settings) {
    ASSERT_EQ(of_port.size(), 2u);
    EXPECT_EQ(of_port[0].sls, 0x103);
    EXPECT_EQ(of_port[1].sls, 0x1C);
  }
  const auto whole = read(std::string(kPolicy) +
                          "congestion-control\ngroup: ALL\nalgorithm: plain\nsls: 0-15\n"
                          "end-congestion-control\n");
  for (const auto& [port, of_port] : congestion_settings(*whole, fabric, 0))
    EXPECT_EQ(of_port.size(), 1u);
}

TEST_F(PpccFiles, PlanesRestrictAParagraphToPortsInThem) {
  const auto policy = read(std::string(kPolicy) +
                           "congestion-control\ngroup: ALL_CAS\nplanes: 2, 3\nalgorithm: reactive\n"
                           "sls: 0-3\nset: gain 9\nend-congestion-control\n");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->settings[1].planes, (std::vector<std::uint32_t>{2, 3}));
  const Fabric fabric = fabric_of("fattree2:k=4,planes=3");
  const auto settings = congestion_settings(*policy, fabric, 0);
  ASSERT_EQ(settings.size(), 3u * fabric.ca_count());
  for (const auto& [port, of_port] : settings) {
    ASSERT_EQ(of_port.size(), 1u);
    const unsigned number = fabric.port(port).num.value();  // port p is in plane p
    EXPECT_EQ(of_port[0].values[1], number == 1 ? 5u : 9u) << "port " << number;
    EXPECT_EQ(of_port[0].sls, number == 1 ? 0x10F : 0x00F);
  }
  for (const auto& [port, of_port] : congestion_settings(*policy, fabric_of("fattree2:k=4"), 0))
    EXPECT_EQ(of_port[0].values[1], 5u) << "a fabric without planes";
}

/// The cables of plane 1 are removed, so that the ports of plane 2 are known only by the number of
/// planes that devices state.
TEST_F(PpccFiles, PlanesRestrictAParagraphIfOnlyOnePlaneRemains) {
  const auto policy = read(std::string(kPolicy) +
                           "congestion-control\ngroup: ALL_CAS\nplanes: 2\nalgorithm: reactive\n"
                           "sls: 0-3\nset: gain 9\nend-congestion-control\n");
  ASSERT_TRUE(policy) << policy.error().message;
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,plane_down=1");
  const auto settings = congestion_settings(*policy, fabric, 2);
  ASSERT_EQ(settings.size(), fabric.ca_count());
  for (const auto& [port, of_port] : settings) EXPECT_EQ(of_port[0].values[1], 9u);
  for (const auto& [port, of_port] : congestion_settings(*policy, fabric, 0))
    EXPECT_EQ(of_port[0].values[1], 5u) << "the number of planes is not known";
}

TEST_F(PpccFiles, ErrorsNameThePositionAndTheValue) {
  for (const auto& [from, to, message] : {
           std::tuple("group: ALL_CAS", "group: x", "policy:2:10: port group 'x'"),
           {"algorithm: reactive", "algorithm: x", "policy:3:14: algorithm: found 'x'"},
           {"sls: 0-3, 8", "sls: 3-0", "policy:4:8: sls: found '3-0', expected SLs from 0 to 15"},
           {"sls: 0-3, 8", "sls: 16", "found '16'"},
           {"sls: 0-3, 8", "planes: 1, 0\n  sls: 0",
            "policy:4:11: planes: found '0', expected numbers of planes from 1 to 255"},
           {"set: gain 5", "set: pain 5",
            "found 'pain 5', expected NAME VALUE of a parameter of algorithm 'reactive'"},
           {"set: gain 5", "set: rate 401",
            "found 'rate 401', expected rate with a number from 1 to 400"},
           {"counters: on", "counters: 1", "found '1', expected on or off"},
       }) {
    std::string text = kPolicy;
    const auto policy = read(text.replace(text.find(from), std::string(from).size(), to));
    ASSERT_FALSE(policy) << to;
    EXPECT_THAT(policy.error().message, HasSubstr(message));
  }
  for (const auto& [from, to, message] : {
           std::tuple("id: 0x101", "id: 0", "all:3:7: id: found '0', expected a number"),
           {"version: 1.1", "version: 1", "found '1', expected MAJOR.MINOR"},
           {"rate 100 1 400", "rate 100 101 400", "found 'rate 100 101 400', expected NAME VALUE"},
           {"gain 3", "rate 3", "parameters: found 'rate', expected a name that is not in use"},
           {"name: plain", "name: reactive",
            "name: found 'reactive', expected a name that is not in use"},
           {"0x201\n  version: 2.0", "0x101\n  version: 1.9", "expected an id of no other"},
       }) {
    std::string text = kAlgorithms;
    algorithms(text.replace(text.find(from), std::string(from).size(), to));
    const auto policy = read(kPolicy);
    ASSERT_FALSE(policy) << to;
    EXPECT_THAT(policy.error().message, HasSubstr(message));
  }
  std::string many = "algorithm\nname: a\nid: 1\nversion: 1.0\nparameters: p0 1";
  for (int i = 1; i < 45; ++i) many += fmt::format(", p{} 1", i);
  algorithms(many + "\nend-algorithm\n");
  EXPECT_THAT(read(kPolicy).error().message, HasSubstr("found 45, expected at most 44"));
  EXPECT_EQ(read_congestion_algorithms(folder_ / "none").error().code, Code::kEnvironment);
}

class PpccSubnet : public PpccFiles, protected CongestionSubnet {
 protected:
  void bring_up(FeatureDevices support = FeatureDevices::kAll) {
    EmulatorOptions emulator;
    emulator.ppcc = support;
    start("fattree2:k=4", emulator, *read(kPolicy));
  }
  std::uint64_t change(const std::string& policy) { return apply(*read(policy)); }
  VendorCongestionWork::Counts counts() const { return manager->ppcc_counts(); }
  PpccAgent& agent(std::uint32_t ca) {
    const Fabric& fabric = managed->fabric();
    return managed->emulated()
        .congestion_agent(fabric.endport(EndportId(fabric.switch_count() + ca)).port)
        .ppcc;
  }
};

TEST_F(PpccSubnet, SettingsOfThePolicyAreWrittenOnce) {
  bring_up();
  const std::uint32_t cas = managed->fabric().ca_count();
  sweep();
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{cas, cas, 2 * cas, 0}));
  for (std::uint32_t ca = 0; ca < cas; ++ca) {
    EXPECT_EQ(agent(ca).sets, 2u);
    const PpccConfig& config = agent(ca).configs[0];
    EXPECT_TRUE(config.is_enabled && config.counts && !config.traces);
    EXPECT_EQ(config.sls, 0x10F);
    EXPECT_EQ(agent(ca).parameters[0].values[0], 100u);
    EXPECT_EQ(agent(ca).parameters[0].values[1], 5u);
    EXPECT_EQ(agent(ca).parameters[0].length, 2);
  }
  // For each CA the manager reads three slots, and the parameters of one slot.
  EXPECT_EQ(sweep(), 4u * cas);
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{cas, cas, 0, 0}));
  // The policy now has "trace: on" in place of "counters: on".
  std::string traced = kPolicy;
  change(traced.replace(traced.find("counters"), 8, "trace"));
  EXPECT_EQ(counts().written, cas);
  EXPECT_TRUE(agent(0).configs[0].traces && !agent(0).configs[0].counts);
  // One port was restarted, and another port has other parameter values.
  agent(1) = {};
  agent(2).parameters[0].values[1] = 6;
  agent(2).parameters[0].values[7] = 8;
  sweep();
  EXPECT_EQ(counts().written, 3u);
  EXPECT_EQ(agent(2).parameters[0].values[1], 5u);
  EXPECT_EQ(agent(2).parameters[0].values[7], 8u)
      << "the algorithm has no parameter 7, so the value is unchanged";
  EXPECT_EQ(manager->counts().programmable_changes, 3 * cas + 3) << "sum of all rounds";
}

TEST_F(PpccSubnet, PortsOfTheOnlyPlaneWithCablesHaveTheSettingsOfThePlane) {
  EmulatorOptions emulator;
  emulator.ppcc = FeatureDevices::kAll;
  emulator.planar = PlanarSupport::kAll;
  std::string of_plane = kPolicy;
  of_plane.replace(of_plane.find("  algorithm"), 0, "  planes: 1\n");
  start("fattree2:k=4,planes=2", emulator, *read(of_plane));
  const Fabric& fabric = managed->fabric();
  for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i)
    if (const PortId port = fabric.endport(EndportId(i)).port; fabric.port(port).num == PortNum(2))
      managed->emulated().cut_cable(port);
  managed->run_for(std::chrono::minutes(1));
  sweep();
  EXPECT_EQ(counts().enabled, fabric.ca_count());
}

TEST_F(PpccSubnet, MetricsAreZeroAfterARoundWithoutRequests) {
  bring_up();
  sweep();
  EXPECT_EQ(manager->counts().programmable_ports, managed->fabric().ca_count());
  options.ppcc.use = CongestionUse::kIgnore;
  manager->set_options(options);
  run();
  EXPECT_EQ(manager->counts().programmable_ports, 0u);
  EXPECT_EQ(manager->counts().algorithms_enabled, 0u);
}

TEST_F(PpccSubnet, SlIsRemovedFromOneSlotBeforeAssignmentToAnother) {
  bring_up();
  sweep();
  const std::uint32_t cas = managed->fabric().ca_count();
  const std::string more =
      "congestion-control\ngroup: ALL\nalgorithm: plain\nsls: 2-4\nend-congestion-control\n";
  change(kPolicy + more);
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{cas, 2ull * cas, 2ull * cas, 0}));
  EXPECT_EQ(agent(0).configs[0].sls, 0x103);
  EXPECT_EQ(agent(0).configs[2].sls, 0x1C);
  // With the first policy, slot 0 has the SLs of slot 2 again.
  change(kPolicy);
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{cas, cas, 2ull * cas, 0}));
  EXPECT_EQ(agent(0).configs[0].sls, 0x10F);
  EXPECT_FALSE(agent(0).configs[2].is_enabled);
  options.ppcc.use = CongestionUse::kDisable;
  manager->set_options(options);
  run();
  for (std::uint32_t ca = 0; ca < cas; ++ca) EXPECT_FALSE(agent(ca).configs[0].is_enabled);
}

TEST_F(PpccSubnet, LogsAMissingAlgorithmOnceForEachPort) {
  bring_up();
  agent(0).algorithms[0].minor = 0;
  agent(1).algorithms = {};
  agent(2).algorithms = {{{}, {}, {0x101, 1, 1}}};
  agent(3).algorithms[0] = {0x101, 2, 9};
  const LogLines log;
  for (int round = 0; round < 2; ++round) sweep();
  EXPECT_EQ(log.count("found no algorithm reactive (0x0101), expected version 1.1"), 3u);
  EXPECT_EQ(counts().failed, 0u);
  EXPECT_EQ(counts().enabled + 3, counts().ports);
  EXPECT_TRUE(agent(2).configs[2].is_enabled);
}

TEST_F(PpccSubnet, LogsAPortThatIgnoresTheSet) {
  bring_up();
  agent(3).ignores_sets = true;
  const LogLines log;
  for (int round = 0; round < 2; ++round) sweep();
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(log.count("slot 0: the answer to the Set has other parameters"), 1u);
  change("congestion-control\ngroup: ALL\nalgorithm: plain\nsls: 2-4\nend-congestion-control\n");
  EXPECT_EQ(counts().failed, 1u);
  EXPECT_EQ(log.count("slot 2: the answer to the Set has enabled false"), 1u);
}

TEST_F(PpccSubnet, SendsOnlyTheCapabilityQueryToPortsWithoutTheCapability) {
  bring_up(FeatureDevices::kMixed);
  sweep();
  const Fabric& fabric = managed->fabric();
  std::uint64_t announcing = 0, supporting = 0;
  for (std::uint32_t ca = 0; ca < fabric.ca_count(); ++ca) {
    const unsigned profile = fabric.endport(EndportId(fabric.switch_count() + ca)).node.value() % 4;
    supporting += profile == 0 ? 1 : 0;
    announcing += profile == 0 || profile == 2 ? 1 : 0;
    EXPECT_EQ(agent(ca).sets, profile == 0 ? 2u : 0u);
  }
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{announcing, supporting, 2 * supporting,
                                                    announcing - supporting}));
  const std::uint64_t tries = 1 + options.client.retries;
  EXPECT_EQ(sweep(),
            4 * supporting + VendorCongestionWork::kTimeoutsMax * tries * (announcing - supporting))
      << "three timeouts end the requests to a device, and ports without the capability get none";
}

TEST_F(PpccSubnet, PortWithoutResponsesIsQueriedAgainAfterAPause) {
  bring_up();
  const Fabric& fabric = managed->fabric();
  const EndportId last(fabric.endport_count() - 1);
  CongestionAgent& silent = managed->emulated().congestion_agent(fabric.endport(last).port);
  silent.answers = false;
  sweep();
  const std::uint64_t others = fabric.ca_count() - 1;
  EXPECT_EQ(counts(), (VendorCongestionWork::Counts{others, others, 2 * others, 0}));
  EXPECT_EQ(sweep(), 4 * others);
  silent.answers = true;
  managed->emulated().run_for(std::chrono::minutes(1));
  sweep();
  EXPECT_EQ(counts().enabled, others + 1);
}

TEST_F(PpccSubnet, DeviceKindWithoutResponsesCausesOneTimeout) {
  for (const auto use : {CongestionUse::kIgnore, CongestionUse::kEnable}) {
    bring_up(FeatureDevices::kSilent);
    options.ppcc.use = use;
    manager->set_options(options);
    EXPECT_EQ(sweep(), use == CongestionUse::kIgnore ? 0u : 1 + options.client.retries);
    EXPECT_EQ(counts(), VendorCongestionWork::Counts{});
  }
}

TEST_F(PpccSubnet, RequestsCarryTheKeyOfThePort) {
  bring_up();
  options.cc_key = 0x1122334455667788;
  manager->set_options(options);
  const Fabric& fabric = managed->fabric();
  for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i)
    managed->emulated().congestion_agent(fabric.endport(EndportId(i)).port).cc_key = options.cc_key;
  sweep();
  EXPECT_EQ(counts().written, 2u * fabric.ca_count());
}

TEST_F(PpccSubnet, SettingsAreWrittenInSpiteOfLostPackets) {
  bring_up();
  managed->emulated().set_faults({.lost = 0.05, .doubled = 0.1, .late = 0.1});
  sweep();
  EXPECT_EQ(counts().enabled, managed->fabric().ca_count());
  EXPECT_EQ(counts().failed, 0u);
}

}  // namespace
}  // namespace weft
