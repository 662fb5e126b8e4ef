// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A minimal subnet manager for tests: sends one request at a time and waits for the response.
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

inline Smp directed(Method method, AttributeId attribute, std::uint32_t modifier, const Path& path,
                    const SmpData& data = {}) {
  Smp smp;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.hop_count = static_cast<std::uint8_t>(path.size());
  for (std::size_t i = 0; i < path.size(); ++i)
    smp.initial_path.at(i + 1) = static_cast<std::uint8_t>(path[i]);
  smp.data = data;
  return smp;
}

inline Smp by_lid(Method method, AttributeId attribute, std::uint32_t modifier, Lid dlid,
                  const SmpData& data = {}) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.dlid = dlid;
  smp.data = data;
  return smp;
}

class Client {
 public:
  Client(EmulatedFabric& fabric, EndportId where, bool is_sm = true)
      : fabric_(fabric), transport_(fabric.attach(where, is_sm)) {}

  /// The response with the same transaction id, or nothing after kPatience. Other SMPs are kept.
  std::optional<Smp> ask(Smp smp) {
    smp.transaction_id = ++transaction_;
    if (smp.mkey == Mkey(0)) smp.mkey = mkey;
    EXPECT_TRUE(transport_.send(smp));
    const TimeNs deadline = fabric_.clock().now() + kPatience;
    while (fabric_.clock().now() < deadline) {
      transport_.wait_until(deadline);
      while (auto came = transport_.receive()) {
        if (came->transaction_id == transaction_ && came->method == Method::kGetResp) return came;
        unasked.push_back(*came);
      }
    }
    return std::nullopt;
  }
  std::optional<Smp> get(AttributeId attribute, std::uint32_t modifier, const Path& path) {
    return ask(directed(Method::kGet, attribute, modifier, path));
  }
  std::optional<Smp> set(AttributeId attribute, std::uint32_t modifier, const Path& path,
                         const SmpData& data) {
    return ask(directed(Method::kSet, attribute, modifier, path, data));
  }

  PortInfo port_info(const Path& path, unsigned port) {
    const auto answer = get(AttributeId::kPortInfo, port, path);
    EXPECT_TRUE(answer && answer->status == 0);
    return answer ? *decode_port_info(answer->data) : PortInfo{};
  }
  /// Reads PortInfo, sets both state fields to "no change", passes it to `change`, and writes it.
  /// Returns the status, or 0xFFFF without a response.
  template <class Change>
  std::uint16_t change_port(const Path& path, unsigned port, Change change) {
    PortInfo info = port_info(path, port);
    info.state = PortState::kNoChange;
    info.phys_state = PhysState::kNoChange;
    change(info);
    const auto answer = set(AttributeId::kPortInfo, port, path, encode(info));
    return answer ? answer->status : std::uint16_t{0xFFFF};
  }
  std::uint16_t set_state(const Path& path, unsigned port, PortState state) {
    return change_port(path, port, [&](PortInfo& info) { info.state = state; });
  }
  std::uint16_t set_lid(const Path& path, unsigned port, unsigned lid, unsigned sm_lid = 0,
                        unsigned lmc = 0) {
    return change_port(path, port, [&](PortInfo& info) {
      info.lid = Lid(static_cast<std::uint16_t>(lid));
      info.master_sm_lid = Lid(static_cast<std::uint16_t>(sm_lid));
      info.lmc = static_cast<std::uint8_t>(lmc);
    });
  }
  SwitchInfo switch_info(const Path& path) {
    const auto answer = get(AttributeId::kSwitchInfo, 0, path);
    EXPECT_TRUE(answer && answer->status == 0);
    return answer ? *decode_switch_info(answer->data) : SwitchInfo{};
  }
  /// Writes block 0 of a switch's forwarding table and LinearFDBTop.
  void set_lft(const Path& path, std::initializer_list<std::pair<unsigned, unsigned>> entries,
               unsigned top = 63) {
    LinearForwardingTable table;
    table.ports.fill(255);
    for (const auto& [lid, port] : entries) table.ports.at(lid) = static_cast<std::uint8_t>(port);
    const auto answer = set(AttributeId::kLinearForwardingTable, 0, path, encode(table));
    EXPECT_TRUE(answer && answer->status == 0);
    SwitchInfo info = switch_info(path);
    info.port_state_change = false;
    info.linear_fdb_top = static_cast<std::uint16_t>(top);
    const auto second = set(AttributeId::kSwitchInfo, 0, path, encode(info));
    EXPECT_TRUE(second && second->status == 0);
  }

  /// All SMPs received so far that were no response to ask().
  std::vector<Smp> take_unsolicited() {
    while (auto came = transport_.receive()) unasked.push_back(*came);
    return std::exchange(unasked, {});
  }

  SmpTransport& transport() { return transport_; }
  Mkey mkey{};
  std::vector<Smp> unasked;

 private:
  EmulatedFabric& fabric_;
  SmpTransport& transport_;
  std::uint64_t transaction_ = 0x1000;
};

/// The fabric of most tests here. Numbers are port numbers.
///
///   H0 -1 [S0] 2---1 [S1] 2- H1
///             3---3
///
/// Paths from H0: S0 {1}, S1 {1,2} or {1,3}, H1 {1,2,2}.
inline Fabric two_switches() { return Tiny(2).hosts(0).link(0, 1).hosts(1).link(0, 1).build(); }
inline constexpr EndportId kH0{2}, kH1{3};

/// Two switches with LIDs 1 and 2, H0 with LID 3 and H1 with LID 4, tables over the first link, the
/// SM at H0.
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
