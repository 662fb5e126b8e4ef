// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Real forwarding tables on real fabrics, compared with the counts in
// ../shared/topologies/README.md. Built only if those files exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fabric/formats/read.h"
#include "routes/dump/read.h"
#include "verify/verify.h"

namespace weft {
namespace {

const std::string kFolder = WEFT_TOPOLOGIES "/";

struct VerifiedTables {
  Fabric fabric;
  Verdict verdict;
  std::vector<std::string> warnings;
};

VerifiedTables verify_files(const std::string& fabric_file, const std::string& tables) {
  auto read = read_fabric(kFolder + fabric_file);
  EXPECT_TRUE(read) << read.error().message;
  VerifiedTables result{std::move(read->fabric), {}, {}};
  Warnings warnings;
  Routes routes;
  auto lfts = read_lfts(result.fabric, kFolder + tables, warnings);
  EXPECT_TRUE(lfts) << lfts.error().message;
  routes.lfts = std::move(*lfts);
  result.verdict = verify(result.fabric, routes, {.failures_max = 1000});
  result.warnings = warnings.take();
  return result;
}

TEST(RealTables, AllPairsArriveOnAvakas) {
  const VerifiedTables result = verify_files("avakas-qdr/ib-subnet.txt", "avakas-qdr/ibroutes");
  EXPECT_EQ(result.verdict.switch_to_ca.pairs, 7025u);
  EXPECT_EQ(result.verdict.switch_to_ca.arrived, 7025u);
  EXPECT_EQ(result.verdict.loops, 0u);
  EXPECT_EQ(result.warnings.size(), 25u)
      << "each of the 25 dumps must have a warning of the error line at its end";
}

TEST(RealTables, ReportsTheBrokenTableOfPlafrim) {
  const VerifiedTables result =
      verify_files("plafrim2-qdr/ib-subnet-0.txt", "plafrim2-qdr/ibroutes-0");
  EXPECT_EQ(result.verdict.switch_to_ca.pairs, 672u);
  EXPECT_EQ(result.verdict.switch_to_ca.arrived, 528u);
  ASSERT_FALSE(result.verdict.broken.empty());
  const BrokenSwitch& broken = result.verdict.broken.front();
  EXPECT_EQ(result.fabric.endport(Fabric::endport_of(broken.sw)).lid, Lid(60));
  EXPECT_EQ(broken.walks, 145u) << "one of the paths is from a CA to another switch";
  EXPECT_EQ(std::ranges::count(result.verdict.failures, WalkEnd::kUnrouted, &WalkFailure::end),
            144);
  EXPECT_EQ(std::ranges::count(result.verdict.failures, WalkEnd::kWrongEndport, &WalkFailure::end),
            1);
  ASSERT_EQ(result.warnings.size(), 2u)
      << "the dump must have two warnings, because LID 63 is repeated";
  EXPECT_NE(result.warnings[0].find("ibroute-lid-60.txt:66: LID 63 of switch"), std::string::npos);
}

}  // namespace
}  // namespace weft
