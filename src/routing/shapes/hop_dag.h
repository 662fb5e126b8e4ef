// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All next hops toward one destination switch that an engine allows, as an acyclic graph: for each
// switch its candidate channels, each to a switch with fewer hops to the destination. So no
// selection among the candidates has a forwarding loop.
//
// Switches with equal hops and equally many next hops form a group, so that loops over a group are
// uniform. Switches with the same switches as next hops, such as the leaves of a pod, form a group
// of their own, so that data of the next hops is read once for the group.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

class HopDag {
 public:
  static constexpr std::uint16_t kUnreached = 0xFFFF;

  struct Group {
    std::uint32_t begin = 0;  // members, as positions in members()
    std::uint32_t end = 0;
    std::uint32_t next_hops = 0;  // next hops of each member
    bool alike = false;           // all members have the same neighbors as next hops
  };
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t next_hop = 0;  // first next hop, as index into channels() and targets()
    std::uint32_t first = 0;     // channel of that next hop
  };

  /// Sorts next hops by `rank` (by channel), then by channel id, instead of by id alone. Applies
  /// until the next call; the span must remain valid.
  void prefer(std::span<const std::uint8_t> rank) { rank_ = rank; }
  bool by_channel() const { return rank_.empty(); }
  /// After this call, members of equal hops keep the order in which they were added, or are placed
  /// after the first member with the same targets.
  void keep_order() { keeps_order_ = true; }

  /// To build the DAG, call start(). Then call, for each switch with a next hop, in any order,
  /// add_switch(), and add_next_hop() for each of its channels by ascending id. Then call finish().
  void start(SwitchId destination);
  void add_switch(std::uint32_t sw, std::uint32_t hops) {
    drafts_.push_back({sw, hops, next_hops_});
  }
  void add_next_hop(std::uint32_t channel, std::uint32_t to) {
    if (next_hops_ == channels_.size()) make_room(1);
    channels_[next_hops_] = channel;
    to_[next_hops_++] = to;
  }
  /// Adds the channels of [begin, end) for which is_next_hop(channel, to) is true, without a
  /// branch.
  template <class IsNextHop>
  void add_next_hops(std::uint32_t begin, std::uint32_t end, std::span<const std::uint32_t> heads,
                     const IsNextHop& is_next_hop) {
    const auto nth = [begin](std::uint32_t i) { return begin + i; };
    add_those(end - begin, nth, heads.subspan(begin).data(), is_next_hop);
  }
  /// As the function above, for a list of channels with their heads.
  template <class IsNextHop>
  void add_next_hops(std::span<const std::uint32_t> from, std::span<const std::uint32_t> heads,
                     const IsNextHop& is_next_hop) {
    const auto nth = [all = from.data()](std::uint32_t i) { return all[i]; };
    add_those(static_cast<std::uint32_t>(from.size()), nth, heads.data(), is_next_hop);
  }
  void finish();
  /// A read-only copy without the memory for building.
  HopDag finished() const;

  SwitchId destination() const { return destination_; }
  /// Hop count of the farthest switch.
  std::uint32_t depth() const { return depth_; }
  /// Nearest first: next hops of a group are the destination or members of earlier groups.
  std::span<const Group> groups() const { return groups_; }
  std::span<const Member> members() const { return members_; }
  /// The neighbors of the next hops, by ascending channel or preference.
  std::span<const std::uint32_t> targets(const Group& group, const Member& member) const {
    return std::span(to_).subspan(member.next_hop, group.next_hops);
  }
  std::span<const std::uint32_t> channels(const Group& group, const Member& member) const {
    return std::span(channels_).subspan(member.next_hop, group.next_hops);
  }
  /// Targets and channels of all members; Member::next_hop is the index of each member's first.
  /// Elements behind those of all members are meaningless.
  std::span<const std::uint32_t> targets() const { return to_; }
  std::span<const std::uint32_t> channels() const { return channels_; }

 private:
  struct Draft {
    std::uint32_t sw;
    std::uint32_t hops;
    std::uint32_t next_hop;
  };
  /// Switches with the same hops and the same targets.
  struct Lead {
    std::uint32_t hops;
    std::uint32_t next_hop;
    std::uint32_t next_hops;
    std::uint32_t members;
  };
  void make_room(std::uint32_t next_hops) {
    if (next_hops_ + next_hops > channels_.size()) grow(next_hops_ + next_hops);
  }
  template <class Nth, class IsNextHop>
  void add_those(std::uint32_t count, const Nth& nth, const std::uint32_t* heads,
                 const IsNextHop& is_next_hop) {
    make_room(count);
    // Local copies, so that the compiler need not reload the pointers after each store.
    std::uint32_t* const channels = channels_.data();
    std::uint32_t* const to = to_.data();
    std::uint32_t next_hops = next_hops_;
    for (std::uint32_t i = 0; i < count; ++i) {
      channels[next_hops] = nth(i);
      to[next_hops] = heads[i];
      next_hops += is_next_hop(nth(i), heads[i]) ? 1 : 0;
    }
    next_hops_ = next_hops;
  }
  void grow(std::size_t least);
  void sort_next_hops(std::uint32_t begin, std::uint32_t end);
  std::uint32_t next_hops_of(std::uint32_t draft) const {
    return (draft + 1 < drafts_.size() ? drafts_[draft + 1].next_hop : next_hops_) -
           drafts_[draft].next_hop;
  }
  std::uint32_t count_kinds();
  void group_by_count(std::uint32_t width);
  void group_by_targets();
  std::uint32_t lead_of(std::uint32_t draft, std::uint32_t level_begin);

  SwitchId destination_{};
  std::uint32_t depth_ = 0;
  std::span<const std::uint8_t> rank_;
  bool keeps_order_ = false;
  std::vector<Draft> drafts_;
  std::uint32_t next_hops_ = 0;          // used length of channels_ and to_
  std::vector<std::uint32_t> channels_;  // never shrink
  std::vector<std::uint32_t> to_;
  std::vector<Group> groups_;
  std::vector<Member> members_;
  std::uint32_t skipped_comparisons_ = 0;  // remaining DAGs before switches are compared again
  // Scratch of finish().
  std::vector<std::uint32_t> sorted_drafts_;  // by hops
  std::vector<std::uint32_t> kind_;           // by draft
  std::vector<std::uint32_t> begin_;          // by kind
  std::vector<std::uint32_t> lead_of_;        // by draft
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_;
  std::vector<Lead> leads_;
  std::vector<std::uint32_t> table_;  // open hash table of leads
};

/// The heads of all channels in a dense array, since engines read them for every destination.
std::vector<std::uint32_t> channel_heads(const Fabric& fabric);

}  // namespace weft
