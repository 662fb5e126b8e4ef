// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// For each pair of switches, the steps of a chain that route the packets between their endports:
// one step, or several steps. A connection uses one SL in both directions, so a pair includes the
// packets of both directions, unless replies are ignored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "routes/next_hops.h"
#include "routing/chain/placed.h"
#include "routing/tables/destinations.h"

namespace weft {

class ChainPairs {
 public:
  /// Several steps, a hop without a step, or a pair of split_pair().
  static constexpr std::uint8_t kSeveral = 0xFE;
  static constexpr std::uint8_t kUnused = 0xFF;  // no packet arrives over a link between switches

  ChainPairs(const Fabric& fabric, const Owners& owners, const Lfts& lfts, bool ignore_replies);

  /// The index of the step that routes every packet of the pair; or kSeveral, or kUnused.
  std::uint8_t step_of(SwitchId from, SwitchId to) const {
    return step_[index(from.value(), to.value())];
  }
  void split_pair(SwitchId from, SwitchId to) { step_[index(from.value(), to.value())] = kSeveral; }

  /// Calls body(from, to) once for every pair that is not kUnused; pairs are unordered, or ordered
  /// if replies are ignored.
  template <class Body>
  void each(const Body& body) const {
    for (std::uint32_t a = 0; a < fabric_.switch_count(); ++a)
      for (std::uint32_t b = one_direction_ ? 0 : a + 1; b < fabric_.switch_count(); ++b)
        if (step_[index(a, b)] != kUnused) body(SwitchId(a), SwitchId(b));
  }
  /// Calls body(endport, lid) for the LIDs at `to` that receive packets from endports at `from`.
  /// Packets between port 0 of two switches are ignored.
  template <class Body>
  void each_lid(SwitchId from, SwitchId to, const Body& body) const {
    const auto lids = [&](const Endport& endport) {
      for (unsigned offset = 0; offset < lid_count(endport); ++offset)
        body(endport, lid_at(endport, offset));
    };
    for (const EndportId id : fabric_.endports_at(to)) lids(fabric_.endport(id));
    if (!fabric_.endports_at(from).empty()) lids(fabric_.endport(Fabric::endport_of(to)));
  }
  /// Sets `channels` to the channels of the path between switches; empty if the destination is
  /// unreachable.
  void find_path(SwitchId from, SwitchId to, Lid lid, std::vector<std::uint32_t>& channels) const;

  bool one_direction() const { return one_direction_; }
  std::size_t index(std::uint32_t a, std::uint32_t b) const {
    if (!one_direction_ && a > b) std::swap(a, b);
    return std::size_t{a} * fabric_.switch_count() + b;
  }

 private:
  void add(const Endport& to, Lid lid, const Owners& owners, const NextHops& hops,
           std::vector<std::uint8_t>& step);

  const Fabric& fabric_;
  const Lfts& lfts_;
  const bool one_direction_;
  const PortMap map_;
  std::vector<std::uint8_t> step_;   // by pair
  std::vector<std::uint32_t> path_;  // temporary list of add()
};

}  // namespace weft
