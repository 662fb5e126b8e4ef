// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes that are written to dumps and read back get the same verdict: for every engine, every
// small fabric, damaged fabrics, several LIDs for each port, multicast routes and adaptive routing.

#include "sm/dumps.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fabric/formats/read.h"
#include "fabric/generators/spec.h"
#include "policy/group_file.h"
#include "routes/dump/read.h"
#include "routes/dump/write.h"
#include "routing/engine.h"
#include "routing/nue/nue.h"
#include "support/fabrics.h"
#include "support/groups.h"
#include "support/spec_name.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "support/torus_fabrics.h"
#include "verify/failure_text.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// The counts, failures and cycles of a verdict as text.
std::string text_of(const Fabric& fabric, const Verdict& verdict) {
  std::string text;
  for (const ReachCount& reach :
       {verdict.ca_to_ca, verdict.switch_to_ca, verdict.ca_to_switch, verdict.switch_to_switch})
    text += fmt::format("{} of {} ({} cut off), ", reach.arrived, reach.pairs, reach.cut_off);
  text += fmt::format("loops {}, dependencies {}, ok {}\n", verdict.loops, verdict.dependencies,
                      verdict.ok());
  for (const WalkFailure& failure : verdict.failures)
    text += fmt::format("{} to LID {}: {} at {}\n", failure.source.value(), failure.lid.value(),
                        static_cast<int>(failure.end), failure.where.value());
  text += fmt::format("lanes missing at {}, single SLs {:x}, {}\n", verdict.lanes_missing,
                      verdict.single_sls, all_failures(verdict));
  for (const LaneFailure& failure : verdict.lane_failures)
    text += fmt::format("{} VL {} of {}\n", describe(fabric, failure.port), failure.vl.value(),
                        failure.vls);
  for (const auto& cycle :
       {verdict.credit_loop, verdict.multicast_credit_loop, verdict.switch_credit_loop})
    text += describe_cycle(fabric, cycle) + "--\n";
  const MulticastVerdict& multicast = verdict.multicast;
  text +=
      fmt::format("{} groups, {} of {} copies, {} twice, {} loops, {} non_member_copies, {} dead\n",
                  multicast.groups, multicast.arrived, multicast.copies, multicast.twice,
                  multicast.loops, multicast.non_member_copies, multicast.dead_ports);
  for (const CopyFailure& failure : multicast.failures) text += describe(fabric, failure) + "\n";
  return text;
}

/// Reads a folder as `weft verify FOLDER` does. Returns the text of the verdict, or errors and
/// warnings.
std::string read_back(const TempDir& folder) {
  Warnings warnings;
  const auto fabric = read_fabric(folder / std::string(kFabricFile));
  if (!fabric) return fabric.error().message;
  Routes routes;
  std::string errors;
  const auto read = [&](const std::string& name, auto reader, auto& into) {
    if (!std::filesystem::exists(folder / name)) return;
    auto value = reader(fabric->fabric, folder / name, warnings);
    if (value)
      into = std::move(*value);
    else
      errors += value.error().message + "\n";
  };
  read("opensm-lfts.dump", &read_lfts, routes.lfts);
  read("weft.psl", &read_psl, routes.path_sl);
  read("opensm-sl2vl.dump", &read_slvl, routes.sl2vl);
  read("weft.ar", &read_adaptive, routes.adaptive);
  read("opensm.mcfdbs", &read_mfts, routes.mfts);
  read("weft.msl", &read_multicast_sl, routes.multicast_sl);
  std::vector<MulticastGroup> groups;
  std::vector<std::string> non_member_copies;
  if (std::filesystem::exists(folder / std::string(kGroupsFile))) {
    const auto filed = read_groups(folder / std::string(kGroupsFile));
    if (!filed) return filed.error().message;
    groups = resolve_groups(*filed, fabric->fabric, non_member_copies);
  }
  for (const std::string& warning : warnings.take()) errors += warning + "\n";
  for (const std::string& warning : non_member_copies) errors += warning + "\n";
  if (!errors.empty()) return errors;
  return text_of(fabric->fabric, verify(fabric->fabric, routes, {.groups = groups}));
}

class Dumps : public testing::TestWithParam<const char*> {};

TEST_P(Dumps, HaveTheSameVerdictForEveryEngineWhenReadBack) {
  const std::string spec = GetParam();
  const bool can_be_damaged = spec.find("seed=") == std::string::npos;
  unsigned case_number = 0;
  for (const Engine& engine : engines()) {
    for (const bool damaged : {false, true}) {
      ++case_number;
      const auto lmc = static_cast<std::uint8_t>(engine.name == "lash" ? 0 : case_number % 3);
      const std::string damage = fmt::format(",fail=2,connected=0,seed={}", case_number);
      const std::string used =
          damaged && can_be_damaged && generate(spec + damage) ? spec + damage : spec;
      const Fabric fabric = fabric_of(used, lmc);
      RoutingOptions options{
          .threads = 1, .seed = case_number, .parameters = {{kNueVls, case_number % 5}}};
      if (case_number % 4 >= 2) options.groups = some_groups(fabric, case_number);
      std::erase_if(options.groups, [](const auto& group) { return group.members.empty(); });
      if (engine.name == "torus-2QoS" || engine.name == "ar_torus")
        options.torus = torus_config("torus 4 4 1", {4, 4, 1}, {{0, 0, 0}, {2, 2, 0}});
      const auto routes = run_engine(engine, fabric, options);
      if (!routes) continue;
      const TempDir folder;
      const auto written = write_dumps(fabric, *routes, folder.path(), {.groups = options.groups});
      ASSERT_TRUE(written) << written.error().message;
      EXPECT_EQ(read_back(folder),
                text_of(fabric, verify(fabric, *routes, {.groups = options.groups})))
          << used << " -R " << engine.name << " lmc " << unsigned{lmc} << " seed " << case_number;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Dumps, testing::ValuesIn(kSmallSpecs), spec_name);

TEST(DumpsInAFolder, ReplaceAndRemoveFilesOfEarlierRoutes) {
  const Fabric fabric = ring_of_four();
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  const TempDir folder;
  for (const char* name : {"weft.ar", "weft.msl", "weft.groups", "opensm-ftree-ca-order.dump"})
    ASSERT_TRUE(write_file(folder / name, std::string_view("stale\n")));
  ASSERT_TRUE(write_dumps(fabric, routes, folder.path()));
  for (const char* name : {"weft.ar", "weft.msl", "weft.groups"})
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
  EXPECT_TRUE(std::filesystem::exists(folder / "opensm-ftree-ca-order.dump"))
      << "a file that only OpenSM writes must stay";
}

TEST(DumpsInAFolder, OfALargeFabricHavePathSlsOnlyIfAllAreZero) {
  const Fabric fabric = fabric_of("fattree2:k=64");
  ASSERT_GT(fabric.ca_count(), kPslHostsMax);
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  const TempDir folder;
  ASSERT_TRUE(write_dumps(fabric, routes, folder.path()));
  const auto text = read_file(folder / "weft.psl");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "# All paths use SL 0\n");
  Warnings warnings;
  EXPECT_TRUE(read_psl(fabric, folder / "weft.psl", warnings));
  routes.path_sl = PathSl::by_destination(
      std::vector<std::uint8_t>(std::size_t{fabric.lid_top().value()} + 1, 1));
  ASSERT_TRUE(write_dumps(fabric, routes, folder.path()));
  EXPECT_FALSE(std::filesystem::exists(folder / "weft.psl"));
}

}  // namespace
}  // namespace weft
