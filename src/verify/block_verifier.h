// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies many LIDs at once, for forwarding tables without adaptive routing and one SL2VL map that
// drops nothing. Sets of LIDs are words of 64 bits; each table entry is looked up once, however
// many paths include it.
//   The LIDs of packets between CAs that pass a switch spread along the next hops until no set
//   grows; each (switch, LID) pair that is added gives one dependency.
//   All packets arrive if all entries for a LID have a next hop (at the LID's own switch: the port
//   of the owner), and the dependencies of packets from all switches have no cycle: a forwarding
//   loop would be a cycle of dependencies. For a LID of a switch, switches without CAs may lack a
//   next hop if no other switch sends to them. Other LIDs are followed switch by switch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/hop_map.h"
#include "verify/lid_ends.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"

namespace weft {

/// The graphs to which BlockVerifier adds dependencies.
struct BlockDependencies {
  Dependencies& of_traffic;
  /// Packets of all switches to LIDs of switches, on one VL. Packets of switches without CAs are
  /// not traffic.
  DependencyGraph& to_switches;
};

/// One object per task. All arguments must outlive the object.
class BlockVerifier {
 public:
  /// Number of LFT blocks that are verified at once.
  static constexpr std::size_t kBlocks = 8;

  /// Whether BlockVerifier can verify these routes.
  static bool applies(const Routes& routes, const Common& common);

  BlockVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                const PathSls& sls, const HopMap& map, const BlockDependencies& dependencies);

  /// Counts packets and adds dependencies for the LIDs of consecutive LFT blocks, one for each
  /// tally and at most kBlocks. The counts of LIDs of CAs are valid only if the dependencies of
  /// traffic on all blocks have no cycle, the counts of LIDs of switches only if `to_switches` has
  /// no cycle.
  void verify(std::size_t first_block, std::size_t failures_max, std::span<LidTally> tallies);

 private:
  static constexpr std::size_t kLids = kBlocks * kLftBlock;
  using Word = std::uint64_t;

  void find_owners(std::size_t blocks);
  void load_next_hops();
  void load_next_hops_of(std::uint32_t s, std::size_t blocks);
  void note_missing(std::uint32_t s);
  void check_entries();
  void count(std::size_t failures_max, std::span<LidTally> tallies);
  std::span<const LidEnd> find_ends(std::size_t i);
  template <class Follow>
  void spread(const Follow& follow);
  void follow_on_one_lane();
  void start_on_one_lane();
  template <bool kSpread>
  void follow_word(std::uint32_t s, std::size_t word, Word lids, DependencyGraph::Marker marker);
  void follow_to_switches();
  template <class Pair>
  void follow_on_lanes();
  void find_runs();
  template <class Pair>
  void start_on_lanes(std::vector<Pair>& lanes);
  /// Consecutive LIDs with packets to one switch.
  struct Run {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::array<Word, kBlocks> lids{};  // the same LIDs as bits
  };
  template <class Pair>
  void start_run(std::uint32_t s, const Run& run, Pair* row);
  template <class Pair>
  void follow_lanes_of(std::uint32_t s, std::size_t word, Word lids, std::vector<Pair>& lanes);
  bool is_only_owner(std::uint32_t s, std::size_t i) const;
  std::uint8_t* row(std::uint32_t s) { return hops_.data() + s * kLids; }
  Lid lid(std::size_t i) const { return Lid(static_cast<std::uint16_t>(first_lid_ + i)); }

  const Fabric& fabric_;
  const Routes& routes_;
  const Common& common_;
  const PathSls& sls_;
  const HopMap& map_;
  const BlockDependencies dependencies_;
  const std::uint32_t switches_;
  std::array<std::uint16_t, kSlCount> lane_of_sl_{};  // bit mask with one bit

  std::size_t first_lid_ = 0;
  std::vector<EndportId> owner_;         // by LID of the blocks
  std::vector<SwitchId> at_;             // the owner's switch; kNoSwitch: no packets
  Word to_ca_[kBlocks] = {};             // LIDs of CAs that have packets
  Word to_switch_[kBlocks] = {};         // LIDs of switches that have packets
  Word followed_[kBlocks] = {};          // LIDs to be followed switch by switch
  std::vector<std::uint8_t> has_owner_;  // by switch: has the owner of one of the LIDs
  std::vector<std::uint8_t> has_cas_;    // by switch
  std::vector<std::uint8_t> hops_;       // by switch and LID: the next hop
  // By LID: number of switches with and without CAs that have no next hop, without the LID's
  // switch.
  std::uint16_t missing_with_cas_[kLids] = {};
  std::uint16_t missing_without_[kLids] = {};
  std::vector<Run> runs_;
  std::vector<Word> passing_;  // by switch and word: LIDs of packets that pass
  std::vector<Word> done_;     // LIDs of passing_ that were followed
  // By switch and LID: VLs of packets.
  std::tuple<std::vector<std::uint16_t>, std::vector<std::uint32_t>> lanes_;
  LidEnds ends_;
};

}  // namespace weft
