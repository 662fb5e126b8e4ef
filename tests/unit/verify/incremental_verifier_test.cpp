// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Incremental verification from a kept proof, and its comparison with a complete verification,
// which must detect a wrong proof.
#include "verify/incremental_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tiny.h"

namespace weft {
namespace {

using testing::HasSubstr;

//  H0 - S0 - S1 - S2 - H1
class ChainOfThree : public testing::Test {
 protected:
  ChainOfThree() {
    routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
    for (const Endport& to : fabric.endports())
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        PortNum port = to.sw_port;
        for (const Channel& channel : fabric.channels_from(SwitchId(s)))
          if ((channel.to.value() > s) == (to.sw.value() > s)) port = channel.from_port;
        routes.lfts.set(SwitchId(s), to.lid, to.sw == SwitchId(s) ? to.sw_port : port);
      }
    proof.emplace(prove(fabric, routes));
  }
  ProvedRoutes before() const { return {fabric, routes, proof->verdict, proof->dependencies}; }
  /// The two channels of a dependency: packets hold the first and wait for the second.
  ChannelId first() const { return fabric.first_channel(kS0); }
  ChannelId second() const {
    const auto channels = fabric.channels_from(kS1);
    return channels[0].to == kS2 ? fabric.first_channel(kS1)
                                 : ChannelId(fabric.first_channel(kS1).value() + 1);
  }
  const Fabric fabric = Tiny(3).hosts(0, 1).hosts(2, 1).link(0, 1).link(1, 2).build();
  Routes routes;
  std::optional<Proof> proof;
};

TEST_F(ChainOfThree, IsVerifiedFromItsProof) {
  ASSERT_TRUE(proof->verdict.ok());
  for (const bool compares : {false, true}) {
    IncrementalVerifier verifier(before(), compares);
    const auto result = verifier.verify(fabric, routes, {});
    EXPECT_TRUE(result.only_changes);
    EXPECT_TRUE(result.verdict == proof->verdict);
    ASSERT_TRUE(result.dependencies.has_value());
    EXPECT_TRUE(result.dependencies->cas.same_edges(proof->dependencies.cas));
    EXPECT_EQ(verifier.difference(), "");
  }
}

TEST_F(ChainOfThree, IsVerifiedAsAWholeWithoutAProof) {
  IncrementalVerifier verifier(std::nullopt, false);
  const auto result = verifier.verify(fabric, routes, {});
  EXPECT_FALSE(result.only_changes);
  EXPECT_TRUE(result.verdict == proof->verdict);
  EXPECT_TRUE(result.dependencies.has_value());
}

TEST_F(ChainOfThree, LeavesNoDependenciesAfterAFailedVerification) {
  Routes broken = routes;
  broken.lfts.set(kS1, fabric.endport(EndportId(3)).lid, kNoRoute);
  IncrementalVerifier verifier(before(), true);
  const auto result = verifier.verify(fabric, broken, {});
  EXPECT_FALSE(result.verdict.ok());
  EXPECT_FALSE(result.only_changes);
  EXPECT_FALSE(result.dependencies.has_value());
  EXPECT_EQ(verifier.difference(), "");
}

TEST_F(ChainOfThree, FindsAMissingDependency) {
  ASSERT_NE(proof->dependencies.cas.vls(first(), second()), 0u);
  proof->dependencies.cas.set_vls(first(), second(), 0);
  IncrementalVerifier verifier(before(), true);
  const auto result = verifier.verify(fabric, routes, {});
  EXPECT_THAT(verifier.difference(), HasSubstr("the dependencies differ: 1 and"));
  EXPECT_EQ(result.verdict.dependencies, 2u);  // of the complete verification
  EXPECT_EQ(result.dependencies->cas.edge_count(), 2u);
}

TEST_F(ChainOfThree, IsVerifiedAsAWholeAfterAMulticastCreditLoop) {
  proof->verdict.multicast_credit_loop.push_back({first(), Vl(0), EndportId(3), Lid(0xC000)});
  IncrementalVerifier verifier(before(), false);
  EXPECT_FALSE(verifier.verify(fabric, routes, {}).only_changes);
}

TEST_F(ChainOfThree, FindsAWrongCount) {
  ++proof->verdict.switch_to_switch.pairs;
  IncrementalVerifier verifier(before(), true);
  const auto result = verifier.verify(fabric, routes, {});
  EXPECT_EQ(verifier.difference(), "the counts of the verdict differ");
  EXPECT_EQ(result.verdict.switch_to_switch.pairs, proof->verdict.switch_to_switch.pairs - 1);
}

}  // namespace
}  // namespace weft
