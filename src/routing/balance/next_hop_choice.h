// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Criteria besides load for the selection of a next hop to a LID: the active next hop, which is
// kept if it is still possible; the next hops of other LIDs of the same port; the order of next
// hops with equal load.
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

/// Rules a to d of LMC (OpenSM, current-routing.txt, "LMC awareness"). `used`: the next hops of
/// earlier LIDs of the port. Returns 0 if no switch of `used` belongs to the system of `to`; 1 if
/// another switch of that system is in `used`; 2 if `to` is in `used`.
unsigned lmc_penalty(const Fabric& fabric, std::span<const std::uint32_t> used, std::uint32_t to);

class NextHopChoice {
 public:
  /// Both arguments must outlive this object.
  NextHopChoice(const Fabric& fabric, const SpreadOptions& options);

  /// begin() must be called before the LIDs of a port, which are processed one after another, and
  /// begin_lid() before each LID.
  void begin(SwitchId destination, EndportId endport);
  void begin_lid(Lid lid) { lid_ = lid; }

  /// Whether traffic to this port counts as load; false for port 0 of switches and for the ports in
  /// `options.ignored` (option -i).
  bool is_load() const { return counted_; }
  /// Whether only load and the order of next hops determine the selection. Then a faster function
  /// can be used.
  bool is_by_load_alone() const {
    return !grouped_ && !scattered_ && !options_.port_shifting && !options_.previous;
  }
  /// Whether the next hops of the port are selected at random among next hops of equal load
  /// (scatter_ports).
  bool is_scattered() const { return scattered_; }

  /// The index of the active next hop in `channels`; nullopt without active tables, or if
  /// `channels` does not contain the active next hop.
  std::optional<std::size_t> kept(std::uint32_t sw, std::span<const std::uint32_t> channels) const;

  /// lmc_penalty() at a switch; 0 for a port with one LID.
  unsigned penalty(std::uint32_t sw, std::uint32_t to) const {
    return lmc_penalty(fabric_, used_[sw], to);
  }
  /// Records `to` as the next hop of a switch, for penalty() of later LIDs of the port.
  void use(std::uint32_t sw, std::uint32_t to);

  /// Sort key among next hops of equal penalty and load; the next hop with the lowest key is
  /// selected.
  std::uint64_t order_key(std::uint32_t sw, std::size_t next_hop, std::size_t next_hops,
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
      used_;  // by switch: next hops of earlier LIDs of the port
  std::vector<std::uint32_t> touched_;
};

/// Returns the endports of a destination with table entries that can all stay unchanged; adds the
/// other endports to `rest`.
Destination split_unchanged(const Fabric& fabric, const Lfts& previous,
                            const Destination& destination, const HopDag& dag,
                            std::vector<Destination>& rest);

}  // namespace weft
