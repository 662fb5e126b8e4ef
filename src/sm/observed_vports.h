// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The virtual ports (vports) of CA ports: their attributes, and the owner of each GUID. A GUID has
// one owner: the first vport with this GUID, until this vport or its CA port goes down. Then
// another vport with the same GUID becomes the owner, as after a live migration. If there is no
// other vport with the GUID, the GUID stays known for kVportGrace, so that a virtual machine that
// is moved keeps its multicast groups. Physical functions and forbidden vports own no GUID.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ib/tables.h"
#include "ib/vendor/vports.h"

namespace weft {

inline constexpr TimeNs kVportGrace = std::chrono::seconds(10);

struct Vport {
  std::uint16_t index = 0;  // 0: the physical function
  VportInfo info;
  VnodeInfo node;  // default values if not read
  std::string description;
  std::vector<Guid> aliases;     // further GUIDs, sorted
  std::vector<GuidInfo> guids;   // blocks of VPortGUIDInfo, as read or written; empty: unknown
  std::vector<PkeyTable> pkeys;  // blocks, as read or written; empty: unknown
  bool forbidden = false;        // its GUID may not be used on the port (policy/tenants.h)
  bool operator==(const Vport&) const = default;
};

/// Stores a block of VPortGUIDInfo, and the further GUIDs of all blocks in `aliases`.
void store_guids(Vport& vport, std::size_t block, const GuidInfo& guids);

/// The number of blocks of the P_Key table of a vport.
std::size_t vport_pkey_blocks(const Vport& vport);

/// The vports of one CA port with virtualization.
struct HostVports {
  VirtualizationInfo info;
  std::vector<Vport> vports;  // in INIT or ACTIVE, by index
  bool operator==(const HostVports&) const = default;

  /// The vport with this index; null if the index is not in use.
  const Vport* at(std::uint16_t index) const;
};

/// The owner of a vport's GUID.
struct VportOwner {
  Guid host;  // port GUID of the CA port
  std::uint16_t index = 0;
  bool operator==(const VportOwner&) const = default;
};

/// A change of the owner of a GUID.
struct VportMove {
  Guid guid;
  std::optional<VportOwner> from, to;
};

class Vports {
 public:
  using Hosts = std::map<Guid, std::shared_ptr<const HostVports>>;  // by port GUID
  using Owners = std::map<Guid, VportOwner>;                        // by GUID of the vport
  struct Absence {
    VportOwner last;
    TimeNs until{0};
  };
  using Absent = std::map<Guid, Absence>;

  /// CA ports with virtualization, including ports without vports in use.
  const Hosts& hosts() const { return hosts_; }
  /// GUIDs and alias GUIDs of vports, without those of physical functions.
  const Owners& owners() const { return owners_; }
  /// GUIDs without an owner, from the time when the vport of the last owner went down until
  /// expire() drops them after kVportGrace.
  const Absent& absent() const { return absent_; }
  bool empty() const { return hosts_.empty() && absent_.empty(); }

  const HostVports* host(Guid port) const;
  /// The vport that owns the GUID; null if there is none.
  const Vport* find(Guid guid) const;
  const Vport* at(const VportOwner& owner) const;
  /// Port GUIDs of the vports that own their GUID, sorted; without alias GUIDs.
  std::vector<Guid> guids() const;
  /// The number of vports in use, without physical functions.
  std::size_t count() const;
  /// GUIDs that several vports have: an entry for each vport that is not the owner, in `to`; `from`
  /// is the owner.
  std::vector<VportMove> contested_guids() const;

  /// Replaces the vports of a port; returns the GUIDs that got an owner, changed the owner, or have
  /// no owner any more.
  std::vector<VportMove> set_host(Guid port, HostVports vports, TimeNs now);
  /// As set_host(), after the manager has written alias GUIDs: GUIDs that were removed are not
  /// absent, because a client has deleted them.
  void set_written_guids(Guid port, HostVports vports, TimeNs now);
  /// Removes a port with its vports; returns the GUIDs that changed the owner or have no owner any
  /// more.
  std::vector<VportMove> drop_host(Guid port, TimeNs now);
  /// Replaces the vports of a known port; indexes and GUIDs must be unchanged.
  void update_host(Guid port, HostVports vports);
  /// Drops absent GUIDs after their grace period. True if any GUID was dropped.
  bool expire(TimeNs now);
  /// The end of the first grace period; TimeNs::max() if there is none.
  TimeNs next_expiry() const;

 private:
  void release(Guid port, const HostVports& before, TimeNs now, std::vector<VportMove>& moves);
  void claim(Guid port, const HostVports& vports, std::vector<VportMove>& moves);
  std::optional<VportOwner> other_claimant(Guid guid) const;

  Hosts hosts_;
  Owners owners_;
  Absent absent_;
  std::multimap<Guid, VportOwner> claims_;  // vports that have a GUID owned by another vport
};

}  // namespace weft
