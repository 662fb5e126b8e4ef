// What besides load decides between the ways of a switch to a LID: the way in force, which stays
// while it is allowed; the other LIDs of the same port; and who comes first among equals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/options.h"
#include "routing/shared/destinations.h"
#include "routing/shared/hop_dag.h"

namespace weft {

/// Rules a to d of LMC (current-routing, "LMC awareness"): 0: `to` is of a system that is not among
/// `used`, where earlier LIDs of the port went; 1: another node of such a system; 2: one of them.
unsigned lmc_distaste(const Fabric& fabric, std::span<const std::uint32_t> used, std::uint32_t to);

class WayChoice {
 public:
  /// Both must live as long as this.
  WayChoice(const Fabric& fabric, const RoutingOptions& options);

  /// The LIDs of a port come next, all those behind one switch; then each LID by itself.
  void begin(SwitchId destination, EndportId endport);
  void begin_lid(Lid lid) { lid_ = lid; }

  /// Is traffic to this port counted as load? Not that to switches, nor to ports of -i.
  bool counted() const { return counted_; }
  /// Nothing but load and the order of ways decides: the fast path will do.
  bool by_load_alone() const {
    return !grouped_ && !scattered_ && !options_.port_shifting && !options_.previous;
  }
  bool scattered() const { return scattered_; }

  /// The way in force, where it is still one.
  std::optional<std::size_t> kept(std::uint32_t sw, std::span<const std::uint32_t> channels) const;

  /// lmc_distaste() at a switch; 0 for a port with one LID.
  unsigned distaste(std::uint32_t sw, std::uint32_t to) const {
    return lmc_distaste(fabric_, used_[sw], to);
  }
  void use(std::uint32_t sw, std::uint32_t to);

  /// Among equals the way of the least turn is taken.
  std::uint64_t turn(std::uint32_t sw, std::size_t way, std::size_t ways,
                     std::uint32_t channel) const;

 private:
  const Fabric& fabric_;
  const RoutingOptions& options_;
  std::vector<bool> ignored_;        // by EndportId
  std::vector<bool> not_scattered_;  // by EndportId
  SwitchId destination_{};
  Lid lid_{};
  bool counted_ = false;
  bool grouped_ = false;
  bool scattered_ = false;
  std::vector<std::vector<std::uint32_t>> used_;  // by switch: where earlier LIDs of the port went
  std::vector<std::uint32_t> touched_;
};

/// Splits off the endports of a destination all of whose tables stay as they are; the others are
/// added to `rest`.
Destination staying(const Fabric& fabric, const Lfts& previous, const Destination& destination,
                    const HopDag& dag, std::vector<Destination>& rest);

}  // namespace weft
