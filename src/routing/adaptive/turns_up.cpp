// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/turns_up.h"

#include <utility>
#include <vector>

namespace weft {
namespace {

/// A depth-first search over channels. A turn to a channel on the current path closes a cycle.
class TurnSearch {
 public:
  TurnSearch(const Fabric& fabric, std::span<const std::uint8_t> up,
             std::span<const std::uint8_t> turns_up)
      : fabric_(fabric), up_(up), turns_up_(turns_up), states_(fabric.channel_count(), kNew) {}

  /// Returns false if a cycle is reachable from a channel.
  bool search(std::uint32_t channel) {
    if (states_[channel] == kNew) open(channel);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      if (visit.next == visit.end) {
        states_[visit.channel] = kDone;
        visits_.pop_back();
        continue;
      }
      const std::uint32_t in = visit.channel;
      const std::uint32_t out = visit.next++;
      if (!has_turn(in, out)) continue;
      if (states_[out] == kOpen) return false;
      if (states_[out] == kNew) open(out);
    }
    return true;
  }

 private:
  enum State : std::uint8_t { kNew, kOpen, kDone };
  struct Visit {
    std::uint32_t channel = 0;
    std::uint32_t next = 0, end = 0;  // output channels to examine
  };

  void open(std::uint32_t channel) {
    states_[channel] = kOpen;
    const SwitchId at = fabric_.channel(ChannelId(channel)).to;
    const std::uint32_t first = fabric_.first_channel(at).value();
    const auto count = static_cast<std::uint32_t>(fabric_.channels_from(at).size());
    visits_.push_back({channel, first, first + count});
  }
  bool has_turn(std::uint32_t in, std::uint32_t out) const {
    return (up_[in] != 0 || up_[out] == 0 || turns_up_[in] != 0) &&
           fabric_.channel(ChannelId(out)).to != fabric_.channel(ChannelId(in)).from;
  }

  const Fabric& fabric_;
  const std::span<const std::uint8_t> up_, turns_up_;
  std::vector<State> states_;  // by channel
  std::vector<Visit> visits_;
};

}  // namespace

bool all_turns_are_acyclic(const Fabric& fabric, std::span<const std::uint8_t> up,
                           std::span<const std::uint8_t> turns_up) {
  TurnSearch turns(fabric, up, turns_up);
  for (std::uint32_t channel = 0; channel < turns_up.size(); ++channel)
    if (turns_up[channel] != 0 && !turns.search(channel)) return false;
  return true;
}

}  // namespace weft
