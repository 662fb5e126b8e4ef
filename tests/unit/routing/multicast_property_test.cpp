// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast trees of most engines on every small fabric: each member receives one copy, and trees
// add no dependency cycle to deadlock-free unicast routes.

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "base/rng.h"
#include "routing/engine.h"
#include "routing/multicast.h"
#include "routing/nue/nue.h"
#include "support/fabrics.h"
#include "support/groups.h"
#include "support/spec_name.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

class Multicast : public testing::TestWithParam<const char*> {};

/// An engine and the number of available VLs.
struct MulticastCase {
  std::string_view engine;
  unsigned lanes;
};
constexpr MulticastCase kMulticastCases[] = {
    {"minhop", 1}, {"updn", 1},      {"dnup", 1},    {"ftree", 1},   {"dor", 1},
    {"sssp", 1},   {"dfsssp", 8},    {"lash", 8},    {"nue", 1},     {"nue", 2},
    {"nue", 4},    {"ar_updn", 1},   {"ar_dor", 1},  {"dfp", 8},     {"ar_dfp", 8},
    {"dfp2", 8},   {"ar_minhop", 8}, {"kdor-hc", 3}, {"kdor-ghc", 3}};

TEST_P(Multicast, EachMemberReceivesOneCopyWithoutADependencyCycle) {
  for (const std::uint64_t seed : {1, 2}) {
    const Fabric fabric = fabric_of(GetParam(), 0);
    const auto groups = some_groups(fabric, seed);
    for (const MulticastCase& use : kMulticastCases) {
      const RoutingOptions options{
          .seed = seed, .vls_max = 8, .parameters = {{kNueVls, use.lanes}}};
      auto routes = find_engine(use.engine)->run(fabric, options);
      if (!routes) continue;
      const std::string replay =
          fmt::format("{} -R {} {} lanes, seed {}", GetParam(), use.engine, use.lanes, seed);
      const bool deadlock_free = !verify(fabric, *routes).has_credit_loop();
      auto plan = plan_multicast(fabric, *routes, options, groups);
      ASSERT_TRUE(plan.has_value()) << replay << ": " << plan.error().message;
      std::string notes;
      for (const std::string& note : plan->notes) notes += note + '\n';
      add_multicast(std::move(*plan), *routes);
      const Verdict verdict = verify(fabric, *routes, {.groups = groups});
      EXPECT_EQ(verdict.has_credit_loop(), !deadlock_free) << replay;
      EXPECT_GT(verdict.multicast.copies, 0u) << replay;
      const bool whole = notes.find("parts of the fabric") == std::string::npos;
      EXPECT_TRUE(!whole || verdict.multicast.arrived == verdict.multicast.copies) << replay;
      EXPECT_EQ(verdict.multicast.twice + verdict.multicast.loops +
                    verdict.multicast.non_member_copies + verdict.multicast.dead_ports,
                0u)
          << replay;
      EXPECT_TRUE(!deadlock_free || verdict.multicast_credit_loop.empty())
          << replay << '\n'
          << notes << describe_cycle(fabric, verdict.multicast_credit_loop);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Multicast, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
