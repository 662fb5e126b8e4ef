// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/equivalent_switches.h"

#include <algorithm>
#include <map>

namespace weft::ftree {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of(const Tree& tree, std::uint32_t sw) {
  std::uint64_t hash = tree.up(sw).size();
  for (const auto groups : {tree.up(sw), tree.down(sw)})
    for (const Group& group : groups)
      hash = mixed(hash, std::uint64_t{group.to} << 16 | std::uint64_t{group.cables} << 8 |
                             tree.ports(group)[0]);
  return hash;
}

bool are_equivalent(const Tree& tree, std::uint32_t a, std::uint32_t b) {
  const auto same = [&](const Group& one, const Group& other) {
    return one.to == other.to && std::ranges::equal(tree.ports(one), tree.ports(other));
  };
  return tree.level(a) == tree.level(b) && std::ranges::equal(tree.up(a), tree.up(b), same) &&
         std::ranges::equal(tree.down(a), tree.down(b), same);
}

}  // namespace

EquivalentSwitches::EquivalentSwitches(const Tree& tree) : set_of_(tree.size()) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> sets_by_hash;
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t s = 0; s < tree.size(); ++s) {
    auto& sets = sets_by_hash[hash_of(tree, s)];
    const auto found = std::ranges::find_if(
        sets, [&](std::uint32_t set) { return are_equivalent(tree, firsts[set], s); });
    if (found == sets.end()) {
      set_of_[s] = static_cast<std::uint32_t>(firsts.size());
      sets.push_back(set_of_[s]);
      firsts.push_back(s);
    } else {
      set_of_[s] = *found;
    }
  }

  begin_.assign(firsts.size() + 1, 0);
  for (const std::uint32_t set : set_of_) ++begin_[set + 1];
  for (std::size_t set = 0; set < firsts.size(); ++set) begin_[set + 1] += begin_[set];
  members_.resize(tree.size());
  std::vector<std::uint32_t> next = begin_;
  for (std::uint32_t s = 0; s < tree.size(); ++s) members_[next[set_of_[s]]++] = s;
}

}  // namespace weft::ftree
