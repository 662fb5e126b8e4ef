// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables of emulated devices equal the tables of the documentation page, and agree with the
// lists of device IDs of the manager, except that 0xC73A and 0xC73B have adaptive routing but are
// not in the list of devices for GeneralInfo. Also tests the emulation of the devices.
// UPDATE_GOLDEN=1 writes the table of the page.
#include "emulator/devices/device_profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <type_traits>

#include "base/clock.h"
#include "base/file.h"
#include "emulator/class_key_agents.h"
#include "emulator/congestion_agents.h"
#include "emulator/model.h"
#include "fabric/aggregation.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/extended_port_info.h"
#include "ib/vendor/device_capabilities.h"
#include "support/fabric_of.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

constexpr const char* kPage = WEFT_SOURCE_DIR "/docs/reference/devices.md";

std::string ids_text(const DeviceProfile& profile) {
  std::string text;
  for (const std::uint16_t id : profile.ids)
    if (id != 0) text += fmt::format("{}0x{:04X}", text.empty() ? "" : ", ", id);
  return text;
}

std::string table() {
  std::string text =
      "| name | device | ids | speed | FDR10 | adaptive routing | notifications | virtual ports | "
      "source |\n|---|---|---|---|---|---|---|---|---|\n";
  const auto mark = [](bool supported) { return supported ? "yes" : ""; };
  for (const DeviceProfile& profile : device_profiles()) {
    const std::string_view adaptive = profile.adaptive == AdaptiveSupport::kFull  ? "yes"
                                      : profile.adaptive == AdaptiveSupport::kOld ? "old version"
                                                                                  : "";
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", profile.name,
                        profile.product, ids_text(profile), name(profile.speed),
                        mark(profile.extended_ports), adaptive, mark(profile.notifications),
                        mark(profile.virtual_ports), profile.source);
  }
  return text;
}

std::vector<DeviceFeature> all_features() {
  std::vector<DeviceFeature> all;
  for (std::size_t i = 0; i < kDeviceFeatures; ++i) all.push_back(static_cast<DeviceFeature>(i));
  return all;
}

/// Devices with at least one feature; in the last row the sources of cells with "yes".
std::string table_of_features() {
  std::string text = "| device |", rule = "|---|", sources = "| source of *yes* |";
  for (const DeviceFeature feature : all_features()) {
    text += fmt::format(" {} |", device_feature_name(feature));
    rule += "---|";
    sources += fmt::format(" {} |", device_feature_source(feature));
  }
  text += "\n" + rule + "\n";
  constexpr std::array<std::string_view, 3> kCells{"", "assumed", "yes"};
  for (const DeviceProfile& profile : device_profiles()) {
    if (profile.features == FeatureRow{}) continue;
    text += fmt::format("| `{}` |", profile.name);
    for (const DeviceFeature feature : all_features())
      text += fmt::format(" {} |", kCells[static_cast<std::size_t>(profile.support(feature))]);
    text += "\n";
  }
  return text + sources + "\n";
}

/// Compares the table of the page that begins with `head`.
void expect_table(std::string_view head, const std::string& expected) {
  const std::string page = read_file(kPage).value();
  const std::size_t begin = page.find(head);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("\n\n", begin) + 1;
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    ASSERT_TRUE(write_file(kPage, page.substr(0, begin) + expected + page.substr(end)));
  else
    EXPECT_EQ(page.substr(begin, end - begin), expected)
        << "UPDATE_GOLDEN=1 writes the table to " << kPage;
}

TEST(DeviceProfiles, EqualTheTablesInTheDocumentation) {
  expect_table("| name |", table());
  expect_table("| device | port states |", table_of_features());
}

TEST(DeviceProfiles, HaveASourceForEachCellThatIsNotAssumed) {
  for (const DeviceFeature feature : all_features()) {
    const bool is_sourced = std::ranges::any_of(device_profiles(), [&](const auto& profile) {
      return profile.support(feature) == DeviceSupport::kSourced;
    });
    EXPECT_EQ(is_sourced, !device_feature_source(feature).empty()) << device_feature_name(feature);
  }
}

TEST(DeviceProfiles, AgreeWithTheDeviceIdListsOfTheManager) {
  for (const DeviceProfile& profile : device_profiles()) {
    if (profile.kind == DeviceKind::kAggregationNode) continue;
    for (const std::uint16_t id : profile.ids) {
      if (id == 0) continue;
      EXPECT_EQ(may_support_extended_ports(id), profile.extended_ports) << profile.name;
      const bool listed = ar_unconfirmed::may_support_general_info(id);
      EXPECT_EQ(listed || id == 0xC73A || id == 0xC73B, profile.adaptive != AdaptiveSupport::kNone)
          << profile.name;
    }
  }
}

TEST(DeviceProfiles, AreFoundByTypeAndId) {
  std::set<std::pair<bool, std::uint16_t>> seen;
  for (const DeviceProfile& profile : device_profiles()) {
    const bool is_switch = profile.kind == DeviceKind::kSwitch;
    Node node;
    node.type = is_switch ? NodeType::kSwitch : NodeType::kCa;
    for (const std::uint16_t id : profile.ids) {
      if (id == 0) continue;
      EXPECT_TRUE(seen.insert({is_switch, id}).second) << profile.name;
      node.device_id = id;
      EXPECT_EQ(profile_of(node), &profile);
    }
    EXPECT_EQ(is_aggregation_node(node), profile.kind == DeviceKind::kAggregationNode);
    node.type = NodeType::kRouter;
    EXPECT_EQ(profile_of(node), nullptr);
  }
  EXPECT_EQ(profile_of(Node{}), nullptr) << "a node without a device ID has no profile";
}

TEST(DeviceProfiles, AreSelectedByNamesInAList) {
  const auto devices = parse_device_list("quantum-2, connectx-7");
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[0]->product, "Quantum-2");
  EXPECT_EQ((*devices)[1]->product, "ConnectX-7");
  const auto wrong = parse_device_list("quantum-2,quantum-9");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::kUsage);
  EXPECT_TRUE(
      wrong.error().message.starts_with("found 'quantum-9', expected one or more of switchx, "))
      << wrong.error().message;
  EXPECT_FALSE(parse_device_list(""));
}

/// Two switches and two hosts with NDR links. The fabric has no device IDs.
class EmulatedDevices : public testing::Test {
 protected:
  static Fabric ndr() {
    Tiny tiny(2);
    tiny.hosts(0).link(0, 1).hosts(1);
    FabricBuilder::PortSpec spec;
    spec.speed = LinkSpeed::kNdr;
    for (std::uint32_t n = 0; n < tiny.builder().node_count(); ++n)
      for (unsigned p = 1; p <= tiny.builder().node(n).port_count; ++p)
        CHECK(tiny.builder().describe_port(n, PortNum(static_cast<std::uint8_t>(p)), spec));
    return tiny.build();
  }
  void emulate(std::string_view devices) {
    options.adaptive = AdaptiveSwitches::kAnswered;
    options.notifications = true;
    options.vports = 2;
    options.devices = *parse_device_list(devices);
    emulated.emplace(fabric, options);
    sm.emplace(*emulated, kH0);
  }
  NodeInfo node_info(const Path& path) {
    return *decode_node_info(sm->get(AttributeId::kNodeInfo, 0, path)->data);
  }
  AdaptiveRoutingInfo adaptive(const Path& path) {
    const auto answer = sm->get(kAdaptiveRoutingInfo, 0, path);
    return answer && answer->status == 0 ? decode_adaptive_routing_info(answer->data)
                                         : AdaptiveRoutingInfo{};
  }

  const Fabric fabric = ndr();
  EmulatorOptions options;
  std::optional<EmulatedFabric> emulated;
  std::optional<Client> sm;
};

TEST_F(EmulatedDevices, HaveTheIdsAndSpeedsOfTheListedProfiles) {
  emulate("quantum,connectx-6,switch-ib,connectx-7");
  EXPECT_EQ(node_info({}).device_id, 0x101B);
  EXPECT_EQ(node_info({1}).device_id, 0xD2F0);
  EXPECT_EQ(node_info({1, 2}).device_id, 0xCB20);
  const PortInfo host = sm->port_info({}, 1);
  EXPECT_EQ(host.link_speed_ext_supported, 1 | 2 | 4) << "a ConnectX-6 supports speeds up to HDR";
  EXPECT_EQ(sm->port_info({1}, 2).link_speed_ext_active, 2)
      << "the link to the Switch-IB runs at EDR";
}

TEST_F(EmulatedDevices, SupportTheCapabilitiesOfTheProfile) {
  emulate("quantum-2,connectx-7,switchx,connectx-3");
  EXPECT_TRUE(adaptive({1}).frn_capable);
  EXPECT_EQ(adaptive({1}).version, 1);
  EXPECT_FALSE(adaptive({1, 2}).frn_capable);
  EXPECT_EQ(adaptive({1, 2}).version, 0);
  const auto virtualization = [&](const Path& path) {
    return (sm->port_info(path, 1).capability_mask2 & cap_mask2::kVirtualization) != 0;
  };
  EXPECT_TRUE(virtualization({}));
  EXPECT_FALSE(virtualization({1, 2, 1}));
}

/// The capabilities that a switch with both options announces.
class EmulatedSwitchFeatures : public EmulatedDevices {
 protected:
  void emulate_all(std::string_view devices) {
    options.sharp = options.recovery = options.private_lfts = FeatureDevices::kAll;
    options.class_keys = options.ppcc = options.dcqcn = FeatureDevices::kAll;
    options.port_states = PortStateTables::kAnswered;
    emulate(devices);
  }
  bool announces(const Path& path, unsigned bit) {
    const auto answer = sm->get(kGeneralInfo, kCapabilityMaskOfDevice, path);
    return answer && answer->status == 0 && decode_device_capabilities(answer->data).has(bit);
  }
  bool announces_port_states(const Path& path) {
    return (sm->port_info(path, 0).capability_mask2 & cap_mask2::kSwitchPortStateTable) != 0;
  }
};

TEST_F(EmulatedSwitchFeatures, AreThoseOfTheProfileDespiteTheOptions) {
  emulate_all("quantum-3,connectx-8,switchx,connectx-3");
  for (const unsigned bit : {DeviceCapabilities::kFastRecovery, DeviceCapabilities::kSharp,
                             DeviceCapabilities::kPrivateLft}) {
    EXPECT_TRUE(announces({1}, bit)) << "Quantum-3, bit " << bit;
    EXPECT_FALSE(announces({1, 2}, bit)) << "SwitchX, bit " << bit;
  }
  EXPECT_TRUE(announces_port_states({1}));
  EXPECT_FALSE(announces_port_states({1, 2}));
}

TEST_F(EmulatedSwitchFeatures, OfAgentsForGmpsAreThoseOfTheProfile) {
  emulate_all("quantum-3,switchx,connectx-8,connectx-3");
  const emulator::Model model(fabric, options);
  const VirtualClock clock;
  emulator::ClassKeyAgents keys(model, clock);
  emulator::CongestionAgents congestion(model);
  const auto status = [&](auto& agents, std::uint32_t node, Gmp gmp) {
    const emulator::Place at{NodeId(node), PortNum(node < 2 ? 0 : 1)};
    if constexpr (std::is_same_v<decltype(agents), emulator::ClassKeyAgents&>)
      EXPECT_TRUE(agents.answer(KeyedClass::kVendor, gmp, at));
    else
      EXPECT_TRUE(agents.answer(gmp, at));
    return gmp.status;
  };
  Gmp keyed;
  keyed.mgmt_class = form_of(KeyedClass::kVendor).mgmt_class;
  keyed.attribute = kClassPortInfoAttribute;
  Gmp of_ppcc;
  of_ppcc.mgmt_class = kCongestionClass;
  of_ppcc.attribute = kEnhancedCongestionInfo;
  keyed.method = of_ppcc.method = Method::kGet;
  EXPECT_EQ(status(keys, 0, keyed), mad_status::kGood) << "Quantum-3";
  EXPECT_EQ(status(keys, 1, keyed), mad_status::kMethodAttributeUnsupported) << "SwitchX";
  EXPECT_EQ(status(congestion, 2, of_ppcc), mad_status::kGood) << "ConnectX-8";
  EXPECT_EQ(status(congestion, 3, of_ppcc), mad_status::kMethodAttributeUnsupported)
      << "ConnectX-3";
  EXPECT_EQ(status(congestion, 0, of_ppcc), mad_status::kGood) << "Quantum-3, DCQCN";
  EXPECT_EQ(status(congestion, 1, of_ppcc), mad_status::kMethodAttributeUnsupported)
      << "SwitchX, DCQCN";
}

TEST_F(EmulatedSwitchFeatures, OfANodeWithoutProfileAreThoseOfTheOptions) {
  emulate_all("connectx-8");
  EXPECT_TRUE(announces({1}, DeviceCapabilities::kFastRecovery));
  EXPECT_TRUE(announces_port_states({1}));
}

TEST_F(EmulatedDevices, CasWithoutAProfileSupportAllOptions) {
  emulate("quantum-2");
  EXPECT_EQ(node_info({}).device_id, 0) << "the device list names no CA";
  EXPECT_EQ(sm->port_info({}, 1).link_speed_ext_supported, 1 | 2 | 4 | 8)
      << "speeds up to NDR, as in the fabric";
  EXPECT_NE(sm->port_info({}, 1).capability_mask2 & cap_mask2::kVirtualization, 0);
}

}  // namespace
}  // namespace weft
