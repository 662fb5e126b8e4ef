// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/vports/vport_lids.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace weft {
namespace {

/// A vport that may get a LID.
struct LidClaim {
  Guid guid;
  Lid current;             // as its VPortInfo reports; 0: none
  bool is_absent = false;  // keeps a LID, but gets no new LID
  VportOwner at;           // the vport with the GUID; of an absent GUID, the last one
};

/// The unicast LIDs that vports may have.
class VportLidSpace {
 public:
  VportLidSpace(const Fabric& fabric, unsigned last) : taken_(last + std::size_t{1}, false) {
    taken_[0] = true;
    for (const Endport& endport : fabric.endports())
      if (endport.lid != kLidNone) reserve({endport.lid, endport.lmc});
  }
  bool take(Lid lid) {
    if (lid.value() >= taken_.size() || taken_[lid.value()]) return false;
    taken_[lid.value()] = true;
    return true;
  }
  void reserve(const LidRange& range) {
    const std::size_t end = range.base.value() + (std::size_t{1} << range.lmc);
    for (std::size_t lid = range.base.value(); lid < std::min(end, taken_.size()); ++lid)
      taken_[lid] = true;
  }
  /// Takes the lowest free LID; 0 if there is none.
  Lid take_lowest() {
    while (lowest_ < taken_.size() && taken_[lowest_]) ++lowest_;
    if (lowest_ == taken_.size()) return kLidNone;
    taken_[lowest_] = true;
    return Lid(static_cast<std::uint16_t>(lowest_));
  }

 private:
  std::vector<bool> taken_;
  std::size_t lowest_ = 1;
};

/// The highest LID that every switch can forward.
unsigned last_forwarded_lid(const Observed& observed) {
  unsigned last = kLidUnicastLast.value();
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s)
    last = std::min(last, std::max(1u, unsigned{observed.nodes[s].switch_info.linear_fdb_cap}) - 1);
  return last;
}

/// The claims, sorted by GUID. An absent vport keeps the LID that is recorded for its GUID.
std::vector<LidClaim> claims_of(const Vports& vports, const LidMemory& memory) {
  std::vector<LidClaim> claims;
  for (const auto& [guid, owner] : vports.owners()) {
    const Vport* const vport = vports.at(owner);
    if (vport != nullptr && vport->info.port_guid == guid && vport->info.lid_required)
      claims.push_back({guid, vport->info.lid, false, owner});
  }
  for (const auto& [guid, absence] : vports.absent())
    if (memory.contains(guid)) claims.push_back({guid, kLidNone, true, absence.last});
  std::ranges::sort(claims, {}, &LidClaim::guid);
  return claims;
}

/// Removes the claims beyond the limit of each CA port. Returns the GUIDs of present vports among
/// them. The order of precedence keeps the LIDs in use when a host announces more vports.
VportLids::ByHost drop_beyond(unsigned limit, const LidMemory& memory, bool reassign,
                              std::vector<LidClaim>& claims) {
  VportLids::ByHost over;
  if (limit == 0) return over;
  const auto rank = [&](const LidClaim& claim) {
    if (claim.is_absent) return 3;
    if (claim.current != kLidNone && !reassign) return 0;
    return memory.contains(claim.guid) ? 1 : 2;
  };
  std::vector<std::tuple<Guid, int, std::uint16_t, Guid>> order;
  for (const LidClaim& claim : claims)
    order.emplace_back(claim.at.host, rank(claim), claim.at.index, claim.guid);
  std::ranges::sort(order);
  std::set<Guid> dropped;
  std::size_t first = 0;  // of the CA port
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [host, precedence, index, guid] = order[i];
    if (host != std::get<0>(order[first])) first = i;
    if (i - first < limit) continue;
    dropped.insert(guid);
    if (precedence < 3) over[host].push_back(guid);
  }
  for (auto& [host, guids] : over) std::ranges::sort(guids);
  std::erase_if(claims, [&](const LidClaim& claim) { return dropped.contains(claim.guid); });
  return over;
}

/// Removes the records of other GUIDs with a LID that a vport has now: guid2lid must not contain a
/// LID twice.
void drop_reassigned(const VportLids& lids, LidMemory& memory) {
  std::erase_if(memory, [&](const auto& entry) {
    for (unsigned i = 0; i < 1u << entry.second.lmc; ++i) {
      const auto holder = lids.at(Lid(static_cast<std::uint16_t>(entry.second.base.value() + i)));
      if (holder && *holder != entry.first) return true;
    }
    return false;
  });
  for (const auto& [guid, lid] : lids.all()) memory[guid] = {lid, 0};
}

}  // namespace

VportLids::VportLids(std::vector<std::pair<Guid, Lid>> lids, ByHost over_limit)
    : by_guid_(std::move(lids)), over_limit_(std::move(over_limit)) {
  for (const auto& [guid, lid] : by_guid_) by_lid_.emplace_back(lid, guid);
  std::ranges::sort(by_lid_);
}

Lid VportLids::of(Guid guid) const {
  const auto found = std::ranges::lower_bound(by_guid_, guid, {}, &std::pair<Guid, Lid>::first);
  return found == by_guid_.end() || found->first != guid ? kLidNone : found->second;
}

std::optional<Guid> VportLids::at(Lid lid) const {
  const auto found = std::ranges::lower_bound(by_lid_, lid, {}, &std::pair<Lid, Guid>::first);
  if (found == by_lid_.end() || found->first != lid) return std::nullopt;
  return found->second;
}

bool VportLids::is_over_limit(const VportOwner& owner, Guid guid) const {
  const auto host = over_limit_.find(owner.host);
  return host != over_limit_.end() && std::ranges::binary_search(host->second, guid);
}

VportLids assign_vport_lids(const VportLidInput& input, LidMemory& memory,
                            std::vector<std::string>& warnings) {
  std::vector<LidClaim> claims = claims_of(input.observed.vports, memory);
  if (claims.empty()) return {};
  VportLids::ByHost over = drop_beyond(input.per_port_max, memory, input.reassign, claims);
  const unsigned last = last_forwarded_lid(input.observed);
  VportLidSpace space(input.fabric, last);
  std::vector<Lid> assigned(claims.size());
  const auto recorded = [&](const LidClaim& claim) {
    const auto found = memory.find(claim.guid);
    return found == memory.end() || found->second.lmc != 0 ? kLidNone : found->second.base;
  };
  const auto keep = [&](bool current) {
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const Lid wanted = current ? claims[i].current : recorded(claims[i]);
      if (assigned[i] == kLidNone && wanted != kLidNone && space.take(wanted)) assigned[i] = wanted;
    }
  };
  if (input.keeps_current && !input.reassign) keep(true);
  keep(false);
  if (!input.reassign) keep(true);
  VportLidSpace unrecorded = space;
  for (const auto& [guid, range] : memory) unrecorded.reserve(range);
  std::vector<std::pair<Guid, Lid>> lids;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (assigned[i] == kLidNone && !claims[i].is_absent) {
      assigned[i] = unrecorded.take_lowest();
      if (assigned[i] == kLidNone)
        assigned[i] = space.take_lowest();
      else
        space.take(assigned[i]);
    }
    if (assigned[i] != kLidNone)
      lids.emplace_back(claims[i].guid, assigned[i]);
    else if (!claims[i].is_absent)
      ++missing;
  }
  if (missing > 0)
    warnings.push_back(fmt::format(
        "{} virtual ports get no LID of their own and stay in INIT: no LID from 1 to {} "
        "is free",
        missing, last));
  VportLids result(std::move(lids), std::move(over));
  drop_reassigned(result, memory);
  return result;
}

Lid vport_lid(const Vports& vports, const VportLids& lids, const VportOwner& owner, Lid host) {
  const auto own_lid = [&](const Vport* vport, std::uint16_t index) {
    if (vport == nullptr || index == 0 || !vport->info.lid_required) return kLidNone;
    const auto holder = vports.owners().find(vport->info.port_guid);
    return holder != vports.owners().end() && holder->second == VportOwner{owner.host, index}
               ? lids.of(vport->info.port_guid)
               : kLidNone;
  };
  const Vport* const vport = vports.at(owner);
  if (vport == nullptr) return host;
  if (const Lid own = own_lid(vport, owner.index); own != kLidNone) return own;
  const std::uint16_t named = vport->info.lid_by_vport_index;
  const Lid of_named = own_lid(vports.at({owner.host, named}), named);
  return of_named == kLidNone ? host : of_named;
}

std::vector<LidCopy> vport_lid_copies(const Vports& vports, const VportLids& lids,
                                      const Fabric& fabric) {
  std::vector<LidCopy> copies;
  for (const auto& [guid, lid] : lids.all()) {
    const auto owner = vports.owners().find(guid);
    const auto absence = vports.absent().find(guid);
    if (owner == vports.owners().end() && absence == vports.absent().end()) continue;
    const Guid host =
        owner != vports.owners().end() ? owner->second.host : absence->second.last.host;
    const auto endport = fabric.find_endport(host);
    if (!endport || fabric.endport(*endport).lid == kLidNone) continue;
    copies.push_back({lid, fabric.endport(*endport).lid});
  }
  std::ranges::sort(copies);
  return copies;
}

}  // namespace weft
