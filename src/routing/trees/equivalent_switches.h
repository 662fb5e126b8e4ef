// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets of equivalent switches: on one level, with the same ports to the same neighbors, such as the
// leaves of a pod or the cores of a plane. Paths of equivalent switches differ only toward each
// other, so hops and tables are computed once for a set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/trees/tree.h"

namespace weft::ftree {

/// Sets are numbered in order of their first members; in an irregular tree, most sets have one
/// switch.
class EquivalentSwitches {
 public:
  explicit EquivalentSwitches(const Tree& tree);

  std::uint32_t sets() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::uint32_t set_of(std::uint32_t sw) const { return set_of_[sw]; }
  /// Switches of a set in order of id.
  std::span<const std::uint32_t> members(std::uint32_t set) const {
    return std::span(members_).subspan(begin_[set], begin_[set + 1] - begin_[set]);
  }
  /// The representative of a set.
  std::uint32_t first(std::uint32_t set) const { return members_[begin_[set]]; }

 private:
  std::vector<std::uint32_t> set_of_;
  std::vector<std::uint32_t> begin_;  // sets + 1
  std::vector<std::uint32_t> members_;
};

}  // namespace weft::ftree
