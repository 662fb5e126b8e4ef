// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All next hops toward every switch. A next hop is a trunk (all cables to one neighbor). Each next
// hop can be removed separately. A forwarding entry depends on the destination only, so a switch
// uses the same next hops for packets of all sources. After separate(), some switches have several
// tables with next hops of their own, and the other switches have the same next hops in all tables.
// Memory: one bit for each table, switch and trunk, 2 bytes for each pair of switches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/shapes/hop_dag.h"
#include "routing/shapes/trunks.h"

namespace weft {

class ChoiceDags {
 public:
  static constexpr std::uint16_t kUnreached = HopDag::kUnreached;

  explicit ChoiceDags(const Trunks& trunks)
      : trunks_(trunks),
        switches_(static_cast<std::uint32_t>(trunks.begin.size()) - 1),
        words_((trunks.count() + 63) / 64),
        bits_(words_ * switches_, 0),
        table_words_(bits_.size()),
        levels_(std::size_t{switches_} * switches_, kUnreached) {}

  /// Stores the next hops toward one destination. `trunk_of` has the trunk of each channel, by
  /// ChannelId. May be called in parallel for different destinations.
  void set(const HopDag& dag, std::span<const std::uint32_t> trunk_of);

  /// Copies the next hops to this number of tables. Next hops can be removed in each table
  /// separately at the switches in `has_own` (by switch), and only in all tables at the others.
  /// set() must have been called for all destinations.
  void separate(unsigned tables, std::vector<bool> has_own) {
    has_own_ = std::move(has_own);
    tables_ = tables;
    std::vector<std::uint64_t> all;
    for (unsigned table = 0; table < tables; ++table)
      all.insert(all.end(), bits_.begin(), bits_.end());
    bits_ = std::move(all);
  }
  unsigned tables() const { return tables_; }
  /// Selects the table of has(), drop(), restore() and each().
  void select(unsigned table) { first_ = table * table_words_; }
  /// Whether all tables have the next hop.
  bool is_in_all(std::uint32_t to, std::uint32_t trunk) const {
    for (unsigned table = 0; table < tables_; ++table)
      if ((bits_[table * table_words_ + to * words_ + trunk / 64] >> (trunk % 64) & 1) == 0)
        return false;
    return true;
  }
  /// Whether the first `count` tables of a switch have different next hops.
  bool differ_at(std::uint32_t from, unsigned count) const;

  /// Number of next hops of a switch toward another in a table.
  unsigned next_hops(std::uint32_t from, std::uint32_t to, unsigned table) {
    select(table);
    unsigned found = 0;
    each(from, to, [&](std::uint32_t) {
      ++found;
      return true;
    });
    return found;
  }
  std::uint32_t switches() const { return switches_; }
  /// Hop count of the longest path over the next hops that set() stored, which decreases with each
  /// hop; kUnreached without a path. drop() does not change it.
  std::uint16_t level(std::uint32_t from, std::uint32_t to) const {
    return levels_[std::size_t{to} * switches_ + from];
  }
  bool has(std::uint32_t to, std::uint32_t trunk) const {
    return (bits_[first_ + to * words_ + trunk / 64] >> (trunk % 64) & 1) != 0;
  }
  /// Removes a next hop; at switches without tables of their own, in all tables.
  void drop(std::uint32_t to, std::uint32_t trunk) {
    each_table(trunk, [&](std::size_t first) {
      bits_[first + to * words_ + trunk / 64] &= ~(std::uint64_t{1} << (trunk % 64));
    });
  }
  /// Reverses drop().
  void restore(std::uint32_t to, std::uint32_t trunk) {
    each_table(trunk, [&](std::size_t first) {
      bits_[first + to * words_ + trunk / 64] |= std::uint64_t{1} << (trunk % 64);
    });
  }

  /// Calls body(trunk) for each next hop of a switch, in ascending order, until a call returns
  /// false. Returns whether all calls returned true.
  template <class Body>
  bool each(std::uint32_t from, std::uint32_t to, const Body& body) const {
    const std::uint32_t end = trunks_.begin[from + 1];
    for (std::uint32_t at = trunks_.begin[from]; at < end;) {
      std::uint64_t word = bits_[first_ + to * words_ + at / 64] >> (at % 64);
      const std::uint32_t stop = std::min(end, (at / 64 + 1) * 64);
      if (stop - at < 64) word &= (std::uint64_t{1} << (stop - at)) - 1;
      for (; word != 0; word &= word - 1)
        if (!body(at + static_cast<std::uint32_t>(std::countr_zero(word)))) return false;
      at = stop;
    }
    return true;
  }

 private:
  /// Calls body(index of the first word) for the tables in which a next hop is removed.
  template <class Body>
  void each_table(std::uint32_t trunk, const Body& body) {
    if (has_own_.empty() || has_own_[trunks_.tail[trunk]]) return body(first_);
    for (unsigned table = 0; table < tables_; ++table) body(table * table_words_);
  }

  const Trunks& trunks_;
  std::uint32_t switches_;
  std::size_t words_;                // words of bits_ per destination
  std::vector<std::uint64_t> bits_;  // by table, destination, then trunk
  std::size_t table_words_;          // words of bits_ per table
  unsigned tables_ = 1;
  std::size_t first_ = 0;              // index of the first word of the selected table
  std::vector<bool> has_own_;          // by switch; empty: one table
  std::vector<std::uint16_t> levels_;  // by destination, then switch
};

}  // namespace weft
