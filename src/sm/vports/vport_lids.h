// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// LIDs of virtual ports (vports). A vport that requires a LID of its own has one; the LID belongs
// to its GUID, is kept in guid2lid, and stays the same when the vport moves. Every other vport uses
// the LID of the vport that its VPortInfo names, or else the LID of its CA port. At every switch,
// the entries of an own LID are those of the LID of the CA port (routes/lid_copies.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lid_copies.h"
#include "sm/lids/guid2lid.h"
#include "sm/observed.h"

namespace weft {

/// The own LIDs of vports, with those of absent vports during their grace period.
class VportLids {
 public:
  VportLids() = default;
  /// Vports by the port GUID of their CA port.
  using ByHost = std::map<Guid, std::vector<Guid>>;

  /// `lids`: sorted by GUID; no GUID and no LID twice. `over_limit`: see there.
  explicit VportLids(std::vector<std::pair<Guid, Lid>> lids, ByHost over_limit = {});

  /// The own LID of a vport; 0: none.
  Lid of(Guid guid) const;
  /// The vport with this own LID.
  std::optional<Guid> at(Lid lid) const;
  /// The highest of the LIDs; 0: none.
  Lid top() const { return by_lid_.empty() ? kLidNone : by_lid_.back().first; }
  bool empty() const { return by_guid_.empty(); }
  /// The vports that get no LID because of VportLidInput::per_port_max; sorted by GUID.
  const ByHost& over_limit() const { return over_limit_; }
  bool is_over_limit(const VportOwner& owner, Guid guid) const;
  const std::vector<std::pair<Guid, Lid>>& all() const { return by_guid_; }
  bool operator==(const VportLids& other) const { return by_guid_ == other.by_guid_; }

 private:
  std::vector<std::pair<Guid, Lid>> by_guid_;
  std::vector<std::pair<Lid, Guid>> by_lid_;
  ByHost over_limit_;
};

struct VportLidInput {
  const Observed& observed;
  const Fabric& fabric;        // includes the LIDs of endports
  bool reassign = false;       // ignore the LIDs that vports have
  bool keeps_current = false;  // the LIDs that vports have take precedence over `memory`
  unsigned per_port_max = 0;   // own LIDs of the vports of a CA port; 0: no limit
};

/// Assigns LIDs to the vports that require one: the LID in `memory`, else the LID that the vport
/// has, else the lowest free LID, preferably not recorded for an absent GUID. A LID of an endport,
/// or beyond the LinearFDBCap of a switch, is not assigned. Of the vports of one CA port, those
/// with a LID precede new vports, and these precede absent vports, which count for their last CA
/// port. Updates `memory`. Adds a warning with the number of vports that get no LID because no LID
/// is free.
VportLids assign_vport_lids(const VportLidInput& input, LidMemory& memory,
                            std::vector<std::string>& warnings);

/// The LID by which a vport is reached; `host` is the LID of its CA port.
Lid vport_lid(const Vports& vports, const VportLids& lids, const VportOwner& owner, Lid host);

/// The own LIDs as copies of the LIDs of the CA ports, sorted; without vports of absent CA ports.
std::vector<LidCopy> vport_lid_copies(const Vports& vports, const VportLids& lids,
                                      const Fabric& fabric);

}  // namespace weft
