// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A minimal subnet manager for tests, which sends one request at a time and waits for the response,
// and the fabric of two switches on which most tests of the emulator use this manager.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <vector>

#include "emulator/emulated_fabric.h"
#include "ib/modifiers.h"
#include "ib/node_info.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "support/tiny.h"

namespace weft {

inline constexpr TimeNs kPatience = std::chrono::milliseconds(5);
using Path = std::vector<unsigned>;  // output ports, hop by hop

Smp directed(Method method, AttributeId attribute, std::uint32_t modifier, const Path& path,
             const SmpData& data = {});

Smp by_lid(Method method, AttributeId attribute, std::uint32_t modifier, Lid dlid,
           const SmpData& data = {});

class Client {
 public:
  Client(EmulatedFabric& fabric, EndportId where, bool is_sm = true)
      : fabric_(fabric), transport_(fabric.attach(where, is_sm)) {}

  /// Sends the SMP with the next transaction ID, and with `mkey` if the SMP has no M_Key. Returns
  /// the response with the same transaction ID; nullopt after kPatience of emulated time. Other
  /// SMPs are stored for take_unsolicited().
  std::optional<Smp> request(Smp smp);
  std::optional<Smp> get(AttributeId attribute, std::uint32_t modifier, const Path& path);
  std::optional<Smp> set(AttributeId attribute, std::uint32_t modifier, const Path& path,
                         const SmpData& data);

  PortInfo port_info(const Path& path, unsigned port);
  /// Reads PortInfo, sets both state fields to "no change", passes PortInfo to `change`, and sends
  /// the result in a Set. Returns the status of the response to the Set, or 0xFFFF without a
  /// response.
  template <class Change>
  std::uint16_t change_port(const Path& path, unsigned port, Change change) {
    PortInfo info = port_info(path, port);
    info.state = PortState::kNoChange;
    info.phys_state = PhysState::kNoChange;
    change(info);
    const auto answer = set(AttributeId::kPortInfo, port, path, encode(info));
    return answer ? answer->status : std::uint16_t{0xFFFF};
  }
  std::uint16_t set_state(const Path& path, unsigned port, PortState state);
  std::uint16_t set_lid(const Path& path, unsigned port, unsigned lid, unsigned sm_lid = 0,
                        unsigned lmc = 0);
  SwitchInfo switch_info(const Path& path);
  /// Writes block 0 of a switch's forwarding table, in which other LIDs have no route, and
  /// LinearFDBTop. Expects that the switch accepts both Sets.
  void set_lft(const Path& path, std::initializer_list<std::pair<unsigned, unsigned>> entries,
               unsigned top = 63);

  /// All received SMPs that were not a response to request().
  std::vector<Smp> take_unsolicited();

  SmpTransport& transport() { return transport_; }
  Mkey mkey{};
  std::vector<Smp> unsolicited;

 private:
  EmulatedFabric& fabric_;
  SmpTransport& transport_;
  std::uint64_t transaction_ = 0x1000;
};

/// The fabric of most tests of the emulator. Numbers are port numbers.
///
///   H0 -1 [S0] 2---1 [S1] 2- H1
///             3---3
///
/// Paths from H0: S0 {1}, S1 {1,2} or {1,3}, H1 {1,2,2}.
Fabric two_switches();
inline constexpr EndportId kH0{2}, kH1{3};

/// two_switches() with LIDs: S0 1, S1 2, H0 3, H1 4. Forwarding tables use the first link between
/// the switches; the SM is at H0.
class Routed : public ::testing::Test {
 protected:
  Routed() {
    EXPECT_EQ(sm.set_lid({}, 1, 3, 3), 0);
    EXPECT_EQ(sm.set_lid({1}, 0, 1, 3), 0);
    EXPECT_EQ(sm.set_lid({1, 2}, 0, 2, 3), 0);
    EXPECT_EQ(sm.set_lid({1, 2, 2}, 1, 4, 3), 0);
    sm.set_lft({1}, {{1, 0}, {2, 2}, {3, 1}, {4, 2}});
    sm.set_lft({1, 2}, {{1, 1}, {2, 0}, {3, 1}, {4, 2}});
  }
  PortId port(SwitchId sw, unsigned num) const {
    return fabric.port_id(Fabric::node_of(sw), PortNum(static_cast<std::uint8_t>(num)));
  }
  NodeId node(EndportId endport) const { return fabric.endport(endport).node; }

  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric};
  Client sm{emulated, kH0};
};

}  // namespace weft
