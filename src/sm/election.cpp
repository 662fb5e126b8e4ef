#include "sm/election.h"

#include <tuple>

namespace weft {
namespace {

constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

/// The best of those that `counts`; kNobody if there is none.
template <class Counts>
std::size_t best(std::span<const Contender> others, Counts counts) {
  std::size_t found = kNobody;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (counts(others[i]) && (found == kNobody || outranks(others[i], others[found]))) found = i;
  return found;
}

Judgement judge_as_master(const Contender& self, std::span<const Contender> others) {
  const auto ahead_in = [&](SmState state) {
    return best(others, [&](const Contender& c) { return c.state == state && outranks(c, self); });
  };
  // A better master first: if somebody is better still, it will hand over in its turn.
  for (const SmState state : {SmState::kMaster, SmState::kStandby})
    if (const std::size_t other = ahead_in(state); other != kNobody)
      return {Standing::kHandOver, other};
  const auto rival = best(others, [](const Contender& c) { return c.state == SmState::kMaster; });
  if (rival != kNobody) return {Standing::kAwaitHandover, rival};
  return {};
}

Judgement judge_as_newcomer(const Contender& self, std::span<const Contender> others) {
  auto other = best(others, [](const Contender& c) { return c.state == SmState::kMaster; });
  if (other == kNobody)
    other = best(others, [&](const Contender& c) {
      return c.state != SmState::kNotActive && outranks(c, self);
    });
  if (other == kNobody) return {};
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
    case SmEvent::kAcknowledge:  // once more, since our answer to the first was lost
      return SmState::kStandby;
    default:
      return std::nullopt;
  }
}

std::optional<SmState> from_master(SmEvent event) {
  switch (event) {
    case SmEvent::kNobodyAhead:
    case SmEvent::kSomebodyAhead:
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
      if (event == SmEvent::kNobodyAhead) return SmState::kMaster;
      if (event == SmEvent::kSomebodyAhead) return SmState::kStandby;
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

Judgement judge(const Contender& self, std::span<const Contender> others) {
  return self.state == SmState::kMaster ? judge_as_master(self, others)
                                        : judge_as_newcomer(self, others);
}

}  // namespace weft
