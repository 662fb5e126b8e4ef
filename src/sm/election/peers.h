// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which of the other managers this one trusts, and to which ports it shows the SM_Key. Every port
// can claim to run a manager of any priority, and ask for SMInfo.
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
  /// All must outlive this.
  Peers(const SmContext& sm, const ManagerList& managers, const Standby& standby)
      : sm_(sm), managers_(managers), standby_(standby) {}

  /// A manager may run on this port: allowed_sm_guids has it, or is empty.
  bool is_allowed(Guid port) const;
  /// Why a manager that answered is left out of the election: its port is not allowed, or its
  /// SMInfo has the GUID of another port. Empty: it counts.
  std::string exclusion(const OtherManager& other) const;
  SmKey own_key() const { return SmKey(sm_.options.sm_key); }
  /// It has this manager's SM_Key: it may get a HANDOVER, or be expected to send one.
  bool shows_key(const SmInfo& info) const { return info.key == own_key(); }
  /// It has a third key. A manager that shows key 0 may have the same one.
  bool has_another_key(const SmInfo& info) const {
    return info.key != SmKey(0) && !shows_key(info);
  }

  /// GUID of the port that sent a request, by the path that it arrived on, or by its LID; none if
  /// the last discovery has no such port.
  std::optional<Guid> sender_of(const Smp& request) const;
  /// The SM_Key in an answer to that port, 0 for one that need not know it: the key goes to the
  /// ports of allowed_sm_guids; if there are none, to managers that showed it. The public key goes
  /// to all, since OpenSM ignores a manager that does not show it: both would become master.
  SmKey key_for(std::optional<Guid> port) const;
  /// Why a SubnSet(SMInfo) with this event is refused, whatever the state of this manager; empty:
  /// it is not. With sm_key 0 and no list, every sender may command, as `sminfo` does.
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
