// All ways toward one destination switch that an engine allows, as a graph without cycles: for each
// switch the channels that it may send by, every one a hop nearer. What balancing chooses among
// these can never loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// The candidate channel of a switch, with what balancing wants to know of it.
struct Candidate {
  std::uint32_t channel;
  std::uint32_t to;  // SwitchId
};

class HopDag {
 public:
  static constexpr std::uint16_t kUnreached = 0xFFFF;

  /// From hops to the destination (kUnreached: no way) and a filter on channels; a channel is a
  /// candidate when it leads one hop nearer and `allowed(channel)`.
  template <class Allowed>
  void rebuild(const Fabric& fabric, std::span<const std::uint16_t> hops,
               std::span<const std::uint32_t> by_distance, const Allowed& allowed) {
    order_.clear();
    begin_.clear();
    candidates_.clear();
    for (const std::uint32_t s : by_distance) {
      order_.push_back(s);
      begin_.push_back(static_cast<std::uint32_t>(candidates_.size()));
      if (hops[s] == 0) continue;
      const SwitchId sw(s);
      std::uint32_t id = fabric.first_channel(sw).value();
      for (const Channel& channel : fabric.channels_from(sw)) {
        const std::uint32_t to = channel.to.value();
        if (hops[to] + 1 == hops[s] && allowed(channel)) candidates_.push_back({id, to});
        ++id;
      }
    }
    begin_.push_back(static_cast<std::uint32_t>(candidates_.size()));
  }

  /// Switches that have a way, nearest first; the destination itself is the first, without
  /// candidates.
  std::span<const std::uint32_t> order() const { return order_; }
  /// Of the i-th switch of order().
  std::span<const Candidate> candidates(std::size_t i) const {
    return std::span(candidates_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> begin_;
  std::vector<Candidate> candidates_;
};

}  // namespace weft
