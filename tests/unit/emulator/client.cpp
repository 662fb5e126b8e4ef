// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/emulator/client.h"

#include <utility>

namespace weft {

std::optional<Smp> Client::request(Smp smp) {
  smp.transaction_id = ++transaction_;
  if (smp.mkey == Mkey(0)) smp.mkey = mkey;
  EXPECT_TRUE(transport_.send(smp));
  const TimeNs deadline = fabric_.clock().now() + kPatience;
  while (fabric_.clock().now() < deadline) {
    transport_.wait_until(deadline);
    while (auto received = transport_.receive()) {
      if (received->transaction_id == transaction_ && received->method == Method::kGetResp)
        return received;
      unsolicited.push_back(*received);
    }
  }
  return std::nullopt;
}

std::optional<Smp> Client::get(AttributeId attribute, std::uint32_t modifier, const Path& path) {
  return request(directed(Method::kGet, attribute, modifier, path));
}

std::optional<Smp> Client::set(AttributeId attribute, std::uint32_t modifier, const Path& path,
                               const SmpData& data) {
  return request(directed(Method::kSet, attribute, modifier, path, data));
}

PortInfo Client::port_info(const Path& path, unsigned port) {
  const auto answer = get(AttributeId::kPortInfo, port, path);
  EXPECT_TRUE(answer && answer->status == 0);
  return answer ? *decode_port_info(answer->data) : PortInfo{};
}

std::uint16_t Client::set_state(const Path& path, unsigned port, PortState state) {
  return change_port(path, port, [&](PortInfo& info) { info.state = state; });
}

std::uint16_t Client::set_lid(const Path& path, unsigned port, unsigned lid, unsigned sm_lid,
                              unsigned lmc) {
  return change_port(path, port, [&](PortInfo& info) {
    info.lid = Lid(static_cast<std::uint16_t>(lid));
    info.master_sm_lid = Lid(static_cast<std::uint16_t>(sm_lid));
    info.lmc = static_cast<std::uint8_t>(lmc);
  });
}

SwitchInfo Client::switch_info(const Path& path) {
  const auto answer = get(AttributeId::kSwitchInfo, 0, path);
  EXPECT_TRUE(answer && answer->status == 0);
  return answer ? *decode_switch_info(answer->data) : SwitchInfo{};
}

void Client::set_lft(const Path& path, std::initializer_list<std::pair<unsigned, unsigned>> entries,
                     unsigned top) {
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

std::vector<Smp> Client::take_unsolicited() {
  while (auto received = transport_.receive()) unsolicited.push_back(*received);
  return std::exchange(unsolicited, {});
}

Smp directed(Method method, AttributeId attribute, std::uint32_t modifier, const Path& path,
             const SmpData& data) {
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

Smp by_lid(Method method, AttributeId attribute, std::uint32_t modifier, Lid dlid,
           const SmpData& data) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.method = method;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.dlid = dlid;
  smp.data = data;
  return smp;
}

Fabric two_switches() { return Tiny(2).hosts(0).link(0, 1).hosts(1).link(0, 1).build(); }

}  // namespace weft
