// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Computes forwarding tables from hop counts: the next hop of a switch for each LID.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "routes/lfts.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/trees/hops.h"
#include "routing/trees/order.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// Columns for which a switch distributed LIDs over other parents than those of their slots.
/// Equivalent switches distribute the LIDs of the same columns, each in another order.
struct DistributedLids {
  struct One {
    std::uint32_t column;
    std::uint32_t begin, end;  // range in `good`: parents with a path
  };
  std::vector<One> columns;
  std::vector<std::uint8_t> good;

  void add(std::uint32_t column, std::span<const std::uint8_t> parents) {
    const bool as_before = !columns.empty() && std::ranges::equal(good_of(columns.back()), parents);
    One one{column, 0, 0};
    if (as_before) {
      one.begin = columns.back().begin;
    } else {
      one.begin = static_cast<std::uint32_t>(good.size());
      good.insert(good.end(), parents.begin(), parents.end());
    }
    one.end = one.begin + static_cast<std::uint32_t>(parents.size());
    columns.push_back(one);
  }
  std::span<const std::uint8_t> good_of(const One& one) const {
    return std::span(good).subspan(one.begin, one.end - one.begin);
  }
};

/// The closed form. Upward, LIDs of index j use turn (j / divider) mod turns, which determines the
/// slot of a parent. LIDs of slots with a missing parent, or with a parent that has a longer path,
/// are distributed over the remaining parents by distribute(); switches with common parents start
/// at different parents. (Gliksberg et al., "High-quality fault resiliency in fat trees", IEEE
/// Micro 2020, renumber the remaining parents instead; here LIDs of unaffected parents stay.)
/// Downward, if several children have a path, LIDs use the child in the slot of their up path. The
/// next digits select the cable of a group.
class Rows {
 public:
  Rows(const Tree& tree, const Destinations& destinations, const EquivalentSwitches& equivalents);

  /// Writes the entries of the first switch of a set for `count` destination sets from `first` on,
  /// which must be those of `hops`. Calls are in ascending order of `first`; the call with `first`
  /// 0 also writes the rest of the row. Rows of different switches may be filled by different
  /// threads. Columns are added to `distributed`, which belongs to the set.
  void fill(std::uint32_t set, std::uint32_t first, std::uint32_t count, const Hops& hops,
            std::span<std::uint8_t> row, DistributedLids& distributed) const;

  /// Derives the row of another switch of a set from the row of its first switch.
  void copy(std::uint32_t sw, Paths paths, std::span<const std::uint8_t> row_of_first,
            const DistributedLids& distributed, std::span<std::uint8_t> row) const;

 private:
  /// Digits of all LIDs for switches of one kind: (index / divider) mod (turns * cables).
  struct Digits {
    std::uint32_t divider;
    std::uint32_t modulus;
    std::vector<std::uint8_t> of_lid;
  };
  /// A range of consecutive LIDs.
  struct Run {
    std::uint16_t lid;
    std::uint16_t count;
  };

  std::span<const std::uint32_t> indices(std::uint32_t column) const {
    return std::span(destinations_.index)
        .subspan(destinations_.begin[column],
                 destinations_.begin[column + 1] - destinations_.begin[column]);
  }
  std::span<const std::uint32_t> weights(std::uint32_t column) const {
    return destinations_.weight.empty()
               ? std::span<const std::uint32_t>()
               : std::span(destinations_.weight)
                     .subspan(destinations_.begin[column],
                              destinations_.begin[column + 1] - destinations_.begin[column]);
  }
  std::uint32_t column_of(std::uint32_t sw) const { return destinations_.column_of[sw]; }
  bool by_digits(std::uint32_t sw) const;

  void collect_digits();
  void collect_runs();
  void find_up_paths();

  void begin_row(std::uint32_t sw, std::span<std::uint8_t> row) const;
  void fill_set(std::uint32_t set, std::uint8_t port, std::span<std::uint8_t> row) const;
  void fill_column(std::uint32_t column, std::uint8_t port, std::span<std::uint8_t> row) const;
  void fill_exits(std::uint32_t column, std::span<std::uint8_t> row) const;
  void fill_equivalent(std::uint32_t sw, std::uint32_t other, Paths paths,
                       std::span<std::uint8_t> row) const;
  void fill_neighbors(std::uint32_t sw, std::uint32_t set, std::span<std::uint8_t> row) const;
  void fill_up_after_down(std::uint32_t sw, std::uint32_t set, std::uint32_t first,
                          const Hops& hops, std::span<std::uint8_t> row) const;
  /// Returns false if all slots have good parents, so that each LID has the parent of its slot.
  bool fill_up(std::uint32_t sw, std::uint32_t column, std::span<const std::uint8_t> good,
               std::span<std::uint8_t> row) const;
  void fill_down(std::uint32_t sw, std::uint32_t column, std::span<const std::uint8_t> candidates,
                 std::span<std::uint8_t> row) const;

  const Tree& tree_;
  const Destinations& destinations_;
  const EquivalentSwitches& equivalents_;
  std::vector<std::uint32_t> place_;  // by switch: position among the switches of its level
  std::vector<Digits> digits_;
  std::vector<std::uint16_t> digits_of_;  // by switch: index into digits_, or kIrregular
  std::vector<std::uint32_t> run_begin_;  // columns + 1
  std::vector<Run> runs_;
  std::vector<std::vector<std::uint32_t>>
      up_paths_;  // by level above the destination, by entry: a switch
};

}  // namespace weft::ftree
