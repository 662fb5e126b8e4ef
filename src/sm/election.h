// Who is the master among several subnet managers: the state machine that every manager runs for
// itself, and the ranking that all agree upon. Pure functions of states and events; the
// SubnetManager brings the events about and does what the new state asks for.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.4.1.
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

/// What moves a manager from state to state: what it found out by itself, and what others command
/// by SubnSet(SMInfo).
enum class SmEvent : std::uint8_t {
  kNobodyAhead,  // a look at the fabric found no master, and nobody of higher rank
  kSomebodyAhead,
  kMasterSilent,  // the master was polled in vain
  kHandover,
  kAcknowledge,
  kDisable,
  kStandby,
  kDiscover
};
inline constexpr std::size_t kSmEventCount = 8;

/// The state after the event; nothing where the event does not belong into the state, and a command
/// is refused. A master that finds somebody ahead stays master until its HANDOVER is acknowledged.
std::optional<SmState> next_state(SmState state, SmEvent event);

/// The event that a SubnSet(SMInfo) with this attribute modifier is; nothing if there is no such
/// command.
std::optional<SmEvent> event_of(std::uint32_t modifier);

/// "MASTER", "STANDBY", "DISCOVERING", "NOTACTIVE": the words of OpenSM's log.
std::string_view name(SmState state);

/// A manager as the election sees it.
struct Contender {
  std::uint8_t priority = 0;
  Guid guid;  // of its port
  Lid lid;    // 0: none yet
  SmState state = SmState::kNotActive;
  bool operator==(const Contender&) const = default;
};

/// True where `a` should be master rather than `b`: the higher priority, then the lower GUID. Two
/// ports that share a GUID, which must not be, are told apart by LID.
bool outranks(const Contender& a, const Contender& b);

/// What a manager that has looked at the fabric should do.
enum class Standing : std::uint8_t {
  kLead,           // be master
  kFollow,         // stand by, and watch the other
  kHandOver,       // a master's: the other should be master
  kAwaitHandover,  // a master's: the other is a master too, and should hand over to us
};
struct Judgement {
  Standing standing = Standing::kLead;
  std::size_t other = 0;  // index of whom it is about; nothing with kLead
  bool operator==(const Judgement&) const = default;
};

/// `self` is discovering or master. Others that are not active do not count.
Judgement judge(const Contender& self, std::span<const Contender> others);

}  // namespace weft
