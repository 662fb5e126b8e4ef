// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/group_copies.h"

#include <algorithm>
#include <unordered_map>

#include "sm/adaptive/ar_blocks.h"

namespace weft {
namespace {

/// For each set of ports, a group with these ports that the switch has before the copies.
class CopySources {
 public:
  CopySources(const ArTables& tables, SwitchId sw) : tables_(tables), sw_(sw) {}

  PortMask ports(std::size_t number) const {
    const PortMask* group = numbered_group(tables_, sw_, static_cast<std::uint16_t>(number));
    return group == nullptr ? PortMask() : *group;
  }
  void add_block(std::size_t block) {
    for (std::size_t i = 0; i < ArGroupBlock::kGroups; ++i) {
      const std::size_t number = block * ArGroupBlock::kGroups + i;
      sources_.try_emplace(ports(number), static_cast<std::uint16_t>(number));
    }
  }
  bool has_block(std::size_t block) const {
    for (std::size_t i = 0; i < ArGroupBlock::kGroups; ++i)
      if (!sources_.contains(ports(block * ArGroupBlock::kGroups + i))) return false;
    return true;
  }
  std::uint16_t source(std::size_t number) const { return sources_.at(ports(number)); }

 private:
  const ArTables& tables_;
  SwitchId sw_;
  std::unordered_map<PortMask, std::uint16_t> sources_;
};

void add_copy(std::uint16_t number, std::vector<ArGroupCopyBlock::Range>& ranges) {
  if (!ranges.empty() && ranges.back().last + 1 == number)
    ranges.back().last = number;
  else
    ranges.push_back({number, number});
}

}  // namespace

GroupWrites plan_group_writes(const ArTables& tables, SwitchId sw, const std::vector<bool>& differs,
                              bool may_copy) {
  constexpr std::size_t kGroups = ArGroupBlock::kGroups;
  GroupWrites writes;
  CopySources sources(tables, sw);
  const std::uint16_t top = group_top(tables, sw);
  if (may_copy)
    for (std::size_t block = 0; block < differs.size(); ++block)
      if (!differs[block]) sources.add_block(block);
  for (std::size_t block = 0; block < differs.size(); ++block) {
    if (!differs[block]) continue;
    // The last block may contain groups above group_top(). They may exceed the capacity of the
    // switch, and groups above the capacity cannot be copied.
    const bool is_whole = block * kGroups + kGroups - 1 <= top;
    if (may_copy && is_whole && sources.has_block(block)) {
      writes.copied.push_back(static_cast<std::uint16_t>(block));
      continue;
    }
    writes.blocks.push_back(static_cast<std::uint16_t>(block));
    sources.add_block(block);
  }
  std::map<std::uint16_t, std::vector<ArGroupCopyBlock::Range>> by_source;
  for (const std::uint16_t block : writes.copied)
    for (std::size_t i = 0; i < kGroups; ++i) {
      const std::size_t number = block * kGroups + i;
      add_copy(static_cast<std::uint16_t>(number), by_source[sources.source(number)]);
    }
  for (const auto& [source, ranges] : by_source)
    for (std::size_t first = 0; first < ranges.size(); first += ArGroupCopyBlock::kRanges) {
      const std::size_t end = std::min(first + ArGroupCopyBlock::kRanges, ranges.size());
      writes.copies.push_back({source,
                               {ranges.begin() + static_cast<std::ptrdiff_t>(first),
                                ranges.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
  if (writes.copies.size() < writes.copied.size()) return writes;
  writes.blocks.insert(writes.blocks.end(), writes.copied.begin(), writes.copied.end());
  std::ranges::sort(writes.blocks);
  writes.copied.clear();
  writes.copies.clear();
  return writes;
}

ArGroupCopyBlock copy_block(const GroupCopy& copy) {
  ArGroupCopyBlock block;
  for (std::size_t i = 0; i < ArGroupCopyBlock::kRanges; ++i)
    block.ranges[i] = copy.ranges[std::min(i, copy.ranges.size() - 1)];
  return block;
}

}  // namespace weft
