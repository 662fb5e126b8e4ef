// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which other managers this manager trusts, and to which ports it discloses its SM_Key. Any port
// can claim to run a manager of any priority, and can request SMInfo.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sm/context.h"
#include "sm/election/election.h"
#include "sm/election/manager_list.h"
#include "sm/election/standby.h"

namespace weft {

/// The default of sm_key, which is public.
inline constexpr std::uint64_t kPublicSmKey = 1;

/// Port GUIDs, separated by commas or blanks, sorted and without duplicates. Fails with kBadInput.
Result<std::vector<Guid>> parse_guid_list(std::string_view text);

class Peers {
 public:
  /// All arguments must outlive this object.
  Peers(const SmContext& sm, const ManagerList& managers, const Standby& standby)
      : sm_(sm), managers_(managers), standby_(standby) {}

  /// Whether a manager may run on this port: allowed_sm_guids contains it, or is empty.
  bool is_allowed(Guid port) const;
  /// Why a manager that answered is ignored: its port is not allowed, or its SMInfo has the GUID of
  /// another port. Empty if neither applies.
  std::string exclusion(const OtherManager& other) const;
  SmKey own_key() const { return SmKey(sm_.options.sm_key); }
  /// Whether the manager sends the SM_Key of this manager. Only such a manager receives a HANDOVER,
  /// or is expected to send a HANDOVER.
  bool shows_key(const SmInfo& info) const { return info.key == own_key(); }
  /// Whether the SMInfo has an SM_Key other than 0 and the key of this manager. A manager that
  /// sends SM_Key 0 may have the same SM_Key.
  bool has_another_key(const SmInfo& info) const {
    return info.key != SmKey(0) && !shows_key(info);
  }

  /// GUID of the port that sent a request, from the path of the request or its LID; none if the
  /// last discovery has no such port.
  std::optional<Guid> sender_of(const Smp& request) const;
  /// The SM_Key for an answer to this port; 0 if the key is not disclosed to the port. The key is
  /// disclosed to the ports of allowed_sm_guids; if the list is empty, to managers that sent the
  /// same key. The public key is disclosed to all ports: OpenSM ignores a manager that does not
  /// send that key, so both managers would become master.
  SmKey key_for(std::optional<Guid> port) const;
  /// Why a SubnSet(SMInfo) with this event is refused because of its sender; empty if the sender
  /// may send it. next_state() decides whether the event is valid in the state of this manager.
  /// With sm_key 0 and an empty list, commands with SM_Key 0 and state MASTER are accepted from
  /// every sender, such as those of `sminfo`.
  std::string refusal(const Smp& request, const SmInfo& claimed, SmEvent event) const;

 private:
  std::optional<Guid> sender_by_path(const Smp& request) const;
  bool has_shown_key(Guid port) const;
  bool may_command(Guid sender, SmEvent event) const;

  const SmContext& sm_;
  const ManagerList& managers_;
  const Standby& standby_;
};

}  // namespace weft
