// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups and their members: well-known groups, which partitions define and which always
// exist, and groups that clients create by joining, which are deleted with their last full member.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ib/sa_records.h"
#include "policy/group_file.h"
#include "sa/view.h"

namespace weft::sa {

/// Bits of JoinState. Send-only members receive no copies; a send-only full member counts as a full
/// member.
namespace join_state {
inline constexpr std::uint8_t kFull = 1;
inline constexpr std::uint8_t kNonMember = 2;
inline constexpr std::uint8_t kSendOnly = 4;
inline constexpr std::uint8_t kSendOnlyFull = 8;
}  // namespace join_state

struct McMember {
  std::uint8_t state = 0;  // never 0
  bool proxy = false;      // another port sent the join; other ports may change the membership
  Guid registrant{};       // own GUID of the port that sent the join
  bool operator==(const McMember&) const = default;
};

struct McGroup {
  McMemberRecord record;  // as sent to requesters without access to the members
  bool well_known = false;
  std::map<Guid, McMember> members;  // by port GUID, as given in the join: own GUID or alias
  std::size_t full_members = 0;      // number of full members
  Guid creator{};                    // own GUID of the port that created the group; 0: none
};

/// A group that was created (trap 66) or deleted (trap 67).
struct McGroupEvent {
  Gid mgid{};
  Pkey pkey;
  bool created = false;
};

class McGroups {
 public:
  /// Updates the groups to the view: adds and deletes groups of partitions, drops members with
  /// ports that left the fabric or, since `before`, lost the P_Key of the group, and limits new
  /// LIDs to those that all switches can forward. A null view means that another manager is master
  /// and has all registrations: all groups are dropped. Members are not checked if both views have
  /// the same ports.
  void follow(const SaView* view, const SaView* before = nullptr);

  const std::map<Gid, McGroup>& all() const { return groups_; }
  /// The group of this MGID; null if there is none.
  const McGroup* find(const Gid& mgid) const;

  /// Drops members that joined by a GUID that is no longer assigned; deletes no group.
  void drop_members_of_lost_ports(const SaView& view);

  /// Creates a group, with the LID of `wanted` if this LID is free, else with the lowest free LID.
  /// With consolidate_ipv6_snm, a solicited-node group has the LID of the other such groups of its
  /// scope and P_Key. An MGID of 0 is replaced by a new MGID of this scope. Returns false if no LID
  /// or no MGID is free.
  bool create(McMemberRecord& wanted, std::uint8_t scope, const SaView& view, Guid creator = {});
  /// Adds bits to the port's JoinState; returns the resulting state. The group must exist. If a
  /// port joins for itself, a membership that another port requested becomes its own.
  std::uint8_t join(const Gid& mgid, Guid port, const McMember& wanted);
  /// Removes bits from the port's JoinState; returns the remaining state. The port must be a
  /// member. A group is deleted with its last full member unless it is well known.
  std::uint8_t leave(const Gid& mgid, Guid port, std::uint8_t state);

  /// Number of memberships that a port requested, for itself or for other ports.
  std::size_t memberships_of(Guid registrant) const;
  /// Number of groups with a member of the tenant, by its own, alias or virtual GUID.
  std::size_t groups_of(const std::shared_ptr<const Tenants>& tenants, std::uint32_t tenant);
  /// Whether the group has a member of the tenant. `tenant` belongs to the tenants of the last call
  /// of groups_of().
  bool has_member_of(const McGroup& group, std::uint32_t tenant) const;
  /// Whether a port may create one more group: one creator may create groups up to a quarter of
  /// the number of LIDs, and always one.
  bool may_create(Guid creator) const;

  /// Groups to be routed, one per LID, in order of LID. Groups without members are left out.
  std::vector<FiledGroup> routed(const SaView& view) const;
  /// At most `count` groups of routed() with a difference since the last call that returned them.
  /// Groups that are no longer in routed() have no ports.
  std::vector<FiledGroup> take_changed(const SaView& view, std::size_t count);
  bool has_changed() const { return !changed_.empty(); }
  /// A number that increases whenever the result of routed() may differ from the previous result.
  std::uint64_t version() const { return version_; }
  std::vector<McGroupEvent> take_events() { return std::exchange(events_, {}); }

 private:
  using Groups = std::map<Gid, McGroup>;
  void mark_changed(const McGroup& group);
  static void add_ports(const McGroup& group, const SaView& view, FiledGroup& routed);
  template <class Leaves>
  void drop_members(Leaves leaves);
  void add_well_known(const SaView& view);
  Groups::iterator erase(Groups::iterator group);
  std::optional<Lid> lid_for(const McMemberRecord& wanted, const SaView& view);
  std::optional<Lid> shared_lid(const Gid& mgid) const;
  bool is_free(Lid mlid, const SaView& view) const;
  Gid new_mgid(std::uint8_t scope, const SaView& view);
  void add(const McMemberRecord& record, bool well_known, Guid creator = {});

  void count_member(const McGroup& group, Guid port, bool is_added);

  Groups groups_;
  std::shared_ptr<const Tenants> tenants_;  // tenants of the counts below; null: not counted
  std::vector<std::map<Gid, std::size_t>> members_of_tenants_;  // counts of each group, by tenant
  std::map<Guid, std::size_t> memberships_;  // number of memberships by registrant
  std::map<Guid, std::size_t> created_;      // number of groups by creator
  std::map<Lid, std::set<Gid>> lids_;        // LIDs in use, with the groups of each
  std::set<Lid> changed_;
  Lid lid_last_ = kLidMulticastLast;
  Lid lid_hint_ = kLidMulticastFirst;  // no lower LID is free
  std::uint32_t mgids_assigned_ = 0;
  std::uint64_t version_ = 0;
  std::vector<McGroupEvent> events_;
};

/// The scope bits of an MGID.
constexpr std::uint8_t scope_of(const Gid& mgid) {
  return std::to_integer<std::uint8_t>(mgid[1]) & 0xF;
}
inline constexpr std::uint8_t kLinkLocalScope = 2;

/// Whether a client may create a group with this MGID: a multicast GID, permanent or transient,
/// outside the link-local range from which the SA assigns MGIDs.
bool may_be_created(const Gid& mgid);

/// The broadcast group that determines the parameters of a new group of IP over InfiniBand (RFC
/// 4391); empty if `mgid` is no such group, or is the broadcast group itself.
std::optional<Gid> broadcast_group_of(const Gid& mgid);

}  // namespace weft::sa
