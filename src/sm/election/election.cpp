// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/election.h"

#include <tuple>

namespace weft {
namespace {

constexpr std::size_t kNoManager = static_cast<std::size_t>(-1);

/// The contender of the highest rank that satisfies `counts`; kNoManager if there is none.
template <class Counts>
std::size_t best(std::span<const Contender> others, Counts counts) {
  std::size_t found = kNoManager;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (counts(others[i]) && (found == kNoManager || outranks(others[i], others[found]))) found = i;
  return found;
}

ElectionResult elect_as_master(const Contender& self, std::span<const Contender> others) {
  const auto ahead_in = [&](SmState state) {
    return best(others, [&](const Contender& c) { return c.state == state && outranks(c, self); });
  };
  // A master of higher rank is selected before a standby of higher rank: that master hands over to
  // the standby.
  for (const SmState state : {SmState::kMaster, SmState::kStandby})
    if (const std::size_t other = ahead_in(state); other != kNoManager)
      return {Standing::kHandOver, other};
  const auto other_master =
      best(others, [](const Contender& c) { return c.state == SmState::kMaster; });
  if (other_master != kNoManager) return {Standing::kAwaitHandover, other_master};
  return {};
}

ElectionResult elect_as_discovering(const Contender& self, std::span<const Contender> others) {
  auto other = best(others, [](const Contender& c) { return c.state == SmState::kMaster; });
  if (other == kNoManager)
    other = best(others, [&](const Contender& c) {
      return c.state != SmState::kNotActive && outranks(c, self);
    });
  if (other == kNoManager) return {};
  return {Standing::kFollow, other};
}

std::optional<SmState> from_standby(SmEvent event) {
  switch (event) {
    case SmEvent::kMasterSilent:
    case SmEvent::kDiscover:
      return SmState::kDiscovering;
    case SmEvent::kHandover:
      return SmState::kMaster;
    case SmEvent::kDisable:
      return SmState::kNotActive;
    case SmEvent::kAcknowledge:  // repeated, because the response was lost
      return SmState::kStandby;
    default:
      return std::nullopt;
  }
}

std::optional<SmState> from_master(SmEvent event) {
  switch (event) {
    case SmEvent::kNoHigherRank:
    case SmEvent::kHigherRank:
    case SmEvent::kHandover:
      return SmState::kMaster;
    case SmEvent::kAcknowledge:
      return SmState::kStandby;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<SmState> next_state(SmState state, SmEvent event) {
  switch (state) {
    case SmState::kNotActive:
      if (event == SmEvent::kStandby) return SmState::kStandby;
      return std::nullopt;
    case SmState::kDiscovering:
      if (event == SmEvent::kNoHigherRank) return SmState::kMaster;
      if (event == SmEvent::kHigherRank) return SmState::kStandby;
      return std::nullopt;
    case SmState::kStandby:
      return from_standby(event);
    case SmState::kMaster:
      return from_master(event);
  }
  return std::nullopt;
}

std::optional<SmEvent> event_of(std::uint32_t modifier) {
  switch (static_cast<SmCommand>(modifier)) {
    case SmCommand::kHandover:
      return SmEvent::kHandover;
    case SmCommand::kAcknowledge:
      return SmEvent::kAcknowledge;
    case SmCommand::kDisable:
      return SmEvent::kDisable;
    case SmCommand::kStandby:
      return SmEvent::kStandby;
    case SmCommand::kDiscover:
      return SmEvent::kDiscover;
  }
  return std::nullopt;
}

std::string_view name(SmState state) {
  constexpr std::array<std::string_view, 4> kNames{"NOTACTIVE", "DISCOVERING", "STANDBY", "MASTER"};
  return kNames[static_cast<std::size_t>(state)];
}

bool outranks(const Contender& a, const Contender& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  const auto lid = [](const Contender& c) { return c.lid == kLidNone ? 0x10000u : c.lid.value(); };
  return std::tuple(a.guid, lid(a)) < std::tuple(b.guid, lid(b));
}

ElectionResult elect(const Contender& self, std::span<const Contender> others) {
  return self.state == SmState::kMaster ? elect_as_master(self, others)
                                        : elect_as_discovering(self, others);
}

}  // namespace weft
