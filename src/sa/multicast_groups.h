// Multicast groups and who belongs to them: those of partitions, which are always there, and those
// that clients create by joining, which end with their last full member.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ib/sa_records.h"
#include "sa/view.h"
#include "sm/group_file.h"

namespace weft::sa {

/// Bits of JoinState. Who only sends gets no copies; the fourth counts as a full member all the
/// same.
namespace join_state {
inline constexpr std::uint8_t kFull = 1;
inline constexpr std::uint8_t kNonMember = 2;
inline constexpr std::uint8_t kSendOnly = 4;
inline constexpr std::uint8_t kSendOnlyFull = 8;
}  // namespace join_state

struct McMember {
  std::uint8_t state = 0;  // never 0
  bool proxy = false;      // somebody else joined for it, and anybody may change that
  bool operator==(const McMember&) const = default;
};

struct McGroup {
  McMemberRecord record;  // as it is shown to those who may not see members
  bool well_known = false;
  std::map<Guid, McMember> members;  // by port, as it joined: its own GUID or an alias
  std::size_t full_members = 0;      // of these
};

/// A group that came to be (trap 66) or is no more (trap 67).
struct McGroupEvent {
  Gid mgid{};
  Pkey pkey;
  bool created = false;
};

class McGroups {
 public:
  /// Groups of partitions come and go, members whose ports have vanished leave, and so do those
  /// whose ports held the group's P_Key `before` and do not any more; LIDs go as far as all
  /// switches can. Null: another manager is master, and everybody registers there.
  void follow(const SaView* view, const SaView* before = nullptr);

  const std::map<Gid, McGroup>& all() const { return groups_; }
  /// Null where there is none.
  const McGroup* find(const Gid& mgid) const;

  /// Those who joined by a GUID that nobody has any more.
  void drop_members_of_lost_ports(const SaView& view);

  /// `wanted` has no LID that is taken: it gets the one that it names if it can have it, else the
  /// lowest that is free. False if there is none. An MGID of 0 is replaced by a new one of this
  /// scope.
  bool create(McMemberRecord& wanted, std::uint8_t scope, const SaView& view);
  /// Adds to what the port is already; returns what it is then. The group must be there.
  std::uint8_t join(const Gid& mgid, Guid port, std::uint8_t state, bool proxy);
  /// Takes away what the port is; returns what remains. The last full member takes the group with
  /// it, unless it is well known.
  std::uint8_t leave(const Gid& mgid, Guid port, std::uint8_t state);

  /// What switches must know: a LID each, in order. Groups without members are left out.
  std::vector<FiledGroup> routed(const SaView& view) const;
  /// Grows whenever routed() may have changed.
  std::uint64_t version() const { return version_; }
  std::vector<McGroupEvent> take_events() { return std::exchange(events_, {}); }

 private:
  using Groups = std::map<Gid, McGroup>;
  template <class Leaves>
  void drop_members(Leaves leaves);
  void add_well_known(const SaView& view);
  Groups::iterator erase(Groups::iterator group);
  std::optional<Lid> lid_for(const McMemberRecord& wanted, const SaView& view);
  std::optional<Lid> shared_lid(const Gid& mgid) const;
  bool is_free(Lid mlid, const SaView& view) const;
  Gid new_mgid(std::uint8_t scope, const SaView& view);
  void add(const McMemberRecord& record, bool well_known);

  Groups groups_;
  std::map<Lid, unsigned> lids_;  // of groups, and how many have each
  Lid lid_last_ = kLidMulticastLast;
  Lid lid_hint_ = kLidMulticastFirst;  // none below is free
  std::uint32_t mgids_given_ = 0;
  std::uint64_t version_ = 0;
  std::vector<McGroupEvent> events_;
};

/// The scope bits of an MGID.
constexpr std::uint8_t scope_of(const Gid& mgid) {
  return std::to_integer<std::uint8_t>(mgid[1]) & 0xF;
}
inline constexpr std::uint8_t kLinkLocalScope = 2;

/// Whether a client may create a group of this name: a multicast GID, permanent or transient, and
/// not one of those that the administration gives away itself.
bool may_be_created(const Gid& mgid);

/// The group by which a new group of IP over InfiniBand must go (RFC 4391): nothing where `mgid` is
/// none, or is the broadcast group itself.
std::optional<Gid> broadcast_group_of(const Gid& mgid);

}  // namespace weft::sa
