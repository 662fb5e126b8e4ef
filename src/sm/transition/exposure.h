// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deadlock risk of a route update: the combined channel dependencies of old and new tables. They
// include those of packets that use old tables at some hops and new tables at others, and of
// multicast packets on the old or new trees. As in the verifier, packets are sent between CAs and
// between CAs and port 0 of switches, and replies use the SL of the request. Explained in
// docs/explanation/transitions.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/programming/held_tables.h"
#include "sm/transition/entry_times.h"
#include "sm/transition/transition.h"
#include "verify/dependencies.h"
#include "verify/path_sls.h"

namespace weft {

class ExposureChecker {
 public:
  /// Maximum number of table entries to trace.
  static constexpr std::uint64_t kEntriesMax = 16'000'000;

  /// `held`: the current tables of switches; `before`: the current SLs and SL2VL; `ops`: blocks to
  /// be written.
  ExposureChecker(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                  const RoutesBefore& before, std::span<const Op> ops, unsigned threads,
                  bool ignore_replies);

  /// Current or new multicast tables. First all obsolete ports are removed, then new ports are
  /// added (mft_blocks.h), so every intermediate state is a subset of the current or the new
  /// tables.
  enum class Trees : std::uint8_t { kOld, kNew };

  /// True if all old and new entries, unicast and multicast, lead up and then down with respect to
  /// the switches with hosts. No intermediate state then has a cycle on any VL. True on trees.
  /// Needs one pass over the tables.
  bool is_up_and_down() const;
  /// False if a switch in the cache may have multicast entries that were not read.
  bool has_trees() const { return has_trees_; }
  /// True if the tables have more than kEntriesMax entries.
  bool is_too_large() const;
  /// True if the current SLs are known.
  bool has_lanes() const { return before_.routes != nullptr; }
  /// True if packets may use other SLs or VLs after the update, or if the current SLs are unknown.
  bool lanes_change() const;
  /// The number of pairs of a switch with hosts and a LID that have a changed SL.
  std::uint64_t sl_changes() const;

  /// Channel dependencies of multicast packets of hosts. With `lanes_too` the packets use old and
  /// new SLs and maps, otherwise only old SLs and maps.
  DependencyGraph multicast_dependencies(Trees trees, bool lanes_too) const;

  /// LIDs of endports at switches with entries that the update changes.
  const std::vector<Lid>& changing_lids() const { return changing_; }
  /// Unicast dependencies of all other LIDs, on the old SLs and maps.
  DependencyGraph lasting_dependencies() const;

  /// The number of (channel, VL) pairs on cycles of the unicast dependencies of changing_lids(),
  /// together with `others` (null: none), on the old SLs and maps. All entries of a block are in
  /// the same state.
  std::uint64_t channels_on_cycles(std::span<const EntryState> blocks,
                                   const DependencyGraph* others) const;
  /// The same number during one round of an update.
  std::uint64_t channels_on_cycles(const EntryTimes& times, std::uint32_t round,
                                   const DependencyGraph* others) const;
  /// The same number for all LIDs with the new tables, on old and new SLs and maps.
  std::uint64_t channels_on_cycles_of_new_tables(const DependencyGraph* others) const;

 private:
  struct Scratch;
  struct Tree;
  struct Hops;
  bool trees_are_up_and_down(const Mfts& trees, std::span<const std::uint32_t> distance) const;
  bool group_sls_change() const;
  template <class Take>
  void each_lane(SwitchId at, PortNum in, PortNum out, std::uint8_t sl, bool lanes_too,
                 const Take& take) const;
  void flood(const Tree& tree, bool lanes_too, Scratch& scratch) const;
  Tree tree_of(Trees trees, Lid mlid, bool lanes_too) const;
  const Mfts& mfts(Trees trees) const { return trees == Trees::kOld ? old_trees_ : wanted_.mfts; }
  bool is_of_host(Lid lid) const;
  PortNum old_port(std::uint32_t sw, Lid lid) const;
  std::vector<Lid> find_changing(std::span<const Op> ops) const;
  template <class StateOf>
  void follow(Lid lid, const StateOf& state_of, bool lanes_too, Scratch& scratch) const;
  std::uint16_t own_vls(SwitchId at, Lid lid, bool of_host, bool lanes_too) const;
  template <class StateOf>
  void follow_on_lanes(Lid lid, const StateOf& state_of, bool lanes_too, Hops& hops,
                       DependencyGraph& graph) const;
  template <class StateOf>
  void follow_all(std::span<const Lid> lids, const StateOf& state_of, bool lanes_too,
                  DependencyGraph& graph) const;
  template <class StateOf>
  std::uint64_t count_on_cycles(std::span<const Lid> lids, const StateOf& state_of, bool lanes_too,
                                const DependencyGraph* others) const;
  bool has_one_map() const;
  unsigned find_vls() const;
  DependencyGraph no_dependencies() const;
  enum class From : std::uint8_t { kCas, kPort0 };
  PathSls::Mask sls(SwitchId source, Lid lid, bool lanes_too, From from) const;

  const Fabric& fabric_;
  const Routes& wanted_;
  const RoutesBefore before_;
  const std::span<const Op> ops_;
  const unsigned threads_;
  std::vector<const HeldTable*> held_;  // by switch
  std::vector<SwitchId> old_id_;        // by switch: SwitchId in the previous fabric
  std::optional<PathSls> old_sls_;      // SLs in the previous fabric
  const PathSls new_sls_;
  const Mfts old_trees_;
  const bool has_trees_;
  const bool keeps_lanes_;     // packets of an SL use one VL, the same before and after
  const unsigned vls_;         // VLs of the graphs
  std::vector<Lid> lids_;      // LIDs of endports at switches
  std::vector<Lid> changing_;  // LIDs of `lids_` with entries to be written
};

}  // namespace weft
