// Bounds on what the balance is worth. The figures beside them are OpenSM 3.3.23's on the same
// fabrics, measured from its dumps by `weft verify`.

#include <gtest/gtest.h>

#include "congestion/quality.h"
#include "fabric/formats/read.h"
#include "routing/dfsssp.h"
#include "routing/ftree/ftree.h"
#include "routing/minhop.h"
#include "routing/updn.h"
#include "unit/routing/walks.h"

namespace weft {
namespace {

template <class Run>
Quality quality_of(const std::string& spec, Run run, const RoutingOptions& options = {}) {
  const Fabric fabric = lidded(spec);
  const auto routes = run(fabric, options);
  CHECK(routes.has_value());
  return assess(fabric, *routes);
}

// OpenSM: 7680 and 0.242 with minhop and updn, 1016 and 0.70 with its ftree.
TEST(Balance, GivesAThreeLevelTreeWhatFtreeGives) {
  for (const auto run : {&route_minhop, &route_updn}) {
    const Quality quality = quality_of("fattree3:k=16", run);
    EXPECT_LE(quality.link_load_max, 1016u);
    EXPECT_GE(quality.ebb, 0.70);
    EXPECT_EQ(quality.hops_max, 5u);
    EXPECT_EQ(quality.nonminimal, 0u);
  }
}

// OpenSM's ftree: 1016 and 0.70; with cables missing it refuses, and its minhop gives 0.24.
TEST(Balance, OfFtreeIsOpenSmsAndHardlyWorseWithCablesMissing) {
  const Quality whole = quality_of("fattree3:k=16", &route_ftree);
  EXPECT_LE(whole.link_load_max, 1016u);
  EXPECT_GE(whole.ebb, 0.70);
  EXPECT_EQ(whole.nonminimal, 0u);
  const Quality damaged = quality_of("fattree3:k=16,fail=20,seed=1", &route_ftree);
  EXPECT_LE(damaged.link_load_max, 2400u);
  EXPECT_GE(damaged.ebb, 0.68);
  EXPECT_EQ(damaged.nonminimal, 0u);
}

// OpenSM: 0.47 with minhop and updn, with which its ftree ends; 0.58 with dfsssp.
TEST(Balance, OfFtreeOnARealNearlyRegularTree) {
  if (std::string(WEFT_TOPOLOGIES).empty()) GTEST_SKIP() << "no real fabric files here";
  const auto read = read_fabric(WEFT_TOPOLOGIES "/selene-storage/ibnetdiscover.txt");
  ASSERT_TRUE(read) << read.error().message;
  const auto lids = assign_lids(read->fabric, current_lids(read->fabric), {});
  ASSERT_TRUE(lids);
  const Fabric fabric = *read->fabric.with_lids(*lids);
  const auto routes = route_ftree(fabric, {});
  ASSERT_TRUE(routes) << routes.error().message;
  const Quality quality = assess(fabric, *routes);
  EXPECT_GE(quality.ebb, 0.60);
  EXPECT_LE(quality.link_load_max, 3400u);
  EXPECT_EQ(quality.nonminimal, 0u);
}
// OpenSM: 2691 and 0.582, on 2 VLs.
TEST(Balance, OfDfssspOnARealNearlyRegularTree) {
  if (std::string(WEFT_TOPOLOGIES).empty()) GTEST_SKIP() << "no real fabric files here";
  const auto read = read_fabric(WEFT_TOPOLOGIES "/selene-storage/ibnetdiscover.txt");
  ASSERT_TRUE(read) << read.error().message;
  const auto lids = assign_lids(read->fabric, current_lids(read->fabric), {});
  ASSERT_TRUE(lids);
  const Fabric fabric = *read->fabric.with_lids(*lids);
  const auto routes = route_dfsssp(fabric, {});
  ASSERT_TRUE(routes) << routes.error().message;
  const Quality quality = assess(fabric, *routes);
  EXPECT_LE(routes->vls_needed, 2u);
  EXPECT_GE(quality.ebb, 0.58);
  EXPECT_LE(quality.link_load_max, 2700u);
  EXPECT_EQ(quality.nonminimal, 0u);
}

TEST(Balance, LocalGivesWhatOpenSmGives) {
  for (const auto run : {&route_minhop, &route_updn}) {
    const Quality quality = quality_of("fattree3:k=16", run, {.balance = Balance::kLocal});
    EXPECT_EQ(quality.link_load_max, 7680u);
    EXPECT_NEAR(quality.ebb, 0.242, 0.001);
  }
}

TEST(Balance, LeavesATwoLevelTreeEven) {
  for (const auto run : {&route_minhop, &route_updn}) {
    // 18 leaves of 18 hosts under 9 spines, two cables each: every cable carries one leaf's 18
    // sources to 17 remote leaves of one host each.
    const Quality quality = quality_of("fattree2:k=36,trunks=2", run);
    EXPECT_NEAR(quality.link_load_sd, 0, 1e-6);
    EXPECT_EQ(static_cast<double>(quality.link_load_max), quality.link_load_mean);
  }
}

// OpenSM's minhop: 1604 and 0.609.
TEST(Balance, OnARandomGraphIsNoWorseThanOpenSm) {
  const Quality quality = quality_of("random:n=256,degree=10,hosts=4,seed=1", &route_minhop);
  EXPECT_LE(quality.link_load_max, 1604u);
  EXPECT_GE(quality.ebb, 0.609);
  EXPECT_EQ(quality.nonminimal, 0u);
}

}  // namespace
}  // namespace weft
