// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The digests of the tables of every engine on the fabrics of kSpecs equal the recorded digests. So
// reviews show every change of an order, a tie or a heuristic that changes these tables, and the
// tables are the same on every machine. Private tables are not in the digests. To record an
// intended change, set UPDATE_GOLDEN=1 in the environment.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "fabric/without.h"
#include "routing/engine.h"
#include "support/fabric_of.h"
#include "support/groups.h"

namespace weft {
namespace {

constexpr std::array kSpecs{
    "fattree2:k=8,trunks=2",
    "fattree3:k=6",
    "fattree3:k=8,fail=9,seed=4",
    "xgft:m=2x3x4,w=1x2x3",
    "torus:5x5,hosts=2",
    "torus:3x4x4,hosts=1",
    "torus:4x5,hosts=1,fail=2,dead=1,seed=3",
    "mesh:4x5,hosts=2",
    "ring:n=9,hosts=2",
    "hypercube:n=5",
    "hyperx:3x5,hosts=2",
    "dragonfly:a=4,h=2,p=2",
    "dragonfly:a=4,h=2,p=2,fail=5,seed=2",
    "dragonflyplus:leaves=3,spines=3,h=2,hosts=2",
    "dragonflyplus:leaves=4,spines=4,h=3,hosts=2,fail=15,seed=5",
    "slimfly:q=5",
    "kautz:b=3,n=2,hosts=2",
    "full:n=6,hosts=3",
    "random:n=40,degree=4,hosts=2,seed=1",
    "random:n=48,degree=3,hosts=1,seed=7,dead=3,fail=4",
    "random:n=150,degree=3,hosts=1,seed=9",
    "random:n=20,degree=3,hosts=1,seed=2,fail=6",
    "random:n=100,degree=6,hosts=3,seed=3,fail=6",
    "fattree3:k=12,fail=20,seed=5",
    "fattree3:k=8,fail=60,seed=5",
    "torus:5x5x5,hosts=1",
    "dragonfly:a=6,h=3,p=3",
    "torus:4x5,hosts=5 uneven",
    "random:n=36,degree=4,hosts=5,seed=2 uneven",
    "random:n=60,degree=3,hosts=4,seed=2 uneven",
    "kautz:b=2,n=3,hosts=5 uneven",
    "fattree2:k=12 uneven",
};

/// If the name has a second word, "uneven", two of three switches with hosts keep only one host.
Fabric fabric_at(const std::string& name, std::uint8_t lmc) {
  const std::size_t space = name.find(' ');
  const Fabric whole = fabric_of(name.substr(0, space), lmc);
  if (space == std::string::npos) return whole;
  std::vector<NodeId> dead;
  for (std::uint32_t s = 0; s < whole.switch_count(); ++s)
    for (std::size_t i = 1; s % 3 != 0 && i < whole.endports_at(SwitchId(s)).size(); ++i)
      dead.push_back(whole.endport(whole.endports_at(SwitchId(s))[i]).node);
  return without(whole, dead, {});
}

/// The FNV-1a hash of values.
class Digest {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001B3;
  }
  void add(std::uint64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      hash_ = (hash_ ^ (value >> shift & 0xFF)) * 0x100000001B3;
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325;
};

void add_paths(const Fabric& fabric, const Routes& routes, Digest& digest) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    digest.add(routes.lfts.row(SwitchId(s)));
    for (const Endport& to : fabric.endports())
      if (to.lid != kLidNone && to.sw != kNoSwitch)
        digest.add(routes.path_sl.sl(SwitchId(s), to.sw, to.lid).value());
  }
}

void add_maps(const Fabric& fabric, const Routes& routes, Digest& digest) {
  digest.add(routes.sl2vl.common());
  for (std::uint32_t s = 0; s < fabric.switch_count() && !routes.sl2vl.uniform(); ++s)
    for (const Port& in : fabric.ports(Fabric::node_of(SwitchId(s))))
      for (const Port& out : fabric.ports(Fabric::node_of(SwitchId(s))))
        digest.add(routes.sl2vl.map(SwitchId(s), in.num, out.num));
}

void add_ports(const PortMask& mask, Digest& digest) {
  for (std::size_t port = 0; port < mask.size(); ++port)
    if (mask[port]) digest.add(port);
}

void add_trees(const Routes& routes, Digest& digest) {
  for (const auto& [lid, tree] : routes.mfts)
    for (const auto& [sw, mask] : tree) {
      digest.add(lid.value());
      digest.add(sw.value());
      add_ports(mask, digest);
    }
  for (const auto& [lid, sl] : routes.multicast_sl) digest.add(lid.value() * 16u + sl.value());
}

void add_groups(const Fabric& fabric, const ArTables& tables, Digest& digest) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    for (const PortMask& mask : tables.groups(SwitchId(s))) add_ports(mask, digest);
    for (unsigned lid = 0; lid <= fabric.lid_top().value(); ++lid) {
      const ArEntry entry = tables.entry(SwitchId(s), Lid(static_cast<std::uint16_t>(lid)));
      digest.add(static_cast<std::uint64_t>(entry.state) << 16 | entry.group);
    }
  }
}

/// The digest of the tables except private tables, and the VLs needed and in use; empty if the
/// engine refuses the fabric.
std::string digest_of(const Fabric& fabric, const Result<Routes>& routes) {
  if (!routes) return {};
  Digest digest;
  for (const char letter : routes->engine) digest.add(static_cast<std::uint64_t>(letter));
  add_paths(fabric, *routes, digest);
  add_maps(fabric, *routes, digest);
  add_trees(*routes, digest);
  if (routes->adaptive) add_groups(fabric, *routes->adaptive, digest);
  return fmt::format("{} {}/{} VLs", digest.text(), routes->vls_needed, routes->vls);
}

/// The options of each case, by name.
std::map<std::string, RoutingOptions> cases(const Engine& engine, const Fabric& fabric) {
  std::map<std::string, RoutingOptions> all;
  all["plain"] = {.groups = some_groups(fabric, 1)};
  // These engines take the longest, and their VLs and AR groups do not depend on the options of the
  // balance, so these options are not tested with them.
  if (engine.name == "ar_minhop" || engine.name.starts_with("kdor")) {
    all["3 VLs"] = {.vls_max = 3};
    return all;
  }
  all["1 VL"] = {.vls_max = 1};
  all["2 VLs"] = {.vls_max = 2, .groups = some_groups(fabric, 2)};
  all["local"] = {.balance = Balance::kLocal};
  all["one way"] = {.ignore_replies = true};
  all["scattered"] = {.scatter_ports = 7};
  all["shifted"] = {.port_shifting = true};
  for (const EngineParameter& parameter : engine.parameters)
    all["parameters"].parameters.set(parameter, parameter.most);
  return all;
}

/// Digests by case, for each fabric and engine ("SPEC ENGINE").
using Records = std::map<std::string, std::string>;

Records computed_digests(const char* spec) {
  Records records;
  for (const Engine& engine : engines()) {
    std::vector<std::string> digests;
    for (const std::uint8_t lmc : std::to_array<std::uint8_t>({0, 1})) {
      const Fabric fabric = fabric_at(spec, lmc);
      for (auto& [name, options] : cases(engine, fabric)) {
        if (lmc > 0 &&
            (name != "plain" || engine.name == "ar_minhop" || engine.name.starts_with("kdor")))
          continue;
        options.threads = 1;
        const std::string digest = digest_of(fabric, run_engine(engine, fabric, options));
        if (!digest.empty())
          digests.push_back(fmt::format("{}{} {}", name, lmc > 0 ? ", LMC 1" : "", digest));
      }
    }
    records[fmt::format("{} {}", spec, engine.name)] =
        digests.empty() ? "refused" : fmt::format("{}", fmt::join(digests, "; "));
  }
  return records;
}

Records recorded_digests() {
  Records records;
  std::ifstream file(WEFT_RECORDED_TABLES);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.rfind(": ");
    if (!line.starts_with('#') && colon != std::string::npos)
      records[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return records;
}

class RecordedTables : public testing::TestWithParam<const char*> {};

TEST_P(RecordedTables, EqualTheComputedTables) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr)
    GTEST_SKIP() << "UPDATE_GOLDEN is set: the digests are recorded";
  const Records known = recorded_digests();
  std::vector<std::string> differ;
  for (const auto& [name, digest] : computed_digests(GetParam())) {
    const auto found = known.find(name);
    if (found == known.end() || found->second != digest)
      differ.push_back(fmt::format("{}: {}, recorded {}", name, digest,
                                   found == known.end() ? "nothing" : found->second));
  }
  EXPECT_TRUE(differ.empty()) << fmt::format("{}", fmt::join(differ, "\n"));
}

INSTANTIATE_TEST_SUITE_P(Engines, RecordedTables, testing::ValuesIn(kSpecs),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(RecordedTablesFile, HasNoOtherCases) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(WEFT_RECORDED_TABLES);
    file << "# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only\n"
            "# Digests of tables, written by routing_tests with UPDATE_GOLDEN=1.\n";
    for (const char* spec : kSpecs)
      for (const auto& [name, digests] : computed_digests(spec))
        file << name << ": " << digests << "\n";
    return;
  }
  std::set<std::string> names;
  for (const char* spec : kSpecs)
    for (const Engine& engine : engines()) names.insert(fmt::format("{} {}", spec, engine.name));
  for (const auto& [name, digests] : recorded_digests()) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace weft
