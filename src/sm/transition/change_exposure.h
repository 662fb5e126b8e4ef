// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deadlock risk of an update that changes few table entries. Packets far from changed entries take
// the same channels before, during and after the update. So only those near changed entries are
// followed, and added to the dependencies of the new routes, which the verifier found free of
// cycles. For static routes with one SL2VL map, if SLs and maps stay.
// docs/explanation/transitions.md explains.
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
  /// Nothing if it does not apply: the SLs, the map or the endports differ, old multicast tables
  /// are unknown, or many entries change. `proved`: dependencies of all unicast packets of
  /// `wanted`, without cycles. References must outlive it.
  static std::optional<ChangeExposure> of(const Fabric& fabric, const HeldTables& held,
                                          const Routes& wanted, const RoutesBefore& before,
                                          const DependencyGraph& proved, std::span<const Op> ops,
                                          unsigned threads, bool ignore_replies);

  /// True if no mixture of old and new entries has a cycle of dependencies: then every order is
  /// free of deadlock.
  bool is_safe_in_any_order() const;
  /// True if no round of this order has a cycle. Some of the dependencies that are counted may have
  /// ended, so that false may be wrong.
  bool is_safe_in(const TableOrder& order) const;

 private:
  /// An entry to write, with another port than the switch holds; kNoRoute if that is unknown.
  struct Entry {
    Lid lid;
    SwitchId sw;
    PortNum old, fresh;
  };
  /// Packets that hold one channel and wait for another, on the VLs of a bit mask.
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
  std::vector<std::size_t> begins_;  // of each LID in entries_, and their end
  std::vector<Wait> of_trees_;       // of multicast packets on the old trees
  PathSls sls_;
};

}  // namespace weft
