// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/multicast/multicast_groups.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace weft::sa {
namespace {

constexpr std::uint8_t kCountsAsFull = join_state::kFull | join_state::kSendOnlyFull;
constexpr std::uint8_t kReceives = join_state::kFull | join_state::kNonMember;
constexpr std::uint16_t kIpv4 = 0x401B, kIpv6 = 0x601B, kSaAssigned = 0xA01B;
constexpr unsigned kMgidTries = 1000;
constexpr std::size_t kCreatorShare = 4;  // groups of a creator: at most LIDs / kCreatorShare

std::uint16_t signature_of(const Gid& mgid) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(mgid[2]) << 8 |
                                    std::to_integer<unsigned>(mgid[3]));
}

void set_uint16_at(Gid& gid, std::size_t at, std::uint16_t value) {
  gid[at] = static_cast<std::byte>(value >> 8);
  gid[at + 1] = static_cast<std::byte>(value & 0xFF);
}

/// For a solicited-node group, the MGID without its last 24 bits (ff1x:601b:pkey::1:ff), which is
/// equal for all such groups of one scope and P_Key. Empty for other groups.
std::optional<Gid> solicited_nodes(const Gid& mgid) {
  if (signature_of(mgid) != kIpv6 || mgid[11] != std::byte{1} || mgid[12] != std::byte{0xFF})
    return std::nullopt;
  if (!std::all_of(mgid.begin() + 6, mgid.begin() + 11,
                   [](std::byte byte) { return byte == std::byte{0}; }))
    return std::nullopt;
  Gid common = mgid;
  std::fill(common.begin() + 13, common.end(), std::byte{0});
  return common;
}

std::size_t count_at(const std::map<Guid, std::size_t>& counts, Guid port) {
  const auto found = counts.find(port);
  return found == counts.end() ? 0 : found->second;
}

void take_one(std::map<Guid, std::size_t>& counts, Guid port) {
  const auto found = counts.find(port);
  CHECK(found != counts.end());
  if (--found->second == 0) counts.erase(found);
}

McMemberRecord record_of(const PartitionGroup& group, const SaView& view) {
  McMemberRecord record;
  record.mgid = group.mgid;
  record.qkey = group.qkey;
  record.mtu_selector = record.rate_selector = record.life_selector = Selector::kExactly;
  record.mtu = group.mtu;
  record.rate = group.rate;
  record.life = view.options().subnet_timeout;
  record.tclass = group.tclass;
  record.pkey = group.pkey;
  record.sl = Sl(view.options().qos ? group.sl : std::uint8_t{0});
  record.flow_label = group.flow_label;
  record.scope = scope_of(group.mgid);
  return record;
}

Lid last_lid(const SaView& view) {
  unsigned last = kLidMulticastLast.value();
  for (std::uint32_t s = 0; s < view.fabric().switch_count(); ++s) {
    const unsigned cap = view.observed(NodeId(s)).switch_info.multicast_fdb_cap;
    if (cap > 0) last = std::min(last, kLidMulticastFirst.value() + cap - 1);
  }
  return Lid(static_cast<std::uint16_t>(last));
}

}  // namespace

bool may_be_created(const Gid& mgid) {
  const unsigned flags = std::to_integer<unsigned>(mgid[1]) >> 4;
  if (!is_multicast(mgid) || flags > 1) return false;
  return signature_of(mgid) != kSaAssigned || scope_of(mgid) != kLinkLocalScope;
}

std::optional<Gid> broadcast_group_of(const Gid& mgid) {
  const std::uint16_t signature = signature_of(mgid);
  if (signature != kIpv4 && signature != kIpv6) return std::nullopt;
  Gid broadcast{};
  broadcast[0] = std::byte{0xFF};
  broadcast[1] = std::byte{0x10} | static_cast<std::byte>(scope_of(mgid));
  set_uint16_at(broadcast, 2, kIpv4);
  broadcast[4] = mgid[4];
  broadcast[5] = mgid[5];
  set_uint16_at(broadcast, 12, 0xFFFF);
  set_uint16_at(broadcast, 14, 0xFFFF);
  if (broadcast == mgid) return std::nullopt;
  return broadcast;
}

const McGroup* McGroups::find(const Gid& mgid) const {
  const auto found = groups_.find(mgid);
  return found == groups_.end() ? nullptr : &found->second;
}

void McGroups::follow(const SaView* view, const SaView* before) {
  if (view == nullptr) {
    if (!groups_.empty()) ++version_;
    groups_.clear();
    lids_.clear();
    changed_.clear();
    memberships_.clear();
    created_.clear();
    for (auto& counts : members_of_tenants_) counts.clear();
    return;
  }
  lid_last_ = last_lid(*view);
  lid_hint_ = kLidMulticastFirst;
  const bool same_ports = before != nullptr && view->has_same_ports(*before);
  if (!same_ports) drop_members_of_lost_ports(*view);
  if (before != nullptr && !same_ports) {
    const auto holds = [&](const SaView& at, Guid port, Pkey pkey) {
      const auto identity = at.identify(make_gid(at.options().subnet_prefix, port));
      return identity && (identity->is_absent || is_member(identity->pkeys, pkey));
    };
    drop_members([&](Guid port, const McGroup& group) {
      const Pkey pkey = group.record.pkey;
      return !holds(*view, port, pkey) && holds(*before, port, pkey);
    });
  }
  add_well_known(*view);
}

/// Broadcast groups come first, that of the default partition before the others, so that it has the
/// first LID. Groups with a new definition in the partition file have the new parameters and keep
/// their LIDs and members. Groups that left the file stay only if they have full members.
void McGroups::add_well_known(const SaView& view) {
  std::set<Gid> known;
  std::vector<PartitionGroup> groups = view.snapshot().groups;
  std::ranges::stable_sort(groups, {}, [](const PartitionGroup& group) {
    return std::pair(!group.broadcast, group.pkey != Pkey(0xFFFF));
  });
  for (const PartitionGroup& group : groups) {
    McMemberRecord record = record_of(group, view);
    known.insert(group.mgid);
    const auto found = groups_.find(group.mgid);
    if (found != groups_.end()) {
      record.mlid = found->second.record.mlid;
      found->second.record = record;
      found->second.well_known = true;
    } else if (const auto lid = lid_for(record, view)) {
      record.mlid = *lid;
      add(record, true);
    }
  }
  for (auto group = groups_.begin(); group != groups_.end();) {
    group->second.well_known = known.contains(group->first);
    const bool stays = group->second.well_known || group->second.full_members > 0;
    group = stays ? std::next(group) : erase(group);
  }
}

void McGroups::drop_members_of_lost_ports(const SaView& view) {
  drop_members([&](Guid port, const McGroup&) {
    return !view.find(make_gid(view.options().subnet_prefix, port));
  });
}

template <class Leaves>
void McGroups::drop_members(Leaves leaves) {
  for (auto& [mgid, group] : groups_)
    for (auto member = group.members.begin(); member != group.members.end();) {
      if (!leaves(member->first, group)) {
        ++member;
        continue;
      }
      if ((member->second.state & kCountsAsFull) != 0) --group.full_members;
      take_one(memberships_, member->second.registrant);
      count_member(group, member->first, false);
      member = group.members.erase(member);
      mark_changed(group);
    }
}

McGroups::Groups::iterator McGroups::erase(Groups::iterator group) {
  const auto lid = lids_.find(group->second.record.mlid);
  CHECK(lid != lids_.end());
  lid->second.erase(group->first);
  if (lid->second.empty()) {
    lid_hint_ = std::min(lid_hint_, lid->first);
    lids_.erase(lid);
  }
  for (const auto& [port, member] : group->second.members) {
    take_one(memberships_, member.registrant);
    count_member(group->second, port, false);
  }
  if (group->second.creator != Guid(0)) take_one(created_, group->second.creator);
  events_.push_back({group->first, group->second.record.pkey, false});
  mark_changed(group->second);
  return groups_.erase(group);
}

void McGroups::add(const McMemberRecord& record, bool well_known, Guid creator) {
  McGroup group;
  group.record = record;
  group.record.port_gid = Gid{};
  group.record.join_state = 0;
  group.record.proxy_join = false;
  group.well_known = well_known;
  group.creator = creator;
  if (creator != Guid(0)) ++created_[creator];
  lids_[record.mlid].insert(record.mgid);
  groups_.emplace(record.mgid, std::move(group));
  events_.push_back({record.mgid, record.pkey, true});
}

bool McGroups::is_free(Lid mlid, const SaView& view) const {
  return is_multicast(mlid) && mlid <= lid_last_ && !lids_.contains(mlid) &&
         !std::ranges::binary_search(view.options().reserved_mlids, mlid);
}

/// The LID that other solicited-node groups of the same scope and P_Key share; empty if there is
/// none.
std::optional<Lid> McGroups::shared_lid(const Gid& mgid) const {
  const auto common = solicited_nodes(mgid);
  if (!common) return std::nullopt;
  const auto found = groups_.lower_bound(*common);
  if (found == groups_.end() || solicited_nodes(found->first) != common) return std::nullopt;
  return found->second.record.mlid;
}

std::optional<Lid> McGroups::lid_for(const McMemberRecord& wanted, const SaView& view) {
  if (view.options().consolidate_ipv6_snm)
    if (const auto shared = shared_lid(wanted.mgid)) return shared;
  if (is_free(wanted.mlid, view)) return wanted.mlid;
  for (unsigned value = lid_hint_.value(); value <= lid_last_.value(); ++value) {
    lid_hint_ = Lid(static_cast<std::uint16_t>(value));
    if (is_free(lid_hint_, view)) return lid_hint_;
  }
  return std::nullopt;
}

/// A new MGID: ff1s:a01b with s the scope, the first 48 bits of the subnet prefix, and a number,
/// lowest byte first.
Gid McGroups::new_mgid(std::uint8_t scope, const SaView& view) {
  for (unsigned tries = 0; tries < kMgidTries; ++tries) {
    Gid mgid{};
    mgid[0] = std::byte{0xFF};
    mgid[1] = std::byte{0x10} | static_cast<std::byte>(scope);
    set_uint16_at(mgid, 2, kSaAssigned);
    for (unsigned i = 0; i < 6; ++i)
      mgid[4 + i] = static_cast<std::byte>(view.options().subnet_prefix >> (56 - 8 * i) & 0xFF);
    const std::uint32_t number = mgids_assigned_++;
    for (unsigned i = 0; i < 4; ++i)
      mgid[10 + i] = static_cast<std::byte>(number >> (8 * i) & 0xFF);
    if (!groups_.contains(mgid)) return mgid;
  }
  return Gid{};
}

bool McGroups::create(McMemberRecord& wanted, std::uint8_t scope, const SaView& view,
                      Guid creator) {
  const auto lid = lid_for(wanted, view);
  if (!lid) return false;
  if (wanted.mgid == Gid{}) wanted.mgid = new_mgid(scope, view);
  if (wanted.mgid == Gid{}) return false;
  wanted.mlid = *lid;
  add(wanted, false, creator);
  return true;
}

std::size_t McGroups::memberships_of(Guid registrant) const {
  return count_at(memberships_, registrant);
}

/// Groups are counted by tenant at the first call, and again after a change of the policy.
std::size_t McGroups::groups_of(const std::shared_ptr<const Tenants>& tenants,
                                std::uint32_t tenant) {
  if (tenants_ != tenants) {
    tenants_ = tenants;
    members_of_tenants_.assign(tenants->all.size(), {});
    for (const auto& [mgid, group] : groups_)
      for (const auto& [port, member] : group.members) count_member(group, port, true);
  }
  return members_of_tenants_[tenant].size();
}

bool McGroups::has_member_of(const McGroup& group, std::uint32_t tenant) const {
  return members_of_tenants_[tenant].contains(group.record.mgid);
}

void McGroups::count_member(const McGroup& group, Guid port, bool is_added) {
  if (!tenants_) return;
  const auto tenant = tenants_->of(port);
  if (!tenant) return;
  auto& counts = members_of_tenants_[*tenant];
  std::size_t& count = counts[group.record.mgid];
  if (is_added)
    ++count;
  else if (--count == 0)
    counts.erase(group.record.mgid);
}

bool McGroups::may_create(Guid creator) const {
  const std::size_t lids = lid_last_.value() - kLidMulticastFirst.value() + std::size_t{1};
  return count_at(created_, creator) < std::max<std::size_t>(1, lids / kCreatorShare);
}

std::uint8_t McGroups::join(const Gid& mgid, Guid port, const McMember& wanted) {
  McGroup& group = groups_.at(mgid);
  const auto [member, is_new] =
      group.members.try_emplace(port, McMember{0, wanted.proxy, wanted.registrant});
  if (is_new) {
    ++memberships_[wanted.registrant];
    count_member(group, port, true);
  } else if (member->second.proxy && !wanted.proxy) {
    take_one(memberships_, member->second.registrant);
    ++memberships_[wanted.registrant];
    member->second.proxy = false;
    member->second.registrant = wanted.registrant;
  }
  const std::uint8_t before = member->second.state;
  member->second.state |= wanted.state;
  if ((before & kCountsAsFull) == 0 && (member->second.state & kCountsAsFull) != 0)
    ++group.full_members;
  if (is_new || (before & kReceives) != (member->second.state & kReceives)) mark_changed(group);
  return member->second.state;
}

std::uint8_t McGroups::leave(const Gid& mgid, Guid port, std::uint8_t state) {
  const auto group = groups_.find(mgid);
  const auto member = group->second.members.find(port);
  const std::uint8_t before = member->second.state;
  const auto after = static_cast<std::uint8_t>(before & ~state);
  member->second.state = after;
  if ((before & kCountsAsFull) != 0 && (after & kCountsAsFull) == 0) --group->second.full_members;
  if (after == 0) {
    take_one(memberships_, member->second.registrant);
    count_member(group->second, port, false);
    group->second.members.erase(member);
  }
  mark_changed(group->second);
  if (group->second.full_members == 0 && !group->second.well_known) erase(group);
  return after;
}

void McGroups::mark_changed(const McGroup& group) {
  ++version_;
  changed_.insert(group.record.mlid);
}

void McGroups::add_ports(const McGroup& group, const SaView& view, FiledGroup& routed) {
  const auto own = [&](Guid guid) {
    const auto endport = view.find(make_gid(view.options().subnet_prefix, guid));
    return endport ? view.fabric().port(view.fabric().endport(*endport).port).guid : guid;
  };
  for (const auto& [port, member] : group.members)
    ((member.state & kReceives) != 0 ? routed.members : routed.senders).push_back(own(port));
}

std::vector<FiledGroup> McGroups::routed(const SaView& view) const {
  std::vector<FiledGroup> result;
  for (const auto& [mlid, mgids] : lids_) {
    FiledGroup routed{mlid, {}, {}, {}};
    for (const Gid& mgid : mgids) add_ports(groups_.at(mgid), view, routed);
    if (!routed.members.empty() || !routed.senders.empty()) result.push_back(std::move(routed));
  }
  return result;
}

std::vector<FiledGroup> McGroups::take_changed(const SaView& view, std::size_t count) {
  std::vector<FiledGroup> result;
  for (; count > 0 && !changed_.empty(); --count) {
    const Lid mlid = *changed_.begin();
    changed_.erase(changed_.begin());
    FiledGroup& routed = result.emplace_back(FiledGroup{mlid, {}, {}, {}});
    const auto held = lids_.find(mlid);
    if (held == lids_.end()) continue;
    for (const Gid& mgid : held->second) add_ports(groups_.at(mgid), view, routed);
  }
  return result;
}

}  // namespace weft::sa
