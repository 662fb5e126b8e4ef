// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random attacks by kind, drawn from a seed, for `attack` and bench/flood_load.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "attacked_subnet.h"
#include "base/rng.h"

namespace weft::attacks {

enum class Attack : std::uint8_t {
  kTrap,          // a trap with any notice
  kLinkState,     // trap 128 about any LID, other details random
  kPortErrors,    // traps 129 to 131 about any port
  kPriority,      // trap 144 about a new priority of a manager
  kSmInfo,        // Get and Set of SMInfo
  kPath,          // Get(PathRecord)
  kTable,         // GetTable of one of 12 attributes, never acknowledged
  kJoin,          // joins and creates groups, for the attacker's port or another port
  kLeave,         // leaves groups, for the attacker's port or another port
  kService,       // sets and deletes services
  kSubscription,  // InformInfo
  kAlias,         // sets and deletes alias GUIDs of any port
  kUnfinished,    // only the first segment of a request of several segments
  kRmpp,          // ACK, STOP, ABORT and DATA without a transfer
  kSaBytes,       // random bytes to the SA
  kSmpBytes,      // random bytes to the manager
};
inline constexpr std::size_t kAttacks = 16;
std::string_view name(Attack attack);

class Mix {
 public:
  Mix(AttackedSubnet& subnet, std::uint64_t seed) : subnet_(subnet), rng_(seed) {}

  /// Sends one MAD of this kind.
  void send(Host& attacker, Attack attack);
  /// Sends `count` MADs, each of a kind drawn from the list.
  void send(Host& attacker, std::span<const Attack> kinds, unsigned count);

 private:
  void send_to_manager(Host& attacker, Attack attack);
  Gmp request_to_sa(Host& attacker, Attack attack);
  Notice notice(Host& attacker, Attack attack);
  McMemberRecord member(Host& attacker);
  Gmp any_rmpp(Host& attacker);
  Gmp any_bytes(Host& attacker);
  Lid any_lid();
  unsigned any_host();

  AttackedSubnet& subnet_;
  Rng rng_;
};

}  // namespace weft::attacks
