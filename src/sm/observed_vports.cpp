// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/observed_vports.h"

#include <algorithm>
#include <utility>

#include "ib/vendor/vports_unconfirmed.h"

namespace weft {
namespace {

/// Calls `take` for each GUID of each vport, except those of the physical function and of forbidden
/// vports.
template <class Take>
void for_each_guid(Guid port, const HostVports& host, Take take) {
  for (const Vport& vport : host.vports) {
    if (vport.index == 0 || vport.forbidden) continue;
    const VportOwner owner{port, vport.index};
    if (vport.info.port_guid != Guid(0)) take(vport.info.port_guid, owner);
    for (const Guid alias : vport.aliases) take(alias, owner);
  }
}

}  // namespace

void store_guids(Vport& vport, std::size_t block, const GuidInfo& guids) {
  vport.guids.resize(std::max(vport.guids.size(), block + 1));
  vport.guids[block] = guids;
  vport.aliases.clear();
  for (const GuidInfo& known : vport.guids)
    for (const Guid guid : known.guids)
      if (guid != Guid(0) && guid != vport.info.port_guid) vport.aliases.push_back(guid);
  std::ranges::sort(vport.aliases);
  vport.aliases.erase(std::unique(vport.aliases.begin(), vport.aliases.end()), vport.aliases.end());
}

/// The number is limited, because a device may report any capacity.
std::size_t vport_pkey_blocks(const Vport& vport) {
  constexpr std::size_t kBlocksMax = 8;
  const std::size_t cap =
      vport.node.partition_cap > 0 ? vport.node.partition_cap : vports_unconfirmed::kPartitionCap;
  return std::min((cap + PkeyTable::kEntries - 1) / PkeyTable::kEntries, kBlocksMax);
}

const Vport* HostVports::at(std::uint16_t index) const {
  const auto found = std::ranges::lower_bound(vports, index, {}, &Vport::index);
  return found == vports.end() || found->index != index ? nullptr : &*found;
}

const HostVports* Vports::host(Guid port) const {
  const auto found = hosts_.find(port);
  return found == hosts_.end() ? nullptr : found->second.get();
}

const Vport* Vports::at(const VportOwner& owner) const {
  const HostVports* const of = host(owner.host);
  return of == nullptr ? nullptr : of->at(owner.index);
}

const Vport* Vports::find(Guid guid) const {
  const auto owner = owners_.find(guid);
  return owner == owners_.end() ? nullptr : at(owner->second);
}

std::vector<Guid> Vports::guids() const {
  std::vector<Guid> all;
  all.reserve(owners_.size());
  for (const auto& [guid, owner] : owners_)
    if (const Vport* const vport = at(owner); vport != nullptr && vport->info.port_guid == guid)
      all.push_back(guid);
  return all;
}

std::size_t Vports::count() const {
  std::size_t sum = 0;
  for (const auto& [port, host] : hosts_)
    sum += static_cast<std::size_t>(
        std::ranges::count_if(host->vports, [](const Vport& vport) { return vport.index != 0; }));
  return sum;
}

std::vector<VportMove> Vports::contested_guids() const {
  std::vector<VportMove> all;
  for (const auto& [guid, claimant] : claims_) {
    const auto owner = owners_.find(guid);
    if (owner != owners_.end()) all.push_back({guid, owner->second, claimant});
  }
  return all;
}

/// The other vport with this GUID that has the lowest port GUID and index, so that the result does
/// not depend on the order of answers.
std::optional<VportOwner> Vports::other_claimant(Guid guid) const {
  std::optional<VportOwner> first;
  const auto [begin, end] = claims_.equal_range(guid);
  for (auto claim = begin; claim != end; ++claim)
    if (!first ||
        std::pair(claim->second.host, claim->second.index) < std::pair(first->host, first->index))
      first = claim->second;
  return first;
}

void Vports::release(Guid port, const HostVports& before, TimeNs now,
                     std::vector<VportMove>& moves) {
  for_each_guid(port, before, [&](Guid guid, const VportOwner& owner) {
    const auto [begin, end] = claims_.equal_range(guid);
    const auto claim = std::find_if(begin, end, [&](const auto& c) { return c.second == owner; });
    if (claim != end) {
      claims_.erase(claim);
      return;
    }
    const auto held = owners_.find(guid);
    if (held == owners_.end() || held->second != owner) return;
    if (const auto next = other_claimant(guid)) {
      const auto [first, last] = claims_.equal_range(guid);
      claims_.erase(std::find_if(first, last, [&](const auto& c) { return c.second == *next; }));
      held->second = *next;
      moves.push_back({guid, owner, next});
      return;
    }
    owners_.erase(held);
    absent_[guid] = {owner, now + kVportGrace};
    moves.push_back({guid, owner, std::nullopt});
  });
}

void Vports::claim(Guid port, const HostVports& vports, std::vector<VportMove>& moves) {
  for_each_guid(port, vports, [&](Guid guid, const VportOwner& owner) {
    const auto [held, is_new] = owners_.try_emplace(guid, owner);
    if (!is_new) {
      if (held->second != owner) claims_.emplace(guid, owner);
      return;
    }
    std::optional<VportOwner> last;
    if (const auto gone = absent_.find(guid); gone != absent_.end()) {
      last = gone->second.last;
      absent_.erase(gone);
    }
    moves.push_back({guid, last, owner});
  });
}

std::vector<VportMove> Vports::set_host(Guid port, HostVports vports, TimeNs now) {
  std::vector<VportMove> moves;
  const auto known = hosts_.find(port);
  if (known != hosts_.end() && *known->second == vports) return moves;
  // An unchanged vport keeps its GUIDs, even if other vports claim them.
  HostVports gone, added;
  const auto is_kept = [](const Vport& vport, const HostVports& other) {
    const Vport* const same = other.at(vport.index);
    return same != nullptr && same->info.port_guid == vport.info.port_guid &&
           same->aliases == vport.aliases && same->forbidden == vport.forbidden;
  };
  if (known != hosts_.end())
    for (const Vport& vport : known->second->vports)
      if (!is_kept(vport, vports)) gone.vports.push_back(vport);
  for (const Vport& vport : vports.vports)
    if (known == hosts_.end() || !is_kept(vport, *known->second)) added.vports.push_back(vport);
  release(port, gone, now, moves);
  claim(port, added, moves);
  hosts_[port] = std::make_shared<const HostVports>(std::move(vports));
  return moves;
}

void Vports::set_written_guids(Guid port, HostVports vports, TimeNs now) {
  for (const VportMove& move : set_host(port, std::move(vports), now))
    if (!move.to) absent_.erase(move.guid);
}

std::vector<VportMove> Vports::drop_host(Guid port, TimeNs now) {
  std::vector<VportMove> moves;
  const auto known = hosts_.find(port);
  if (known == hosts_.end()) return moves;
  release(port, *known->second, now, moves);
  hosts_.erase(known);
  return moves;
}

void Vports::update_host(Guid port, HostVports vports) {
  hosts_.at(port) = std::make_shared<const HostVports>(std::move(vports));
}

bool Vports::expire(TimeNs now) {
  return std::erase_if(absent_, [&](const auto& entry) { return entry.second.until <= now; }) > 0;
}

TimeNs Vports::next_expiry() const {
  TimeNs first = TimeNs::max();
  for (const auto& [guid, absence] : absent_) first = std::min(first, absence.until);
  return first;
}

}  // namespace weft
