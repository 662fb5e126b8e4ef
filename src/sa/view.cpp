// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/view.h"

#include <algorithm>
#include <bit>
#include <map>

#include "fabric/planes.h"
#include "ib/rates.h"

namespace weft {
namespace {

/// MTU code of the port. An armed or active link uses NeighborMTU, which may be lower than MtuCap
/// (live_link_changes). Port 0 has no NeighborMTU.
std::uint8_t mtu_of(const PortInfo& info, PortNum num) {
  const bool in_use =
      num != PortNum(0) && info.state >= PortState::kArmed && info.neighbor_mtu != 0;
  return std::max<std::uint8_t>(in_use ? std::min(info.neighbor_mtu, info.mtu_cap) : info.mtu_cap,
                                1);
}

SaView::Limits limits_of(const PortInfo& info, PortNum num, std::uint8_t rate_last) {
  SaView::Limits limits;
  limits.rate = rate_code(active_width(info).value_or(LinkWidth::k1x),
                          active_speed(info).value_or(LinkSpeed::kSdr));
  limits.rate = rate_up_to(limits.rate, rate_last);
  limits.data_rate = static_cast<std::uint16_t>(data_rate_of(limits.rate));
  limits.mtu = mtu_of(info, num);
  return limits;
}

/// Index in a hash table of `places` entries; `places` is a power of two.
std::size_t slot_of(Guid guid, std::size_t places) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>((guid.value() * kGolden) >> 20) & (places - 1);
}

}  // namespace

bool same_partition(Pkey a, Pkey b) {
  return ((a.value() ^ b.value()) & kPkeyBaseMask) == 0 && (a.value() & kPkeyBaseMask) != 0;
}

bool is_member(std::span<const Pkey> pkeys, Pkey pkey) {
  return std::ranges::any_of(pkeys, [&](Pkey held) { return same_partition(held, pkey); });
}

bool match_pkeys(Pkey a, Pkey b) {
  return same_partition(a, b) && ((a.value() | b.value()) & kPkeyFullBit) != 0;
}

SaView::SaView(std::shared_ptr<const Snapshot> snapshot, const SaOptions& options,
               const sa::Aliases* aliases)
    : snapshot_(std::move(snapshot)), options_(options), aliases_(aliases) {
  const Fabric& fabric = this->fabric();
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) nodes_.push_back(NodeId(n));
  std::ranges::sort(nodes_, {}, [&](NodeId node) {
    return std::pair(opensm_order(fabric.node(node).node_guid), node);
  });
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    if (fabric.endport(EndportId(e)).lid != kLidNone) endports_.push_back(EndportId(e));
  std::ranges::sort(endports_, {}, [&](EndportId endport) {
    return std::pair(opensm_order(fabric.port(fabric.endport(endport).port).guid), endport);
  });
  limits_.resize(fabric.port_count());
  for (const NodeId node : nodes_)
    for (const Port& port : fabric.ports(node))
      limits_[fabric.port_id(node, port.num).value()] =
          limits_of(observed(node).ports[port.num.value()], port.num, options.max_rate_enum);
  index_cables();
  index_holders();
  find_shared_guids();
  find_entry_ports();
}

std::shared_ptr<SaView> SaView::make_after(const SaView* before,
                                           std::shared_ptr<const Snapshot> snapshot,
                                           const SaOptions& options) {
  auto view = std::make_shared<SaView>(std::move(snapshot), options);
  if (before != nullptr && view->are_equal_ports(*before)) view->ports_ = before->ports_;
  return view;
}

bool SaView::are_equal_ports(const SaView& other) const {
  if (options_.subnet_prefix != other.options_.subnet_prefix || endports_ != other.endports_)
    return false;
  return std::ranges::all_of(
             endports_,
             [&](EndportId endport) {
               const Endport& own = fabric().endport(endport);
               const Endport& old = other.fabric().endport(endport);
               return own.port == old.port && own.lid == old.lid && own.lmc == old.lmc &&
                      holders_[endport.value()].guid == other.holders_[endport.value()].guid &&
                      std::ranges::equal(pkeys(endport), other.pkeys(endport));
             }) &&
         are_equal_vports(other);
}

bool SaView::are_equal_vports(const SaView& other) const {
  const Vports& own = snapshot_->vports;
  const Vports& old = other.snapshot_->vports;
  const auto guid = [](const auto& entry) { return entry.first; };
  return own.owners() == old.owners() && snapshot_->vport_lids == other.snapshot_->vport_lids &&
         std::ranges::equal(own.absent(), old.absent(), {}, guid, guid) &&
         std::ranges::all_of(own.owners(), [&](const auto& entry) {
           return std::ranges::equal(snapshot_->pkeys.vport_table(entry.first),
                                     other.snapshot_->pkeys.vport_table(entry.first));
         });
}

void SaView::find_entry_ports() {
  const Fabric& fabric = this->fabric();
  entry_ports_.assign(fabric.switch_count(), PortNum(0));
  std::vector<bool> met(fabric.node_count(), false);
  const Endport& own = fabric.endport(snapshot_->sm);
  std::vector<NodeId> reached;
  const auto cross = [&](const Port& port) {
    if (port.peer == kNoPort) return;
    const Port& peer = fabric.port(port.peer);
    if (!fabric.is_switch(peer.node) || met[peer.node.value()]) return;
    met[peer.node.value()] = true;
    entry_ports_[peer.node.value()] = peer.num;
    reached.push_back(peer.node);
  };
  if (fabric.is_switch(own.node)) {
    met[own.node.value()] = true;
    reached.push_back(own.node);
  } else {
    cross(fabric.port(own.port));
  }
  std::size_t head = 0;
  const auto go_on = [&] {
    for (; head < reached.size(); ++head)
      for (const Port& port : fabric.ports(reached[head])) cross(port);
  };
  go_on();
  if (fabric.is_switch(own.node)) return;
  for (const Port& port : fabric.ports(own.node)) cross(port);  // links of this CA to other planes
  go_on();
}

void SaView::index_cables() {
  const Fabric& fabric = this->fabric();
  cables_.resize(fabric.port_count());
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const PortId peer = fabric.port(PortId(p)).peer;
    if (peer == kNoPort) continue;
    cables_[p] = {peer, fabric.port(peer).node, limits_[p]};
    cables_[p].limits.narrow(limits_[peer.value()]);
  }
}

void SaView::index_holders() {
  const Fabric& fabric = this->fabric();
  std::map<std::vector<Pkey>, std::uint32_t> numbers;
  std::vector<EndportId> samples;  // for each table number, an endport with this P_Key table
  by_guid_.assign(std::bit_ceil(std::size_t{4} * fabric.endport_count() + 1),
                  {Guid(0), kNoEndport});
  const auto enter = [&](Guid guid, EndportId endport) {
    std::size_t at = slot_of(guid, by_guid_.size());
    while (by_guid_[at].second != kNoEndport && by_guid_[at].first != guid)
      at = (at + 1) & (by_guid_.size() - 1);
    if (by_guid_[at].second == kNoEndport) by_guid_[at] = {guid, endport};
  };
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
    const EndportId endport(e);
    const Endport& held = fabric.endport(endport);
    const auto own = pkeys(held.port);
    const auto number =
        numbers.try_emplace({own.begin(), own.end()}, static_cast<std::uint32_t>(samples.size()));
    if (number.second) samples.push_back(endport);
    holders_.push_back({fabric.port(held.port).guid, number.first->second, held.lid != kLidNone});
    enter(holders_.back().guid, endport);
  }
  for (std::uint32_t sw = 0; sw < fabric.switch_count();
       ++sw)  // a switch can be found by its node GUID
    enter(fabric.node(NodeId(sw)).node_guid, EndportId(sw));
  tables_ = samples.size();
  if (tables_ > kTablesCompared) return;
  for (const EndportId a : samples)
    for (const EndportId b : samples) common_.push_back(compare_pkeys(a, b));
}

void SaView::find_shared_guids() {
  // Endports of a CA are consecutive.
  const auto shares = [&](std::uint32_t e) {
    return holders_[e].guid == holders_[e - 1].guid &&
           fabric().endport(EndportId(e)).node == fabric().endport(EndportId(e - 1)).node;
  };
  for (std::uint32_t e = fabric().switch_count() + 1; e < fabric().endport_count(); ++e)
    if (shares(e)) {
      parts_ = connected_parts(fabric());
      return;
    }
}

std::vector<EndportId> SaView::ports_with_guid_of(EndportId endport) const {
  if (parts_.empty() || fabric().is_switch(fabric().endport(endport).node)) return {endport};
  std::vector<EndportId> found;
  const Endport& at = fabric().endport(endport);
  for (const Port& port : fabric().ports(at.node)) {
    const EndportId id = fabric().endport_at(fabric().port_id(at.node, port.num));
    if (id != kNoEndport && holders_[id.value()].guid == holders_[endport.value()].guid &&
        holders_[id.value()].has_lid)
      found.push_back(id);
  }
  return found;
}

std::uint32_t SaView::part_of(EndportId endport) const {
  const SwitchId sw = endport == kNoEndport ? kNoSwitch : fabric().endport(endport).sw;
  return sw == kNoSwitch ? kNoPart : parts_[sw.value()];
}

EndportId SaView::in_plane_of(EndportId endport, EndportId near) const {
  if (parts_.empty() || endport == kNoEndport) return endport;
  const auto ports = ports_with_guid_of(endport);
  if (ports.empty()) return endport;
  if (near == kNoEndport) return holders_[endport.value()].has_lid ? endport : ports.front();
  const auto part = part_of(near);
  const auto same = std::ranges::find_if(
      ports, [&](EndportId id) { return id == near || (part != kNoPart && part_of(id) == part); });
  return same == ports.end() ? ports.front() : *same;
}

std::optional<std::pair<EndportId, EndportId>> SaView::in_common_plane(
    std::span<const EndportId> from, std::span<const EndportId> to, EndportId near) const {
  std::optional<std::pair<EndportId, EndportId>> first;
  const auto wanted = part_of(near);
  for (const EndportId a : from) {
    const auto part = part_of(a);
    if (part == kNoPart || (first && part != wanted)) continue;
    const auto b = std::ranges::find_if(to, [&](EndportId id) { return part_of(id) == part; });
    if (b == to.end()) continue;
    if (part == wanted) return std::pair(a, *b);
    first = {a, *b};
  }
  return first;
}

EndportId SaView::endport_of_port(NodeId node, PortNum port) const {
  return fabric().endport_at(fabric().port_id(node, fabric().is_switch(node) ? PortNum(0) : port));
}

Lid SaView::lid_of_port(NodeId node, PortNum port) const {
  const EndportId endport = endport_of_port(node, port);
  return endport == kNoEndport ? kLidNone : fabric().endport(endport).lid;
}

Gid SaView::gid(EndportId endport) const {
  return make_gid(options_.subnet_prefix, holders_[endport.value()].guid);
}

EndportId SaView::find(Guid guid) const {
  std::size_t at = slot_of(guid, by_guid_.size());
  while (by_guid_[at].second != kNoEndport && by_guid_[at].first != guid)
    at = (at + 1) & (by_guid_.size() - 1);
  return by_guid_[at].second;
}

EndportId SaView::endport_of(Lid lid) const {
  const EndportId endport = fabric().endport_of(lid);
  if (endport != kNoEndport) return endport;
  const auto copy = std::ranges::lower_bound(snapshot_->copies, lid, {}, &LidCopy::lid);
  return copy == snapshot_->copies.end() || copy->lid != lid ? kNoEndport
                                                             : fabric().endport_of(copy->of);
}

Lid SaView::routed_lid(Lid lid) const {
  if (fabric().endport_of(lid) != kNoEndport) return lid;
  const EndportId endport = endport_of(lid);
  return endport == kNoEndport ? lid : fabric().endport(endport).lid;
}

bool SaView::is_local(const Gid& gid) const {
  return prefix_of(gid) == options_.subnet_prefix || prefix_of(gid) == kLinkLocalPrefix;
}

std::optional<EndportId> SaView::find(const Gid& gid, EndportId near) const {
  const auto identity = identify(gid, near);
  return identity ? std::optional(identity->endport) : std::nullopt;
}

std::optional<SaView::Identity> SaView::identify(const Gid& gid, EndportId near) const {
  if (!is_local(gid)) return std::nullopt;
  const Guid guid = guid_of(gid);
  Identity identity;
  identity.endport = find(guid);
  const Vports& vports = snapshot_->vports;
  auto owner = identity.endport == kNoEndport ? vports.owners().find(guid) : vports.owners().end();
  // An alias of a virtual port that is not written to the device yet.
  if (identity.endport == kNoEndport && owner == vports.owners().end() && aliases_ != nullptr)
    if (const auto port = aliases_->port_of(guid)) owner = vports.owners().find(*port);
  if (owner != vports.owners().end()) {
    const Vport* const vport = vports.at(owner->second);
    identity.endport = find(owner->second.host);
    identity.kind = Identity::Kind::kVport;
    if (vport != nullptr) identity.pkeys = snapshot_->pkeys.vport_table(vport->info.port_guid);
    identity.own_lid = vport_lid(vports, snapshot_->vport_lids, owner->second, kLidNone);
  } else if (identity.endport == kNoEndport) {
    if (const auto port = aliases_ == nullptr ? std::nullopt : aliases_->port_of(guid)) {
      identity.endport = find(*port);
      identity.kind = Identity::Kind::kAlias;
    } else if (const auto absent = vports.absent().find(guid); absent != vports.absent().end()) {
      identity.endport = find(absent->second.last.host);
      identity.kind = Identity::Kind::kVport;
      identity.is_absent = true;
    }
  }
  // The own LID of a virtual port is routed in one plane only.
  const EndportId routed = has_shared_guids() && identity.own_lid != kLidNone
                               ? endport_of(identity.own_lid)
                               : kNoEndport;
  identity.endport = routed != kNoEndport ? routed : in_plane_of(identity.endport, near);
  if (identity.endport == kNoEndport || !holders_[identity.endport.value()].has_lid)
    return std::nullopt;
  if (identity.kind != Identity::Kind::kVport) identity.pkeys = own_pkeys(identity.endport);
  return identity;
}

std::span<const Pkey> SaView::pkeys(PortId port) const {
  return snapshot_->pkeys.programs(port) ? snapshot_->pkeys.table(port) : std::span<const Pkey>();
}

std::span<const Pkey> SaView::own_pkeys(EndportId endport) const {
  const PortId port = fabric().endport(endport).port;
  return snapshot_->pkeys.programs(port) ? snapshot_->pkeys.own_table(port)
                                         : std::span<const Pkey>();
}

bool SaView::is_member(EndportId endport, Pkey pkey) const {
  return weft::is_member(pkeys(endport), pkey);
}

bool SaView::share_partition(EndportId a, EndportId b) const {
  return physical_common_pkey(a, b).has_value();
}

bool SaView::share_partition(EndportId a, std::span<const Pkey> b) const {
  return lowest_common_pkey(pkeys(a), b, [](Pkey) { return true; }).has_value();
}

std::optional<Pkey> SaView::common_pkey(EndportId a, EndportId b) const {
  if (!snapshot_->pkeys.has_vports()) return physical_common_pkey(a, b);
  return lowest_common_pkey(own_pkeys(a), own_pkeys(b), [](Pkey) { return true; });
}

std::optional<Pkey> SaView::physical_common_pkey(EndportId a, EndportId b) const {
  if (common_.empty()) return compare_pkeys(a, b);
  return common_[holders_[a.value()].pkey_table * tables_ + holders_[b.value()].pkey_table];
}

std::optional<Pkey> SaView::compare_pkeys(EndportId a, EndportId b) const {
  return lowest_common_pkey(pkeys(a), pkeys(b), [](Pkey) { return true; });
}

}  // namespace weft
