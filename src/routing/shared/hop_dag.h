// All ways toward one destination switch that an engine allows, as a graph without cycles: for each
// switch the channels that it may send by, every one to a switch of fewer hops. What balancing
// chooses among these can never loop.
//
// Switches of equal hops whose ways lead to the same switches make a group: the leaves of a pod,
// for example. What lies behind their ways is then looked up once for all of them.
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
    std::uint32_t to = 0;  // of the first way, as position in the list of targets
    std::uint32_t ways = 0;
  };
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t way = 0;    // of the first way, as position in the list of channels
    std::uint32_t first = 0;  // its channel
  };

  /// Ways are listed by this rank (by channel, then by id) rather than by id alone. Stays in force;
  /// what it points to must live as long.
  void prefer(std::span<const std::uint8_t> rank) { rank_ = rank; }
  bool by_channel() const { return rank_.empty(); }

  /// Building: start, then for each switch that has a way, in any order, add_switch and add_way for
  /// each of its channels by ascending id, then finish.
  void start(SwitchId destination);
  void add_switch(std::uint32_t sw, std::uint32_t hops) { drafts_.push_back({sw, hops, ways_}); }
  void add_way(std::uint32_t channel, std::uint32_t to) { add_way_if(true, channel, to); }
  /// Without a branch on `is_way`: for loops over all channels, few of which are ways.
  void add_way_if(bool is_way, std::uint32_t channel, std::uint32_t to) {
    if (ways_ == channels_.size()) grow();
    channels_[ways_] = channel;
    to_[ways_] = to;
    ways_ += is_way ? 1 : 0;
  }
  void finish();

  SwitchId destination() const { return destination_; }
  /// Hops of the farthest switch.
  std::uint32_t depth() const { return depth_; }
  /// Nearest first: the ways of a group lead to the destination or to members of earlier groups.
  std::span<const Group> groups() const { return groups_; }
  std::span<const Member> members() const { return members_; }
  /// Where the ways lead, by ascending channel or preference; equal for all members.
  std::span<const std::uint32_t> targets(const Group& group) const {
    return std::span(to_).subspan(group.to, group.ways);
  }
  std::span<const std::uint32_t> channels(const Group& group, const Member& member) const {
    return std::span(channels_).subspan(member.way, group.ways);
  }

 private:
  struct Draft {
    std::uint32_t sw;
    std::uint32_t hops;
    std::uint32_t way;
  };
  void grow();
  void sort_ways(std::uint32_t begin, std::uint32_t end);
  std::uint32_t group_of(const Draft& draft, std::uint32_t ways, std::uint32_t level_begin);

  SwitchId destination_{};
  std::uint32_t depth_ = 0;
  std::span<const std::uint8_t> rank_;
  std::vector<Draft> drafts_;
  std::uint32_t ways_ = 0;               // the first so many of:
  std::vector<std::uint32_t> channels_;  // sizes grow only
  std::vector<std::uint32_t> to_;
  std::vector<Group> groups_;
  std::vector<Member> members_;
  // Scratch of finish().
  std::vector<std::uint32_t> by_hops_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> group_of_draft_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_;
  std::vector<std::uint32_t> table_;  // open hash table of groups
};

/// The heads of all channels close together: engines read them for every destination.
std::vector<std::uint32_t> channel_heads(const Fabric& fabric);

}  // namespace weft
