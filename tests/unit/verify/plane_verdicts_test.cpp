// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/planes/plane_verdicts.h"

#include <gtest/gtest.h>

#include "fabric/without.h"
#include "support/fabric_of.h"
#include "unit/verify/tables.h"

namespace weft {
namespace {

std::vector<PlaneState> states(const std::vector<PlaneVerdict>& planes) {
  std::vector<PlaneState> result;
  for (const PlaneVerdict& plane : planes) result.push_back(plane.state);
  return result;
}

using enum PlaneState;

TEST(PlaneVerdicts, EachPlaneOfAWholeFabricIsVerified) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=4");
  const auto planes = plane_verdicts(fabric, verify(fabric, shortest_routes(fabric)));
  ASSERT_EQ(states(planes), std::vector(4, kVerified));
  EXPECT_EQ(planes[2].number, 3u);
  EXPECT_EQ(planes[2].pairs, 8u * 7u);
  EXPECT_EQ(planes[2].cut_off, 0u);
  EXPECT_EQ(describe(planes[2]), "plane 3: verified, 8 of 8 hosts, 6 switches");
}

TEST(PlaneVerdicts, AFabricWithoutPlanesHasNoVerdicts) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  EXPECT_TRUE(plane_verdicts(fabric, verify(fabric, shortest_routes(fabric))).empty());
}

TEST(PlaneVerdicts, OtherPlanesStayVerifiedIfOnePlaneIsMissing) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=3,plane_down=1");
  const Verdict verdict = verify(fabric, shortest_routes(fabric));
  EXPECT_TRUE(verdict.ok());
  const auto planes = plane_verdicts(fabric, verdict);
  EXPECT_EQ(states(planes), (std::vector{kDown, kVerified, kVerified}));
  EXPECT_FALSE(planes[0].is_usable());
}

/// Plane 1 connects all hosts, so plane 2 is partitioned, not the fabric.
TEST(PlaneVerdicts, APlaneInSeveralPartsIsPartitioned) {
  const Fabric whole = fabric_of("fattree2:k=4,planes=2");
  std::vector<PortId> cut;
  for (const Channel& channel : whole.channels())
    if (whole.node(channel.from).description.starts_with("plane2-"))
      cut.push_back(whole.port_id(Fabric::node_of(channel.from), channel.from_port));
  const Fabric fabric = without(whole, {}, cut);
  const Verdict verdict = verify(fabric, shortest_routes(fabric));
  EXPECT_TRUE(verdict.ok());
  const auto planes = plane_verdicts(fabric, verdict);
  ASSERT_EQ(states(planes), (std::vector{kVerified, kPartitioned}));
  EXPECT_EQ(planes[1].cut_off, 8u * 6u) << "a leaf has two hosts";
  EXPECT_TRUE(planes[1].is_usable());
}

TEST(PlaneVerdicts, AMissingRouteFailsItsPlaneOnly) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  Routes routes = shortest_routes(fabric);
  SwitchId leaf = kNoSwitch;
  for (const Endport& endport : fabric.endports())
    if (!fabric.is_switch(endport.node) &&
        fabric.node(endport.sw).description.starts_with("plane2-"))
      leaf = endport.sw;
  const Lid lid = fabric.endport(fabric.endports_at(leaf)[0]).lid;
  routes.lfts.set(leaf, lid, kNoRoute);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.ok());
  const auto planes = plane_verdicts(fabric, verdict);
  ASSERT_EQ(states(planes), (std::vector{kVerified, kFailed}));
  EXPECT_GT(planes[1].failures, 0u);
}

/// The search for credit loops ends at the first credit loop, so the other planes are not proved.
TEST(PlaneVerdicts, ACreditLoopFailsItsPlaneAndEndsTheProofOfTheOthers) {
  const Fabric fabric = fabric_of("ring:n=5,planes=2");
  const Verdict verdict = verify(fabric, shortest_routes(fabric));
  ASSERT_TRUE(verdict.has_credit_loop());
  const auto planes = plane_verdicts(fabric, verdict);
  ASSERT_EQ(planes.size(), 2u);
  EXPECT_EQ(planes[0].credit_loop + planes[1].credit_loop, 1);
  EXPECT_EQ(planes[planes[0].credit_loop ? 0 : 1].state, kFailed);
  EXPECT_EQ(planes[planes[0].credit_loop ? 1 : 0].state, kNotVerified);
}

TEST(PlaneVerdicts, APlaneFailsIfItsSl2VlMapsDropPackets) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  Routes routes = shortest_routes(fabric);
  SlMap drop{};
  drop.fill(15);
  for (const Endport& endport : fabric.endports())
    if (!fabric.is_switch(endport.node) &&
        fabric.node(endport.sw).description.starts_with("plane2-"))
      for (const Channel& up : fabric.channels_from(endport.sw))
        routes.sl2vl.set(endport.sw, endport.sw_port, up.from_port, drop);
  EXPECT_EQ(states(plane_verdicts(fabric, verify(fabric, routes))),
            (std::vector{kVerified, kFailed}));
  routes.sl2vl = Sl2Vl(drop);
  EXPECT_EQ(states(plane_verdicts(fabric, verify(fabric, routes))), std::vector(2, kFailed));
}

TEST(PlaneVerdicts, WithoutVerificationNoPlaneIsVerified) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=3,plane_down=2");
  EXPECT_EQ(states(plane_verdicts(fabric, Verdict{})),
            (std::vector{kNotVerified, kDown, kNotVerified}));
}

}  // namespace
}  // namespace weft
