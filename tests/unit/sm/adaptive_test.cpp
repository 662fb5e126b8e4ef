// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing between the manager and emulated switches: capabilities are read, groups are
// programmed, and fabrics with partial support stay connected.
#include "sm/adaptive/adaptive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "emulator/devices/device_profiles.h"
#include "emulator/model.h"
#include "emulator/snapshot.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/device_capabilities.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

constexpr std::uint16_t kQuantum = 0xD2F0;

/// A generated fabric in which all switches have this device id, by default the id of a device with
/// adaptive routing.
Fabric quantum(const std::string& spec, std::uint16_t device_id = kQuantum) {
  const Fabric plain = fabric_of(spec);
  FabricBuilder builder;
  for (const Node& node : plain.nodes()) {
    Node copy = node;
    if (node.type == NodeType::kSwitch) copy.device_id = device_id;
    builder.add_node(copy);
  }
  for (std::uint32_t p = 0; p < plain.port_count(); ++p) {
    const Port& port = plain.port(PortId(p));
    if (port.peer == kNoPort || port.peer < PortId(p)) continue;
    const Port& peer = plain.port(port.peer);
    CHECK(builder.connect(port.node.value(), port.num, peer.node.value(), peer.num).has_value());
  }
  return *builder.build();
}

EmulatorOptions emulator(AdaptiveSwitches kind) {
  EmulatorOptions options;
  options.adaptive = kind;
  return options;
}

/// The published routes with the AR tables of the emulated switches. Expects that the default ports
/// of AR entries equal the published plain tables.
Routes programmed_routes_of(ManagedSubnet& managed) {
  const auto snapshot = managed.sm().snapshot();
  Routes routes = snapshot->routes;
  const Fabric& known = snapshot->fabric;
  routes.adaptive = ArTables(known.switch_count(), routes.lfts.top());
  for (std::uint32_t s = 0; s < known.switch_count(); ++s) {
    const SwitchId there(managed.fabric().find_node(known.node(SwitchId(s)).node_guid)->value());
    const emulator::AdaptiveModel& model = managed.emulated().adaptive(there);
    if (!model.info.enabled) continue;
    for (const auto& group : model.groups) routes.adaptive->add_group(SwitchId(s), group);
    for (std::uint32_t lid = 1; lid <= routes.lfts.top().value(); ++lid) {
      const ArLftEntry& entry = model.entries[lid];
      const Lid l(static_cast<std::uint16_t>(lid));
      EXPECT_EQ(entry.default_port, routes.lfts.port(SwitchId(s), l)) << "LID " << lid;
      routes.adaptive->set(SwitchId(s), l, {static_cast<ArState>(entry.state), entry.group});
    }
  }
  return routes;
}

std::size_t adaptive_switch_count(ManagedSubnet& managed) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    count += managed.emulated().adaptive(SwitchId(s)).info.enabled ? 1 : 0;
  return count;
}

/// Expects that the tables of the switches, plain tables included, pass the verifier, and that each
/// AR group of a switch is the published group of the LID.
void expect_adaptive(ManagedSubnet& managed) {
  expect_managed(managed);
  const Routes held = programmed_routes_of(managed);
  const Fabric& known = managed.sm().snapshot()->fabric;
  const Verdict verdict = verify(known, held);
  EXPECT_TRUE(verdict.ok()) << describe_cycle(known, verdict.credit_loop);
  EXPECT_EQ(managed.report().adaptive.on, adaptive_switch_count(managed));
  for (std::uint32_t s = 0; s < known.switch_count(); ++s)
    for (std::uint32_t lid = 1; lid <= held.lfts.top().value(); ++lid)
      if (const PortMask* group =
              held.adaptive->group_of(SwitchId(s), Lid(static_cast<std::uint16_t>(lid)))) {
        const PortMask* wanted = managed.sm().snapshot()->routes.adaptive->group_of(
            SwitchId(s), Lid(static_cast<std::uint16_t>(lid)));
        ASSERT_NE(wanted, nullptr);
        EXPECT_EQ(*group, *wanted);
      }
}

std::uint64_t vendor_smps(ManagedSubnet& managed) {
  std::uint64_t sum = 0;
  for (const AttributeId attribute :
       {kGeneralInfo, kAdaptiveRoutingInfo, kArGroupTable, kArForwardingTable})
    for (const Method method : {Method::kGet, Method::kSet})
      sum += managed.emulated().counters().requests(method, attribute);
  return sum;
}

TEST(AdaptiveManager, ProgramsGroupsOnArCapableSwitches) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_EQ(adaptive_switch_count(managed), 16u)
      << "8 leaves and 8 switches above the leaves; a root has only one port to each pod";
  EXPECT_GT(managed.report().adaptive.groups, 0u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  // A second sweep writes nothing.
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(vendor_smps(managed), managed.fabric().switch_count())
      << "each switch receives one request";
  EXPECT_EQ(adaptive_switch_count(managed), 16u);
}

/// Each device supports the attributes of its generation.
TEST(AdaptiveManager, BringsUpDevicesOfAllGenerations) {
  EmulatorOptions options = emulator(AdaptiveSwitches::kAnswered);
  options.notifications = true;
  options.vports = 2;
  for (const DeviceProfile& profile : device_profiles()) options.devices.push_back(&profile);
  for (const char* spec :
       {"fattree3:k=6", "torus:3x3,hosts=2", "dragonflyplus:leaves=2,spines=2,h=1,hosts=2"}) {
    SCOPED_TRACE(spec);
    ManagedSubnet managed(fabric_of(spec), options);
    managed.options.routing_engine = {{"ar_updn"}, false};
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up);
    expect_adaptive(managed);
    for (std::uint32_t s = 0; s < managed.known().switch_count(); ++s) {
      const DeviceProfile* profile = profile_of(managed.known().node(SwitchId(s)));
      ASSERT_NE(profile, nullptr);
      const auto there = managed.fabric().find_node(managed.known().node(SwitchId(s)).node_guid);
      if (profile->adaptive != AdaptiveSupport::kFull) {
        EXPECT_FALSE(managed.emulated().adaptive(SwitchId(there->value())).info.enabled)
            << profile->name;
      }
    }
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("a test");
    ASSERT_TRUE(managed.settle());
    for (const AttributeId attribute :
         {AttributeId::kPortInfo, AttributeId::kSwitchInfo, AttributeId::kLinearForwardingTable,
          AttributeId::kPkeyTable, kArGroupTable})
      EXPECT_EQ(managed.sets(attribute), 0u) << static_cast<int>(attribute);
  }
}

/// Group 0 stays empty. Of the features only HBF is enabled, for all SLs, and the transports UD and
/// UC are excluded.
TEST(AdaptiveManager, KeepsGroupZeroEmptyAndEnablesOnlyHbf) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  std::size_t adaptive = 0;
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    const emulator::AdaptiveModel& model = managed.emulated().adaptive(SwitchId(s));
    if (!model.info.enabled) continue;
    ++adaptive;
    ASSERT_GE(model.groups.size(), 2u);
    EXPECT_TRUE(model.groups[0].none());
    for (const ArLftEntry& entry : model.entries)
      if (entry.state != 2) {
        EXPECT_GE(entry.group, 1u);
      }
    EXPECT_EQ(model.info.more_enabled, AdaptiveRoutingInfo::kHbfBySlEnabled);
    EXPECT_EQ(model.info.hbf_sl_mask, 0xFFFF);
    EXPECT_FALSE(model.info.by_sl_enabled);
    EXPECT_EQ(model.info.transports_excluded, 0x5) << "the transports UD and UC are excluded";
  }
  EXPECT_EQ(adaptive, 16u);
}

TEST(AdaptiveManager, RestrictsSlsAndTransportsAsConfigured) {
  for (const AdaptiveSwitches kind : {AdaptiveSwitches::kAnswered, AdaptiveSwitches::kMixed}) {
    ManagedSubnet managed(quantum("fattree3:k=4"), emulator(kind));
    managed.options.routing_engine = {{"ar_updn"}, false};
    managed.options.ar_sl_mask = 0x000F;
    managed.options.ar_transport_mask = 0x2;
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_adaptive(managed);
    EXPECT_GT(adaptive_switch_count(managed), 0u);
    for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
      const AdaptiveRoutingInfo& info = managed.emulated().adaptive(SwitchId(s)).info;
      if (!info.enabled) continue;
      EXPECT_TRUE(info.by_sl_capable)
          << "a switch without this capability would be adaptive on all SLs";
      EXPECT_TRUE(info.by_sl_enabled);
      EXPECT_EQ(info.sl_mask, 0x000F);
      EXPECT_EQ(info.transports_excluded, 0xD);
    }
    managed.options.ar_sl_mask = kAllSls;
    managed.sm().set_options(managed.options);
    managed.sm().request_heavy_sweep("a test");
    ASSERT_TRUE(managed.settle());
    expect_adaptive(managed);
    for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
      EXPECT_FALSE(managed.emulated().adaptive(SwitchId(s)).info.by_sl_enabled);
  }
}

TEST(AdaptiveManager, ReprogramsASwitchWrittenByAnotherManager) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  // Another manager writes an empty block of a plain table, for LIDs above all assigned LIDs.
  const EndportId other(managed.fabric().endport_count() - 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  Smp smp;
  smp.method = Method::kSet;
  smp.attribute = AttributeId::kLinearForwardingTable;
  smp.modifier = 9;
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(other).port).num.value();
  smp.data.fill(std::byte{255});
  ASSERT_TRUE(wire.send(smp));
  managed.run_for(std::chrono::seconds(1));
  EXPECT_EQ(adaptive_switch_count(managed), 15u);
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(adaptive_switch_count(managed), 16u);
  EXPECT_GT(managed.report().adaptive.entries, 0u);
  expect_adaptive(managed);
}

/// Sends one Set to the switch of the last host, from that host.
void set_at_last_leaf(ManagedSubnet& managed, AttributeId attribute, std::uint32_t modifier,
                      const SmpData& data) {
  const EndportId other(managed.fabric().endport_count() - 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  Smp smp;
  smp.method = Method::kSet;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(other).port).num.value();
  smp.data = data;
  ASSERT_TRUE(wire.send(smp));
  managed.emulated().run_for(std::chrono::milliseconds(1));
  const auto answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, mad_status::kGood);
  managed.emulated().detach(other);
}

/// The capacity query, the Sets that disable and enable adaptive routing, and later Sets.
TEST(AdaptiveManager, DoesNotChangeBitsOfInfoThatBelongToNoField) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  std::size_t requests = 0;
  managed.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
    const bool has_settings = smp.method == Method::kSet || smp.modifier != 0;
    if (from == managed.manager_node() && smp.attribute == kAdaptiveRoutingInfo && has_settings) {
      ++requests;
      EXPECT_EQ(smp.data[21], std::byte{0x5A});
      EXPECT_EQ(smp.data[25], std::byte{0xC3});
    }
    return EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_GE(requests, 20u + 16u) << "the capacity of 20 switches is queried, 16 are enabled";
  managed.emulated().cut_cable(managed.fabric().port_id(
      Fabric::node_of(SwitchId(0)), managed.fabric().channels_from(SwitchId(0))[0].from_port));
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(adaptive_switch_count(managed), 10u);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    EXPECT_EQ(managed.emulated().adaptive(SwitchId(s)).info_data[21], std::byte{0x5A}) << s;
}

/// Another manager wrote entries with hash-based forwarding, before a new manager starts.
TEST(AdaptiveManager, WarnsBeforeItReplacesHashEntriesOfAnotherManager) {
  for (const char* engine : {"ar_updn", "updn"}) {
    ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
    managed.options.routing_engine = {{"ar_updn"}, false};
    managed.start();
    ASSERT_TRUE(managed.settle());
    const SwitchId leaf = managed.fabric().endports().back().sw;
    const auto& entries = managed.emulated().adaptive(leaf).entries;
    ArLftBlock block;
    std::copy_n(entries.begin(), ArLftBlock::kEntries, block.entries.begin());
    std::vector<Lid> changed;
    for (std::size_t lid = 1; lid < ArLftBlock::kEntries && changed.size() < 2; ++lid)
      if (block.entries[lid].state != 2) {
        block.entries[lid].state = 3;
        changed.emplace_back(static_cast<std::uint16_t>(lid));
      }
    ASSERT_EQ(changed.size(), 2u);
    managed.end_manager();
    set_at_last_leaf(managed, kArForwardingTable, 0, encode(block));
    if (HasFatalFailure()) return;
    const Routes held = read_choices(managed.emulated());
    EXPECT_EQ(held.adaptive->entry(leaf, changed[0]).state, ArState::kHash);
    managed.options.routing_engine = {{engine}, false};
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_THAT(managed.report().warnings,
                testing::Contains(testing::AllOf(
                    testing::HasSubstr("2 entries with hash-based forwarding (state hash)"),
                    testing::HasSubstr("at 1 switches, for example"))));
    const bool is_adaptive = std::string_view(engine) == "ar_updn";
    EXPECT_EQ(managed.emulated().adaptive(leaf).info.enabled, is_adaptive);
    if (is_adaptive) {
      EXPECT_NE(managed.emulated().adaptive(leaf).entries[changed[0].value()].state, 3);
    }
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("a test");
    ASSERT_TRUE(managed.settle());
    EXPECT_THAT(managed.report().warnings,
                testing::Not(testing::Contains(testing::HasSubstr("state hash"))));
    EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kArForwardingTable), 0u)
        << "the manager must read the entries once";
  }
}

TEST(AdaptiveManager, ReadsNoEntriesWhereAdaptiveRoutingIsDisabled) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kArForwardingTable), 0u);
}

/// A late Set overwrote a block of groups: only this block is written again, and adaptive routing
/// stays enabled on switches without a difference.
TEST(AdaptiveManager, WritesOnlyUnconfirmedBlocksThatDiffer) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sets_in_full_discovery = [&](AttributeId attribute) {
    const std::uint64_t before = managed.emulated().counters().requests(Method::kSet, attribute);
    managed.sm().request_full_discovery("a test");
    EXPECT_TRUE(managed.settle());
    return managed.emulated().counters().requests(Method::kSet, attribute) - before;
  };
  for (const AttributeId attribute : {kArGroupTable, kArForwardingTable, kAdaptiveRoutingInfo})
    EXPECT_EQ(sets_in_full_discovery(attribute), 0u);
  const EndportId other(managed.fabric().endport_count() - 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  Smp smp;
  smp.method = Method::kSet;
  smp.attribute = kArGroupTable;
  smp.modifier = ar_unconfirmed::group_table_modifier(0);
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(other).port).num.value();
  smp.data = encode(ArGroupBlock{});
  ASSERT_TRUE(wire.send(smp));
  managed.run_for(std::chrono::seconds(1));
  EXPECT_EQ(sets_in_full_discovery(kArGroupTable), 1u);
  EXPECT_EQ(managed.report().adaptive.groups, 1u);
  EXPECT_EQ(managed.report().adaptive.entries, 0u);
  EXPECT_EQ(adaptive_switch_count(managed), 16u);
  expect_adaptive(managed);
  EXPECT_EQ(sets_in_full_discovery(kArGroupTable), 0u);
}

TEST(AdaptiveManager, QueriesOnceIfAdaptiveRoutingIsOff) {
  for (const bool configured : {false, true}) {
    ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
    managed.options.routing_engine = {{configured ? "ar_updn" : "updn"}, false};
    if (configured) managed.options.routing.adaptive = ArConf{.enable = false};
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    EXPECT_EQ(vendor_smps(managed), 3 * managed.fabric().switch_count())
        << "each switch receives three requests: GeneralInfo, AdaptiveRoutingInfo, and the "
           "capacity";
    EXPECT_FALSE(managed.sm().snapshot()->routes.adaptive);
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("a test");
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(vendor_smps(managed), 0u);
  }
}

/// The plain tables do not change, so that adaptive routing is not disabled by a write of them. One
/// switch does not answer until a later sweep.
TEST(AdaptiveManager, DisablesAdaptiveRoutingOfAnEarlierManager) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_EQ(adaptive_switch_count(managed), 16u);
  managed.options.routing_engine = {{"updn"}, false};
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId to) {
    return smp.attribute == kAdaptiveRoutingInfo && to == NodeId(0)
               ? EmulatedFabric::Delivery::kLose
               : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(adaptive_switch_count(managed), 1u);
  managed.emulated().set_filter({});
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(adaptive_switch_count(managed), 0u);
}

TEST(AdaptiveManager, DoesNotQueryDevicesWithoutSupport) {
  ManagedSubnet managed(quantum("fattree3:k=4", 0xB924), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(vendor_smps(managed), 0u);
  EXPECT_TRUE(managed.report().warnings.empty());
}

/// GeneralInfo is read once from each switch. AdaptiveRoutingInfo is read in each heavy sweep, only
/// from switches that announce adaptive routing.
TEST(AdaptiveManager, QueriesAdaptiveRoutingInfoOnlyIfAnnounced) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kMixed));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto gets = [&](AttributeId attribute) {
    return managed.emulated().counters().requests(Method::kGet, attribute);
  };
  EXPECT_EQ(gets(kGeneralInfo), 20u);
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(gets(kGeneralInfo), 0u);
  EXPECT_EQ(gets(kAdaptiveRoutingInfo), 12u)
      << "switches with the older AR and switches that refuse are not queried";
}

TEST(AdaptiveManager, QueriesFurtherDevicesAsConfigured) {
  for (const bool with_others : {false, true}) {
    ManagedSubnet managed(quantum("fattree3:k=4", with_others ? 0xB924 : kQuantum),
                          emulator(AdaptiveSwitches::kAnswered));
    managed.options.routing_engine = {{"ar_updn"}, false};
    managed.options.disable_default_gi_support = true;
    if (with_others) managed.options.additional_gi_supporting_devices = {0xB924};
    managed.start();
    ASSERT_TRUE(managed.settle());
    const EmulatorCounters& counters = managed.emulated().counters();
    EXPECT_EQ(counters.requests(Method::kGet, kGeneralInfo), with_others ? 20u : 0u);
    EXPECT_EQ(counters.requests(Method::kGet, kAdaptiveRoutingInfo), 0u)
        << "AdaptiveRoutingInfo is not queried if not announced";
  }
}

/// Another manager configured two sub-groups for each group, which halves the number of groups. The
/// manager reads the number of groups that a switch has with the manager's own settings.
TEST(AdaptiveManager, ReadsTheGroupCapacityWithTheSettingsOfTheManager) {
  EmulatorOptions options = emulator(AdaptiveSwitches::kAnswered);
  options.ar_groups = 3;
  ManagedSubnet managed(quantum("fattree3:k=4"), options);
  const EndportId other(managed.fabric().endport_count() - 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  Smp smp;
  smp.method = Method::kSet;
  smp.attribute = kAdaptiveRoutingInfo;
  smp.hop_count = 1;
  smp.initial_path[1] = managed.fabric().port(managed.fabric().endport(other).port).num.value();
  smp.data = encode(AdaptiveRoutingInfo{.sub_groups_active = 1});
  ASSERT_TRUE(wire.send(smp));
  managed.emulated().run_for(std::chrono::milliseconds(1));
  const SwitchId leaf = managed.fabric().endport(other).sw;
  ASSERT_EQ(managed.emulated().adaptive(leaf).info.group_capacity, 1u);
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_TRUE(managed.emulated().adaptive(leaf).info.enabled);
  EXPECT_EQ(managed.emulated().adaptive(leaf).info.group_capacity, 3u);
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kAdaptiveRoutingInfo), 20u)
      << "each switch receives one request, because the settings are unchanged";
}

TEST(AdaptiveManager, DeviceKindWithoutAnswersCausesOneTimeout) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kIgnored));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  const TimeNs begun = managed.emulated().clock().now();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const unsigned tries = managed.options.transaction_retries + 1;
  EXPECT_EQ(vendor_smps(managed), tries) << "only one switch receives requests";
  EXPECT_LT(managed.emulated().clock().now() - begun,
            managed.options.transaction_timeout * (tries + 1) + std::chrono::seconds(1));
  EXPECT_TRUE(managed.report().warnings.empty());
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(vendor_smps(managed), tries) << "the switch receives no further request";
}

TEST(AdaptiveManager, PartlyCapableFabricsStayConnected) {
  for (const char* spec :
       {"fattree3:k=4", "fattree2:k=8,trunks=2", "xgft:m=2x3x2,w=1x2x2", "xgft:m=2x2x2x2,w=1x2x2x2",
        "mesh:3x4,hosts=2", "torus:4x4,hosts=2", "dragonfly:a=4,h=1,p=2"}) {
    for (const char* engine : {"ar_updn", "ar_ftree", "minhop"}) {
      ManagedSubnet managed(quantum(spec), emulator(AdaptiveSwitches::kMixed));
      managed.options.routing_engine = {{engine}, true};
      managed.options.routing.adaptive = ArConf{};
      managed.start();
      ASSERT_TRUE(managed.settle()) << spec;
      expect_adaptive(managed);
      EXPECT_EQ(managed.report().adaptive.errors, 0u) << spec << ' ' << engine;
      for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
        const auto& model = managed.emulated().adaptive(SwitchId(s));
        const unsigned kind = s % 5;
        EXPECT_TRUE(!model.info.enabled || kind == 0 || kind == 2) << spec << " switch " << s;
        EXPECT_TRUE(kind != 2 || model.info.group_top < kArGroupsFew);
      }
      if (HasFailure()) return;
    }
  }
}

// SMPs are lost, duplicated and late, and cables are cut. Afterwards one sweep programs the desired
// state.
TEST(AdaptiveManager, ProgramsVerifiedRoutesAfterFaults) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EmulatorOptions options =
        emulator(seed % 2 == 0 ? AdaptiveSwitches::kMixed : AdaptiveSwitches::kAnswered);
    options.seed = seed;
    options.faults = {.lost = 0.05, .doubled = 0.02, .late = 0.02};
    ManagedSubnet managed(quantum(seed % 3 == 0 ? "fattree2:k=8,trunks=2" : "fattree3:k=4"),
                          options);
    managed.options.routing_engine = {{"ar_updn"}, false};
    ArConf conf;
    conf.max_errors = static_cast<std::uint32_t>(seed % 3);
    managed.options.routing.adaptive = conf;
    managed.start();
    managed.run_for(std::chrono::seconds(20));
    Rng rng(seed);
    for (unsigned cut = 0; cut < 2; ++cut) {
      const SwitchId sw(static_cast<std::uint32_t>(rng.below(managed.fabric().switch_count())));
      const auto channels = managed.fabric().channels_from(sw);
      managed.emulated().cut_cable(managed.fabric().port_id(
          Fabric::node_of(sw), channels[rng.below(channels.size())].from_port));
      managed.run_for(std::chrono::seconds(15));
    }
    managed.emulated().set_faults({});
    managed.run_for(std::chrono::seconds(60));
    managed.sm().request_heavy_sweep("faults are over");
    ASSERT_TRUE(managed.settle()) << "seed " << seed;
    expect_adaptive(managed);
    EXPECT_FALSE(managed.report().adaptive.ended) << "seed " << seed;
    EXPECT_GT(adaptive_switch_count(managed), 0u) << "seed " << seed;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(AdaptiveManager, AppliesSettingsPerSwitch) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  ArConf conf;
  conf.mode = ArState::kFree;
  const Guid first = managed.fabric().node(SwitchId(0)).node_guid;
  const Guid second = managed.fabric().node(SwitchId(1)).node_guid;
  conf.switches[first].enable = false;
  conf.switches[second].ageing_time_us = 99;
  managed.options.routing.adaptive = conf;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_FALSE(managed.emulated().adaptive(SwitchId(0)).info.enabled);
  EXPECT_EQ(managed.emulated().adaptive(SwitchId(1)).info.ageing_time_us, 99u);
  EXPECT_EQ(managed.emulated().adaptive(SwitchId(2)).info.ageing_time_us, 30u);
  bool is_free = false;
  for (const ArLftEntry& entry : managed.emulated().adaptive(SwitchId(1)).entries)
    is_free = is_free || entry.state == 1;
  EXPECT_TRUE(is_free);
  // SIGHUP with `enable` false disables adaptive routing on all switches.
  managed.options.routing.adaptive->enable = false;
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("SIGHUP");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(adaptive_switch_count(managed), 0u);
  expect_managed(managed);
}

TEST(AdaptiveManager, ReroutesAroundACutCableAndEnablesAdaptiveRoutingAgain) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().cut_cable(managed.fabric().port_id(
      Fabric::node_of(SwitchId(0)), managed.fabric().channels_from(SwitchId(0))[0].from_port));
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_GT(adaptive_switch_count(managed), 10u);
}

TEST(AdaptiveManager, RestartKeepsEnabledSwitchesAndReprogramsAResetSwitch) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_EQ(adaptive_switch_count(managed), 16u);
  const SwitchId leaf = managed.fabric().endports().back().sw;
  ASSERT_TRUE(managed.emulated().adaptive(leaf).info.enabled);
  managed.emulated().switch_off_node(Fabric::node_of(leaf));
  managed.run_for(std::chrono::seconds(30));
  managed.emulated().switch_on_node(Fabric::node_of(leaf));
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  EXPECT_TRUE(managed.emulated().adaptive(leaf).info.enabled);
}

/// Forwards all SMPs, but changes the status of every `every`-th response with `attribute` to an
/// error.
class RefusingTransport final : public SmpTransport {
 public:
  RefusingTransport(SmpTransport& wire, AttributeId attribute, unsigned every)
      : wire_(wire), attribute_(attribute), every_(every) {}
  Status send(const Smp& smp) override { return wire_.send(smp); }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  std::optional<Smp> receive() override {
    auto smp = wire_.receive();
    if (smp && smp->attribute == attribute_ && smp->method == Method::kGetResp &&
        responses_++ % every_ == 0)
      smp->status = mad_status::kInvalidField;
    return smp;
  }

 private:
  SmpTransport& wire_;
  AttributeId attribute_;
  unsigned every_;
  unsigned responses_ = 0;
};

TEST(AdaptiveManager, FailingSwitchUsesTheLinearForwardingTable) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  std::unique_ptr<RefusingTransport> refusing_transport;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    refusing_transport = std::make_unique<RefusingTransport>(wire, kArGroupTable, 5);
    return *refusing_transport;
  };
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
  const ArReport& report = managed.report().adaptive;
  EXPECT_GT(report.errors, 0u);
  EXPECT_FALSE(report.ended);
  EXPECT_EQ(adaptive_switch_count(managed), 16u - report.errors);
  ASSERT_FALSE(report.failures.empty());
  EXPECT_NE(report.failures[0].find("uses its linear forwarding table"), std::string::npos);
}

// A switch that may still use its AR tables must not get other AR tables.
TEST(AdaptiveManager, SwitchThatDoesNotDisableAdaptiveRoutingGetsNoArTables) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId silent = Fabric::node_of(managed.fabric().endports().back().sw);
  unsigned lost = 0, tables = 0;
  bool is_next_sweep = false;  // which finds that the new plain table has disabled adaptive routing
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (to != silent || is_next_sweep) return EmulatedFabric::Delivery::kPass;
    const bool is_set = smp.method == Method::kSet;
    if (is_set && (smp.attribute == kArGroupTable || smp.attribute == kArForwardingTable)) ++tables;
    if (smp.attribute != kAdaptiveRoutingInfo) return EmulatedFabric::Delivery::kPass;
    is_next_sweep = !is_set && lost > 0;
    lost += is_set;
    return is_set ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().cut_cable(managed.fabric().port_id(
      Fabric::node_of(SwitchId(0)), managed.fabric().channels_from(SwitchId(0))[0].from_port));
  managed.run_for(std::chrono::seconds(30));
  EXPECT_TRUE(is_next_sweep);
  EXPECT_EQ(tables, 0u);
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
}

// After a change of routes one switch receives no write of its plain table until the next sweep.
TEST(AdaptiveManager, EnablesAdaptiveRoutingOnlyIfAllPlainTablesAreWritten) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId silent = Fabric::node_of(managed.fabric().endports().back().sw);
  unsigned lost = 0, enabled = 0;
  bool is_next_sweep = false;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    const bool is_set = smp.method == Method::kSet;
    if (lost > 0 && smp.attribute == AttributeId::kNodeInfo) is_next_sweep = true;
    if (is_next_sweep || !is_set) return EmulatedFabric::Delivery::kPass;
    if (smp.attribute == kArForwardingTable || smp.attribute == kArGroupTable) ++enabled;
    if (to != silent || smp.attribute != AttributeId::kLinearForwardingTable)
      return EmulatedFabric::Delivery::kPass;
    ++lost;
    return EmulatedFabric::Delivery::kLose;
  });
  managed.emulated().cut_cable(managed.fabric().port_id(
      Fabric::node_of(SwitchId(0)), managed.fabric().channels_from(SwitchId(0))[0].from_port));
  managed.run_for(std::chrono::seconds(30));
  EXPECT_GT(lost, 0u);
  EXPECT_TRUE(is_next_sweep);
  EXPECT_EQ(enabled, 0u);
  managed.emulated().set_filter({});
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  expect_adaptive(managed);
}

TEST(AdaptiveManager, TooManyErrorsDisableAdaptiveRouting) {
  ManagedSubnet managed(quantum("fattree3:k=4"), emulator(AdaptiveSwitches::kAnswered));
  managed.options.routing_engine = {{"ar_updn"}, false};
  ArConf conf;
  conf.max_errors = 2;
  const std::string log = managed.cache() / "ar.log";
  conf.log_file = log;
  managed.options.routing.adaptive = conf;
  std::unique_ptr<RefusingTransport> refusing_transport;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    refusing_transport = std::make_unique<RefusingTransport>(wire, kArForwardingTable, 3);
    return *refusing_transport;
  };
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_TRUE(managed.report().adaptive.ended);
  EXPECT_EQ(adaptive_switch_count(managed), 0u);
  const auto text = read_file(log);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("too many: plain tables only"), std::string::npos) << *text;
  // A window of 0 disables the error limit.
  conf.error_window_s = 0;
  managed.options.routing.adaptive = conf;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().adaptive.ended);
}

TEST(AdaptiveSwitch, UsesActivePortsOfTheGroupOrTheDefaultPort) {
  const Fabric fabric = Tiny(2).link(0, 1, 4).hosts(0).hosts(1).build();
  const EmulatorOptions options;
  emulator::Model model(fabric, options);
  emulator::NodeModel& node = model.node(NodeId(0));
  node.switch_info.linear_fdb_top = 63;
  node.lft.assign(64, 4);
  node.adaptive.groups.resize(2);
  node.adaptive.groups[1].set(1).set(2).set(3).set(200);
  node.adaptive.entries.resize(64);
  node.adaptive.entries[5] = {1, 0, PortNum(2), 1};
  node.adaptive.entries[6] = {2, 0, PortNum(3), 1};
  const auto choose = [&](unsigned lid) {
    return model
        .choose(node, PortNum(0), {}, Lid(static_cast<std::uint16_t>(lid)), PortState::kActive)
        .value();
  };
  EXPECT_EQ(choose(5), 4u) << "adaptive routing is off";
  node.adaptive.info.enabled = true;
  EXPECT_EQ(choose(5), 2u) << "all ports of the group are down, so the default port is used";
  EXPECT_EQ(choose(6), 3u) << "a static entry uses the default port";
  model.set_state(model.port_id(NodeId(0), PortNum(1)), PortState::kActive, PhysState::kLinkUp);
  model.set_state(model.port_id(NodeId(0), PortNum(3)), PortState::kActive, PhysState::kLinkUp);
  EXPECT_EQ(choose(5) + choose(5), 4u) << "ports 1 and 3 are used alternately";
  EXPECT_EQ(choose(100), 255u) << "a LID above LinearFDBTop has no port";
}

}  // namespace
}  // namespace weft
