// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any SMP may be sent. The emulator responds to the SMP or drops the SMP, the fabric stays
// consistent, and no event remains.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/rng.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

template <class T>
T any(Rng& rng) {
  return static_cast<T>(rng.next());
}

/// A random SMP. Most fields have plausible values, so that some SMPs reach an agent.
Smp random_smp(Rng& rng) {
  constexpr AttributeId kKnown[] = {
      AttributeId::kNodeDescription, AttributeId::kNodeInfo,
      AttributeId::kSwitchInfo,      AttributeId::kGuidInfo,
      AttributeId::kPortInfo,        AttributeId::kPkeyTable,
      AttributeId::kSlToVlTable,     AttributeId::kVlArbitrationTable,
      AttributeId::kNotice,          AttributeId::kLinearForwardingTable,
      AttributeId::kSmInfo,          AttributeId::kMulticastForwardingTable};
  constexpr Method kMethods[] = {Method::kGet,  Method::kSet,         Method::kGetResp,
                                 Method::kTrap, Method::kTrapRepress, Method::kSend};
  Smp smp;
  smp.mgmt_class = rng.chance(0.9)
                       ? (rng.chance(0.5) ? MgmtClass::kSmpDirected : MgmtClass::kSmpLidRouted)
                       : any<MgmtClass>(rng);
  smp.method = rng.chance(0.9) ? kMethods[rng.below(rng.chance(0.7) ? 2 : 6)] : any<Method>(rng);
  smp.attribute = rng.chance(0.9) ? kKnown[rng.below(12)] : any<AttributeId>(rng);
  smp.modifier =
      rng.chance(0.8) ? static_cast<std::uint32_t>(rng.below(12)) : any<std::uint32_t>(rng);
  if (rng.chance(0.1)) smp.modifier <<= 16;
  smp.hop_count =
      rng.chance(0.8) ? static_cast<std::uint8_t>(rng.below(4)) : any<std::uint8_t>(rng);
  for (std::size_t i = 0; i < 64; ++i) {
    smp.initial_path[i] = static_cast<std::uint8_t>(rng.below(4));
    smp.return_path[i] = any<std::uint8_t>(rng);
  }
  if (rng.chance(0.9)) smp.initial_path[1] = 1;
  if (rng.chance(0.1)) smp.returning = true;
  if (rng.chance(0.1)) smp.hop_pointer = any<std::uint8_t>(rng);
  if (rng.chance(0.1)) smp.dr_slid = Lid(static_cast<std::uint16_t>(rng.below(6)));
  if (rng.chance(0.1)) smp.dr_dlid = Lid(static_cast<std::uint16_t>(rng.below(6)));
  if (rng.chance(0.1)) smp.mkey = Mkey(rng.below(3));
  smp.slid = Lid(static_cast<std::uint16_t>(rng.below(6)));
  smp.dlid = Lid(static_cast<std::uint16_t>(rng.below(6)));
  if (rng.chance(0.5))
    for (auto& byte : smp.data) byte = static_cast<std::byte>(rng.below(rng.chance(0.9) ? 4 : 256));
  return smp;
}

void expect_consistent(const EmulatedFabric& emulated, std::uint64_t seed) {
  const Fabric& fabric = emulated.fabric();
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const PortInfo& info = emulated.port_info(PortId(p));
    const Port& port = fabric.port(PortId(p));
    const bool is_port0 = fabric.is_switch(port.node) && port.num == PortNum(0);
    EXPECT_EQ(info.state != PortState::kDown, info.phys_state == PhysState::kLinkUp) << seed;
    if (port.peer == kNoPort) {
      EXPECT_EQ(info.state, is_port0 ? PortState::kActive : PortState::kDown) << seed;
    } else {
      const PortInfo& peer = emulated.port_info(port.peer);
      EXPECT_EQ(info.state == PortState::kDown, peer.state == PortState::kDown) << seed;
    }
    EXPECT_TRUE(info.lid == kLidNone || is_unicast(info.lid)) << seed;
    EXPECT_LE(info.neighbor_mtu, info.mtu_cap) << seed;
    EXPECT_LE(info.operational_vls, info.vl_cap) << seed;
    EXPECT_TRUE(decode_port_info(encode(info))) << seed;
  }
}

TEST(MalformedSmps, RandomSmpsGetAResponseOrAreDropped) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Fabric fabric = two_switches();
    EmulatorOptions options;
    options.seed = seed;
    options.faults = {.lost = 0.05, .doubled = 0.05, .late = 0.05};
    options.trap_repeats_max = 2;
    EmulatedFabric emulated(fabric, options);
    SmpTransport& transport = emulated.attach(kH0);
    emulated.attach(EndportId(1));  // port 0 of S1
    Rng rng(seed);
    for (unsigned i = 0; i < 1000; ++i) {
      ASSERT_TRUE(transport.send(random_smp(rng)));
      if (rng.chance(0.01))
        emulated.switch_off_node(NodeId(static_cast<std::uint32_t>(rng.below(4))));
      if (rng.chance(0.02))
        emulated.switch_on_node(NodeId(static_cast<std::uint32_t>(rng.below(4))));
      const PortId port(static_cast<std::uint32_t>(rng.below(fabric.port_count())));
      if (rng.chance(0.01)) emulated.cut_cable(port);
      if (rng.chance(0.03)) emulated.restore_cable(port);
      if (rng.chance(0.3)) transport.wait_until(emulated.clock().now() + TimeNs{3000});
      while (transport.receive()) {
      }
    }
    emulated.run_for(std::chrono::hours(24));
    expect_consistent(emulated, seed);
    EXPECT_EQ(emulated.pending_events(), 0u) << seed;
    // Each SMP that was sent or duplicated was delivered or dropped at most once.
    std::uint64_t ends = emulated.counters().delivered;
    for (const std::uint64_t dropped : emulated.counters().dropped) ends += dropped;
    EXPECT_LE(ends,
              emulated.counters().sent + emulated.counters().doubled + emulated.counters().traps)
        << seed;
    EXPECT_GT(emulated.counters().answered, 0u) << seed;
  }
}

TEST(MalformedSmps, RespondsOnlyToValidHopCountsAndPointers) {
  const Fabric fabric = two_switches();
  EmulatedFabric emulated(fabric);
  SmpTransport& transport = emulated.attach(kH0);
  for (unsigned count = 0; count < 256; ++count) {
    for (unsigned pointer = 0; pointer < 256; ++pointer) {
      Smp smp = directed(Method::kGet, AttributeId::kNodeInfo, 0, {});
      smp.initial_path.fill(1);
      smp.hop_count = static_cast<std::uint8_t>(count);
      smp.hop_pointer = static_cast<std::uint8_t>(pointer);
      smp.returning = (count + pointer) % 2 != 0;
      ASSERT_TRUE(transport.send(smp));
    }
  }
  emulated.run_for(std::chrono::seconds(1));
  EXPECT_EQ(emulated.pending_events(), 0u);
  // A request needs hop pointer 0 and no direction bit, so its hop count is even here. With port 1
  // on every hop, only hop counts 0 (H0) and 2 (from S0 back to H0) are possible.
  EXPECT_EQ(emulated.counters().answered, 2u);
}

}  // namespace
}  // namespace weft
