// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verdicts on routes with private tables, which are selected by input port and SL.

#include <gtest/gtest.h>

#include "support/tiny.h"
#include "verify/proof.h"
#include "verify/verify.h"

namespace weft {
namespace {

PortNum port_to(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  for (const Channel& channel : fabric.channels_from(SwitchId(from)))
    if (channel.to == SwitchId(to)) return channel.from_port;
  return kNoRoute;
}

//  H0 - S0 - S2 - H2     The forwarding tables have the path S1, S0, S2 to H2. In the private table
//         \  /           of S0, the next hop to H2 is S1.
//          S1 - H1
class PrivateVerifier : public ::testing::Test {
 protected:
  PrivateVerifier()
      : fabric_(Tiny(3).link(0, 1).link(0, 2).link(1, 2).hosts(0).hosts(1).hosts(2).build()) {
    routes_.lfts = Lfts(fabric_.switch_count(), fabric_.lid_top());
    routes_.adaptive = ArTables(fabric_.switch_count(), fabric_.lid_top());
    for (const Endport& to : fabric_.endports())
      for (std::uint32_t s = 0; s < 3; ++s)
        routes_.lfts.set(SwitchId(s), to.lid,
                         SwitchId(s) == to.sw ? to.sw_port : port_to(fabric_, s, to.sw.value()));
    const Endport& host = fabric_.endport(fabric_.endports_at(SwitchId(2)).front());
    target_ = host.lid;
    routes_.lfts.set(SwitchId(1), target_, port_to(fabric_, 1, 0));
    ArTables& further = routes_.adaptive->private_table(routes_.adaptive->add_private_table());
    PortMask ports;
    ports.set(port_to(fabric_, 0, 1).value());
    further.set(SwitchId(0), target_, {ArState::kFree, further.add_group(SwitchId(0), ports)});
  }

  PortNum host_port(std::uint32_t sw) const {
    return fabric_.endport(fabric_.endports_at(SwitchId(sw)).front()).sw_port;
  }
  void select(PortNum in, Sl sl) { routes_.adaptive->select_table(SwitchId(0), in, sl, 1); }

  Fabric fabric_;
  Routes routes_;
  Lid target_;
};

TEST_F(PrivateVerifier, PacketsMayReturnToASwitchThatThenUsesAnotherTable) {
  select(host_port(0), Sl(0));
  const Verdict verdict = verify(fabric_, routes_);
  EXPECT_EQ(verdict.loops, 0u);
  EXPECT_TRUE(verdict.ok());
}

TEST_F(PrivateVerifier, PacketsThatReturnToASwitchWithTheSameTableLoop) {
  select(host_port(0), Sl(0));
  select(port_to(fabric_, 0, 1), Sl(0));
  const Verdict verdict = verify(fabric_, routes_);
  EXPECT_EQ(verdict.loops, 2u) << "packets that enter at S0 by the host, and at S1";
  EXPECT_FALSE(verdict.ca_to_ca.all());
}

TEST_F(PrivateVerifier, TablesOfOtherSlsHaveNoEffect) {
  select(host_port(0), Sl(1));
  select(port_to(fabric_, 0, 1), Sl(1));
  EXPECT_TRUE(verify(fabric_, routes_).ok()) << "all paths have SL 0";
  EXPECT_NE(verify(fabric_, routes_).single_sls & 1u, 0u);
  routes_.path_sl = PathSl::by_destination(
      std::vector<std::uint8_t>(fabric_.lid_top().value() + std::size_t{1}, 1));
  EXPECT_EQ(verify(fabric_, routes_).loops, 2u);
}

// The path from H0 to H2 is S0, S1, S0, S2: its packets hold the channel from S0 to S1 and wait for
// the reverse channel. S0 forwards packets from S1 by its forwarding table, to S2. Only if it used
// its private table would the path be a loop.
TEST_F(PrivateVerifier, DependenciesAreThoseOfTheTableOfTheInputPort) {
  const auto dependencies = [&] { return prove(fabric_, routes_).dependencies.cas.edge_count(); };
  const std::uint64_t plain = dependencies();
  select(host_port(0), Sl(0));
  EXPECT_EQ(dependencies(), plain + 1) << "from the channel from S0 to S1 to the reverse channel";
}

TEST_F(PrivateVerifier, ChangesAreVerifiedCompletely) {
  const Proof plain = prove(fabric_, routes_);
  const Routes before = routes_;
  select(host_port(0), Sl(0));
  EXPECT_FALSE(
      prove_changes({fabric_, before, plain.verdict, plain.dependencies}, fabric_, routes_));
}

}  // namespace
}  // namespace weft
