// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adds switches with their selected arcs to a HopDag, which requires the channels of each switch in
// ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/shapes/hop_dag.h"

namespace weft::nue {

class DagFiller {
 public:
  /// `arcs` must outlive this object.
  explicit DagFiller(const Arcs& arcs) : arcs_(arcs), selected_(arcs.count() + std::size_t{1}, 0) {}

  /// Adds the switch with all channels of the selected arcs, which leave it.
  void add(std::uint32_t sw, std::uint32_t hops, std::span<const std::uint32_t> selected,
           HopDag& dag) {
    // Marking channels and iterating over all of them needs no sorting, and so no unpredictable
    // branch.
    std::uint8_t* const marks = selected_.data();
    const std::uint32_t* const arc_of = arcs_.arc_of_channel.data();
    for (const std::uint32_t arc : selected) marks[arc] = 1;
    dag.add_switch(sw, hops);
    dag.add_next_hops(
        arcs_.first_channel[sw], arcs_.first_channel[sw + 1], arcs_.channel_head,
        [=](std::uint32_t channel, std::uint32_t) { return marks[arc_of[channel]] != 0; });
    for (const std::uint32_t arc : selected) marks[arc] = 0;
  }

 private:
  const Arcs& arcs_;
  std::vector<std::uint8_t> selected_;  // by arc, plus the end for channels without an arc
};

}  // namespace weft::nue
