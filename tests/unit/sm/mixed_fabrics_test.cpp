// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged fabrics of every generator. The devices support adaptive routing, private tables, virtual
// ports, planes, tables of port states, SHARP, recovery and keys completely, in part, or not at
// all, or do not respond. After the bring-up the fabric is connected and its routes are verified,
// and a second sweep writes nothing. Virtual ports have LIDs of their own.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "fabric/generators/spec.h"
#include "fabric/planes.h"
#include "support/fabrics.h"
#include "support/full_size.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

/// Fabrics of generators that kSmallSpecs does not have, and fabrics with planes.
constexpr std::array kMoreSpecs{"rail:su=1,servers=2,nics=2,k=4", "xgft:m=2x2x2x2,w=1x2x2x2",
                                "hammingmesh:a=2,b=2,x=2,y=2",    "polarfly:q=3",
                                "jellyfish:n=12,k=6,r=4",         "fattree2:k=4,planes=4",
                                "torus:3x3,hosts=1,planes=2",     "dragonfly:a=2,h=1,p=1,planes=2",
                                "ring:n=5,hosts=1,planes=4",      "line:n=3"};
/// Fabrics of several networks, with a manager in each.
constexpr std::array kSeparateSpecs{"railonly:su=2,servers=4,nics=4,k=8",
                                    "multiplane:planes=4,k=8"};
/// Large fabrics, for the campaign only.
constexpr std::array kLargeSpecs{
    "fattree3:k=16", "fattree3:k=16,hosts=4,planes=4", "xgft:m=16x16x4,w=1x8x8",
    "torus:8x8x8,hosts=2", "dragonfly:a=8,h=4,p=4", "dragonflyplus:leaves=8,spines=4,h=8,hosts=4",
    "slimfly:q=11", "random:n=256,degree=12,hosts=4,seed=1", "hyperx:8x8x4,hosts=4",
    "superpod-h100:su=1", "superpod-b200:su=1", "superpod-b300:su=1", "superpod-b300-xdr:su=1",
    // dfp2 needs cables between all groups.
    "dragonflyplus:leaves=8,spines=4,h=8,hosts=4,fail=2,seed=3"};

std::vector<std::string> small_specs() {
  std::vector<std::string> all(kSmallSpecs.begin(), kSmallSpecs.end());
  all.insert(all.end(), kMoreSpecs.begin(), kMoreSpecs.end());
  return all;
}

std::vector<std::string> specs() {
  if (at_full_size()) return {kLargeSpecs.begin(), kLargeSpecs.end()};
  return small_specs();
}

/// dfp2 on dragonflies+; on other fabrics ar_updn, or ar_minhop if its lanes suffice.
std::vector<std::string> engines_for(const std::string& spec, std::size_t number) {
  if (spec.starts_with("dragonflyplus")) return {"dfp2", "ar_updn"};
  if (number % 2 == 0) return {"ar_updn"};
  return {"ar_minhop", "ar_updn"};
}

std::size_t cables_between_switches(const Fabric& fabric) {
  std::size_t ends = 0;
  for (std::uint32_t sw = 0; sw < fabric.switch_count(); ++sw)
    ends += fabric.channels_from(SwitchId(sw)).size();
  return ends / 2;
}

/// The spec with a switch and 3 to 10 % of the cables between switches removed; the percentage
/// depends on `number`. If that would disconnect the fabric: with fewer cables removed, then with
/// cables only, then with the switch only.
std::string damaged_spec(const std::string& spec, std::size_t number) {
  if (spec.find("fail=") != std::string::npos) return spec;
  const auto whole = generate(spec);
  if (!whole) return spec;
  const std::size_t percent = 3 + number % 8;
  const std::size_t wanted =
      std::max<std::size_t>(1, cables_between_switches(*whole) * percent / 100);
  const std::string seed = spec.find("seed=") == std::string::npos ? ",seed=3" : "";
  for (const char* dead : {",dead=1", ""})
    for (std::size_t cables = wanted; cables > 0; cables /= 2) {
      const std::string damaged =
          fmt::format("{}{},fail={},connected=1{}", spec, dead, cables, seed);
      if (generate(damaged)) return damaged;
    }
  return generate(spec + ",dead=1" + seed) ? spec + ",dead=1" + seed : spec;
}

bool is_damaged(const std::string& spec) {
  return spec.find(",fail=") != std::string::npos || spec.find(",dead=") != std::string::npos;
}

EmulatorOptions mixed_devices() {
  EmulatorOptions options;
  options.adaptive = AdaptiveSwitches::kMixed;
  options.notifications = true;
  options.vports = 2;
  options.vports_need_lids = true;
  options.virtual_cas = VirtualCas::kMixed;
  options.planar = PlanarSupport::kMixed;
  options.port_states = PortStateTables::kMixed;
  options.sharp = options.recovery = options.private_lfts = FeatureDevices::kMixed;
  options.class_keys = options.ppcc = FeatureDevices::kMixed;
  return options;
}

std::uint64_t all_sets(ManagedSubnet& managed) {
  const auto& sets = managed.emulated().counters().sets;
  return std::accumulate(sets.begin(), sets.end(), std::uint64_t{0});
}

void configure(ManagedSubnet& managed, const std::string& spec, std::size_t number) {
  managed.options.routing.adaptive = ArConf{};
  managed.options.routing_engine = {engines_for(spec, number), false};
  managed.options.light_sweep_spst = true;
  managed.options.sharp_enabled = SharpSetting::kEnable;
  managed.options.fast_recovery = managed.options.port_recovery = RecoverySetting::kEnable;
}

/// Brings up the network of the manager's port. Expects that a second heavy sweep writes nothing.
void expect_written_once(ManagedSubnet& managed) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(all_sets(managed), 0u);
}

TEST(MixedFabrics, OfEveryGeneratorAreConnectedAndWrittenOnce) {
  std::size_t adaptive = 0, sharp = 0, recovery = 0, own_lids = 0, number = 0;
  std::set<std::string> engines;
  for (const std::string& spec : specs()) {
    const std::string damaged = damaged_spec(spec, number);
    SCOPED_TRACE(damaged);
    EXPECT_TRUE(is_damaged(damaged));
    ManagedSubnet managed(fabric_of(damaged), mixed_devices());
    configure(managed, spec, number++);
    managed.use_all_ports();
    expect_written_once(managed);
    if (HasFailure()) return;
    adaptive += managed.report().adaptive.on;
    sharp += managed.report().sharp.enabled;
    recovery += managed.report().recovery.capable;
    own_lids += managed.sm().snapshot()->copies.size();
    engines.insert(managed.sm().snapshot()->routes.engine);
  }
  EXPECT_GT(adaptive, 0u);
  EXPECT_GT(sharp, 0u);
  EXPECT_GT(recovery, 0u);
  EXPECT_GT(own_lids, 0u);
  for (const char* engine : {"ar_updn", "ar_minhop", "dfp2"})
    EXPECT_TRUE(engines.contains(engine)) << engine;
}

/// The first CA port of each network that no cable connects with the others.
std::vector<EndportId> port_of_each_network(const Fabric& fabric) {
  const auto parts = connected_parts(fabric);
  std::map<std::uint32_t, EndportId> first;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    if (const SwitchId sw = fabric.endport(EndportId(e)).sw; sw != kNoSwitch)
      first.try_emplace(parts[sw.value()], EndportId(e));
  std::vector<EndportId> ports;
  for (const auto& [part, endport] : first) ports.push_back(endport);
  return ports;
}

TEST(MixedFabrics, OfSeveralNetworksAreConnectedAndWrittenOnce) {
  std::size_t number = 0;
  for (const char* spec : kSeparateSpecs) {
    const std::string damaged = damaged_spec(spec, number);
    SCOPED_TRACE(damaged);
    EXPECT_TRUE(is_damaged(damaged));
    ManagedSubnet managed(fabric_of(damaged), mixed_devices());
    configure(managed, spec, number++);
    const auto ports = port_of_each_network(managed.fabric());
    EXPECT_EQ(ports.size(), 4u);
    std::uint32_t switches = 0;
    for (const EndportId port : ports) {
      SCOPED_TRACE(fmt::format("manager at endport {}", port.value()));
      managed.attach_at(port);
      expect_written_once(managed);
      if (HasFailure()) return;
      switches += managed.known().switch_count();
    }
    EXPECT_EQ(switches, managed.fabric().switch_count());
  }
}

TEST(MixedFabrics, HaveAFabricOfEveryGenerator) {
  std::set<std::string> wanted, present;
  for (const Generator& generator : generators()) wanted.emplace(generator.name);
  std::vector<std::string> all = small_specs();
  all.insert(all.end(), kSeparateSpecs.begin(), kSeparateSpecs.end());
  all.insert(all.end(), kLargeSpecs.begin(), kLargeSpecs.end());
  for (const std::string& spec : all) present.insert(spec.substr(0, spec.find(':')));
  EXPECT_EQ(present, wanted);
}

}  // namespace
}  // namespace weft
