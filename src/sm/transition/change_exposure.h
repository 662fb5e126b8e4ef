// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deadlock risk of an update that changes few table entries. Packets that never reach changed
// entries use the same channels before, during and after the update. So only packets near changed
// entries are traced, and added to the dependencies of the new routes, in which the verifier found
// no cycles. Applies to static routes with one SL2VL map, if SLs and maps stay unchanged. Explained
// in docs/explanation/transitions.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"
#include "sm/transition/entry_times.h"
#include "sm/transition/table_order.h"
#include "sm/transition/transition.h"
#include "verify/dependencies.h"
#include "verify/path_sls.h"

namespace weft {

class ChangeExposure {
 public:
  /// None for adaptive routes and SL2VL maps by port; none if the SLs, the SL2VL map or the
  /// endports differ, the old routes or multicast tables are unknown, multicast packets use a VL
  /// that is not in `proved`, or many entries change. `proved`: dependencies of all unicast packets
  /// of `wanted`, which have no cycles. References must outlive the object.
  static std::optional<ChangeExposure> of(const Fabric& fabric, const HeldTables& held,
                                          const Routes& wanted, const RoutesBefore& before,
                                          const DependencyGraph& proved, std::span<const Op> ops,
                                          unsigned threads, bool ignore_replies);

  /// True if no mixture of old and new entries has a cycle of dependencies. Every order is then
  /// deadlock-free.
  bool is_safe_in_any_order() const;
  /// True if no round of this order has a cycle. May be false for an order without cycles, because
  /// some counted dependencies may have ended before the round.
  bool is_safe_in(const TableOrder& order) const;

 private:
  /// An entry to be written, with another port than the current port; kNoRoute if the current port
  /// is unknown.
  struct Entry {
    Lid lid;
    SwitchId sw;
    PortNum old, fresh;
  };
  /// Channel dependency: packets hold one channel and wait for another, on the VLs of a bit mask.
  struct Wait {
    ChannelId held, wanted;
    std::uint64_t vls;
  };
  class Flow;

  ChangeExposure(const Fabric& fabric, const Routes& wanted, const DependencyGraph& proved,
                 std::vector<Entry> entries, std::vector<Wait> of_trees, unsigned threads,
                 bool ignore_replies);
  static std::vector<Entry> entries_to_write(const Fabric& fabric, const HeldTables& held,
                                             const Lfts& wanted, std::span<const Op> ops);
  static std::optional<std::vector<Wait>> waits_of_trees(const Fabric& fabric, const Mfts& trees,
                                                         const Routes& before, const Routes& wanted,
                                                         unsigned vls);
  template <class Body>
  void each_lid(Flow& flow, const Body& body) const;
  template <class StateOf>
  bool is_acyclic(DependencyGraph graph, const StateOf& state_of) const;
  DependencyGraph lasting_dependencies() const;
  bool is_written(SwitchId sw, Lid lid) const;

  const Fabric& fabric_;
  const Routes& wanted_;
  const DependencyGraph& proved_;
  std::vector<Entry> entries_;       // by LID, then by switch
  std::vector<std::size_t> begins_;  // first index of each LID in entries_, and the end
  std::vector<Wait> of_trees_;       // dependencies of multicast packets on the old trees
  PathSls sls_;
};

}  // namespace weft
