// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Criteria besides load for selecting a next hop to a LID: the active next hop, which stays while
// it is allowed; the other LIDs of the same port; and the order of next hops with equal load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/option_groups.h"
#include "routing/shapes/hop_dag.h"
#include "routing/tables/destinations.h"

namespace weft {

/// Rules a to d of LMC (current-routing, "LMC awareness"): 0: `to` belongs to a system that is not
/// among `used`, the neighbors of earlier LIDs of the port; 1: another node of such a system; 2:
/// one of `used`.
unsigned lmc_penalty(const Fabric& fabric, std::span<const std::uint32_t> used, std::uint32_t to);

class NextHopChoice {
 public:
  /// Both arguments must outlive this object.
  NextHopChoice(const Fabric& fabric, const SpreadOptions& options);

  /// To be called before the LIDs of a port, which are processed one after the other; begin_lid()
  /// before each LID.
  void begin(SwitchId destination, EndportId endport);
  void begin_lid(Lid lid) { lid_ = lid; }

  /// True if traffic to this port counts as load: false for switches and for the ports of -i.
  bool counted() const { return counted_; }
  /// True if only load and the order of next hops determine the selection, so that the fast path
  /// applies.
  bool by_load_alone() const {
    return !grouped_ && !scattered_ && !options_.port_shifting && !options_.previous;
  }
  bool scattered() const { return scattered_; }

  /// The active next hop, if it is still allowed.
  std::optional<std::size_t> kept(std::uint32_t sw, std::span<const std::uint32_t> channels) const;

  /// lmc_penalty() at a switch; 0 for a port with one LID.
  unsigned penalty(std::uint32_t sw, std::uint32_t to) const {
    return lmc_penalty(fabric_, used_[sw], to);
  }
  void use(std::uint32_t sw, std::uint32_t to);

  /// Rank among next hops of equal load; the lowest is selected.
  std::uint64_t turn(std::uint32_t sw, std::size_t next_hop, std::size_t next_hops,
                     std::uint32_t channel) const;

 private:
  const Fabric& fabric_;
  const SpreadOptions& options_;
  std::vector<bool> ignored_;        // by EndportId
  std::vector<bool> not_scattered_;  // by EndportId
  SwitchId destination_{};
  Lid lid_{};
  bool counted_ = false;
  bool grouped_ = false;
  bool scattered_ = false;
  std::vector<std::vector<std::uint32_t>>
      used_;  // by switch: neighbors used by earlier LIDs of the port
  std::vector<std::uint32_t> touched_;
};

/// Splits off the endports of a destination if all their table entries stay unchanged; other
/// endports are added to `rest`.
Destination split_unchanged(const Fabric& fabric, const Lfts& previous,
                            const Destination& destination, const HopDag& dag,
                            std::vector<Destination>& rest);

}  // namespace weft
