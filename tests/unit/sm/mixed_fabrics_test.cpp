// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged fabrics of every generator. The devices support adaptive routing, private tables, virtual
// ports, planes, tables of port states, SHARP, recovery and keys completely, in part, or not at
// all, or do not respond. After the bring-up the fabric is connected and its routes are verified,
// and a second sweep writes nothing.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "fabric/generators/spec.h"
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
/// Large fabrics, for the campaign only.
constexpr std::array kLargeSpecs{
    "fattree3:k=16",          "fattree3:k=16,hosts=4,planes=4",
    "xgft:m=16x16x4,w=1x8x8", "torus:8x8x8,hosts=2",
    "dragonfly:a=8,h=4,p=4",  "dragonflyplus:leaves=8,spines=4,h=8,hosts=4",
    "slimfly:q=11",           "random:n=256,degree=12,hosts=4,seed=1",
    "hyperx:8x8x4,hosts=4",   "superpod-h100:su=1",
    "superpod-b200:su=1",     "superpod-b300:su=1",
    "superpod-b300-xdr:su=1"};

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

/// The spec with two cables or one cable removed, if that leaves the fabric connected.
std::string damaged_spec(const std::string& spec) {
  if (spec.find("fail=") != std::string::npos) return spec;
  for (const char* damage : {",fail=2,connected=1,seed=3", ",fail=1,connected=1,seed=3"})
    if (generate(spec + damage)) return spec + damage;
  return spec;
}

EmulatorOptions mixed_devices() {
  EmulatorOptions options;
  options.adaptive = AdaptiveSwitches::kMixed;
  options.notifications = true;
  options.vports = 2;
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

TEST(MixedFabrics, OfEveryGeneratorAreConnectedAndWrittenOnce) {
  std::size_t adaptive = 0, sharp = 0, recovery = 0, number = 0;
  std::set<std::string> engines;
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(damaged_spec(spec));
    ManagedSubnet managed(fabric_of(damaged_spec(spec)), mixed_devices());
    managed.options.routing.adaptive = ArConf{};
    managed.options.routing_engine = {engines_for(spec, number++), false};
    managed.options.light_sweep_spst = true;
    managed.options.sharp_enabled = SharpSetting::kEnable;
    managed.options.fast_recovery = managed.options.port_recovery = RecoverySetting::kEnable;
    managed.use_all_ports();
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up) << managed.report().error;
    expect_managed(managed);
    EXPECT_EQ(managed.report().adaptive.errors, 0u);
    adaptive += managed.report().adaptive.on;
    sharp += managed.report().sharp.enabled;
    recovery += managed.report().recovery.capable;
    engines.insert(managed.sm().snapshot()->routes.engine);
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(all_sets(managed), 0u);
    if (HasFailure()) return;
  }
  EXPECT_GT(adaptive, 0u);
  EXPECT_GT(sharp, 0u);
  EXPECT_GT(recovery, 0u);
  for (const char* engine : {"ar_updn", "ar_minhop", "dfp2"})
    EXPECT_TRUE(engines.contains(engine)) << engine;
}

/// The generators that create several networks need one manager for each.
TEST(MixedFabrics, HaveAFabricOfEveryGeneratorOfOneNetwork) {
  std::set<std::string> wanted, present;
  for (const Generator& generator : generators())
    if (!generator.separate) wanted.emplace(generator.name);
  std::vector<std::string> all = small_specs();
  all.insert(all.end(), kLargeSpecs.begin(), kLargeSpecs.end());
  for (const std::string& spec : all) present.insert(spec.substr(0, spec.find(':')));
  EXPECT_EQ(present, wanted);
}

}  // namespace
}  // namespace weft
