// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// torus-2QoS with single missing cables and switches of small tori (every third one in the gate,
// every one in the campaign): the torus is routed without credit loops, and the SLs of all paths
// are unchanged.

#include "routing/torus_2qos/torus_2qos.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "routing/engine.h"
#include "support/full_size.h"
#include "support/groups.h"
#include "support/torus_fabrics.h"
#include "verify/verify.h"

namespace weft {
namespace {

struct TorusCase {
  std::string spec;
  std::string shape;
  std::array<unsigned, 3> radix;
  std::vector<std::array<unsigned, 3>> seeds;
};

void PrintTo(const TorusCase& torus, std::ostream* out) { *out << torus.spec; }

const TorusCase kTorus6x5{
    "torus:6x5,hosts=2", "torus 6 5 1", {6, 5, 1}, {{0, 0, 0}, {3, 2, 0}, {1, 4, 0}}};
const TorusCase kTorus4x4x4{
    "torus:4x4x4,hosts=1", "torus 4 4 4", {4, 4, 4}, {{0, 0, 0}, {2, 2, 2}, {1, 3, 0}}};

class WholeTorus {
 public:
  explicit WholeTorus(const TorusCase& c)
      : fabric(fabric_of(c.spec)), config(torus_config(c.shape, c.radix, c.seeds)) {
    auto made = route_torus_2qos(fabric, RoutingOptions{.torus = config});
    CHECK(made.has_value());
    routes = std::move(*made);
  }

  void expect_verified(const Fabric& left, const std::string& what) const {
    const auto groups = some_groups(left, left.channel_count());
    const auto now =
        run_engine(*find_engine("torus-2QoS"), left, {.torus = config, .groups = groups});
    ASSERT_TRUE(now) << what << ": " << now.error().message;
    const Verdict verdict = verify(left, *now, {.groups = groups});
    ASSERT_TRUE(verdict.multicast_ok()) << what << '\n'
                                        << describe_cycle(left, verdict.multicast_credit_loop);
    ASSERT_EQ(verdict.multicast.non_member_copies, 0u) << what;
    ASSERT_TRUE(verdict.ok()) << what << '\n' << describe_cycle(left, verdict.credit_loop);
    ASSERT_TRUE(verdict.switch_credit_loop.empty())
        << what << '\n'
        << describe_cycle(left, verdict.switch_credit_loop);
    ASSERT_TRUE(verdict.ca_to_switch.all() && verdict.switch_to_switch.all()) << what;
    expect_equal_sls(left, *now, what);
  }

  Fabric fabric;
  TorusConfig config;
  Routes routes;

 private:
  void expect_equal_sls(const Fabric& left, const Routes& now, const std::string& what) const {
    for (const Endport& from : left.endports())
      for (const Endport& to : left.endports()) {
        const auto source = fabric.find_endport(left.port(from.port).guid);
        ASSERT_TRUE(source);
        ASSERT_EQ(now.path_sl.sl(from.sw, to.sw, to.lid),
                  routes.path_sl.sl(fabric, *source, to.lid))
            << what << ": from " << describe(left.node(from.node)) << " to "
            << describe(left.node(to.node));
      }
  }
};

class Torus2Qos : public testing::TestWithParam<TorusCase> {};

TEST_P(Torus2Qos, RoutesTheWholeTorusOnShortestPaths) {
  const WholeTorus whole_torus(GetParam());
  whole_torus.expect_verified(whole_torus.fabric, "whole");
  const auto graph = neighbors(whole_torus.fabric);
  for_each_lid(whole_torus.fabric, [&](const Endport& to, Lid lid) {
    const auto hops = shortest_hops(graph, {to.sw.value()});
    for (std::uint32_t s = 0; s < whole_torus.fabric.switch_count(); ++s) {
      const auto path = walk(whole_torus.fabric, whole_torus.routes.lfts, s, to, lid);
      ASSERT_TRUE(path);
      ASSERT_EQ(path->size() - 1, hops[s]) << s << " to LID " << lid.value();
    }
  });
}

TEST_P(Torus2Qos, RoutesAroundEverySingleMissingCable) {
  const WholeTorus whole_torus(GetParam());
  for (std::uint32_t i = 0; i < whole_torus.fabric.channel_count(); i += case_step(3)) {
    const Channel& channel = whole_torus.fabric.channel(ChannelId(i));
    if (channel.reverse.value() < i) continue;
    whole_torus.expect_verified(without(whole_torus.fabric, {}, {ChannelId(i)}),
                                "without the cable from " +
                                    describe(whole_torus.fabric.node(channel.from)) + " to " +
                                    describe(whole_torus.fabric.node(channel.to)));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Torus2Qos, RoutesAroundEverySingleMissingSwitch) {
  const WholeTorus whole_torus(GetParam());
  for (std::uint32_t s = 0; s < whole_torus.fabric.switch_count(); s += case_step(3)) {
    whole_torus.expect_verified(without(whole_torus.fabric, {SwitchId(s)}),
                                "without " + describe(whole_torus.fabric.node(SwitchId(s))));
    if (HasFatalFailure()) return;
  }
}

TEST(Torus2QosOrder, ReordersTheDimensionsAroundTwoMissingNeighborsInX) {
  const WholeTorus whole_torus(kTorus6x5);
  const Fabric left = without(whole_torus.fabric, {SwitchId(8), SwitchId(9)});
  whole_torus.expect_verified(left, "without two neighbors in x");
  const auto routes = route_torus_2qos(left, RoutingOptions{.torus = whole_torus.config});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_NE(routes->notes.back().find("paths use the dimensions in the order y, "),
            std::string::npos)
      << routes->notes.back();
}

INSTANTIATE_TEST_SUITE_P(Tori, Torus2Qos, testing::Values(kTorus6x5, kTorus4x4x4),
                         [](const auto& c) { return c.index == 0 ? "6x5" : "4x4x4"; });

}  // namespace
}  // namespace weft
