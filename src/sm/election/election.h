// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Election of the master among several subnet managers: the SMInfo state machine and the ranking of
// managers. Pure functions of states and events; Mastership generates the events and acts on the
// new state. The rank of a manager is its place in the election: see outranks(). Source: InfiniBand
// Architecture Specification, volume 1, chapter 14.4.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ib/ids.h"
#include "ib/sm_info.h"

namespace weft {

/// Causes of a state change: results of the manager's own discovery and polls, and SubnSet(SMInfo)
/// commands of other managers.
enum class SmEvent : std::uint8_t {
  kNoHigherRank,  // elect() selected kBeMaster
  kHigherRank,
  kMasterSilent,  // polls of the master failed: no answer, or an answer in another state
  kHandover,
  kAcknowledge,
  kDisable,
  kStandby,
  kDiscover
};
inline constexpr std::size_t kSmEventCount = 8;

/// The state after the event. None if the event is invalid in the state; the command that caused
/// the event is then refused. A master that finds a manager of higher rank stays master until that
/// manager acknowledges the HANDOVER.
std::optional<SmState> next_state(SmState state, SmEvent event);

/// The event of a SubnSet(SMInfo) with this attribute modifier; none for an unknown modifier.
std::optional<SmEvent> event_of(std::uint32_t modifier);

/// "MASTER", "STANDBY", "DISCOVERING", "NOTACTIVE": as in OpenSM's log.
std::string_view name(SmState state);

/// The attributes of a manager that decide the election.
struct Contender {
  std::uint8_t priority = 0;
  Guid guid;  // GUID of its port
  Lid lid;    // 0: not assigned yet
  SmState state = SmState::kNotActive;
  bool operator==(const Contender&) const = default;
};

/// True if `a` should be master rather than `b`: higher priority, then lower GUID, then lower LID
/// (equal GUIDs are an error of the subnet).
bool outranks(const Contender& a, const Contender& b);

/// Result of the election for a manager: what the manager must do after discovery.
enum class Standing : std::uint8_t {
  kBeMaster,       // become or stay master
  kFollow,         // become standby and poll the other manager
  kHandOver,       // as master, hand over to the other manager
  kAwaitHandover,  // the other manager is also master, and should hand over
};
struct ElectionResult {
  Standing standing = Standing::kBeMaster;
  std::size_t other = 0;  // index of the other manager; unused with kBeMaster
  bool operator==(const ElectionResult&) const = default;
};

/// Selects what `self`, which is discovering or master, must do. Managers in NOTACTIVE are ignored;
/// a master also ignores managers that are discovering.
ElectionResult elect(const Contender& self, std::span<const Contender> others);

}  // namespace weft
