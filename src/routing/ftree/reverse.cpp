// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/ftree/reverse.h"

#include <algorithm>
#include <span>

namespace weft::ftree {
namespace {

constexpr unsigned kUnreached = ~0u;

/// Whether an up*/down* path from switch `sw` to switch `holder` exists. `column` is the column of
/// the set of `holder` in `hops`.
bool has_up_down_path(const Tree& tree, const EquivalentSwitches& equivalents, const Hops& hops,
                      std::uint32_t sw, std::uint32_t holder, std::uint32_t column) {
  const std::uint32_t set = equivalents.set_of(sw);
  if (set == equivalents.set_of(holder)) return sw == holder || !tree.up(sw).empty();
  return hops.all(set)[column] != Hops::kUnreachable;
}

/// By switch, the number of reverse hops to one destination, and the next hop if reverse hops are
/// necessary.
class Detours {
 public:
  Detours(const Tree& tree, const std::vector<bool>& has_path)
      : tree_(tree), reversed_(tree.size(), kUnreached), detour_(tree.size(), nullptr) {
    for (std::uint32_t s = 0; s < tree.size(); ++s)
      if (has_path[s]) reversed_[s] = 0;
  }

  /// Adds the switches that need one reverse hop more than the switches added before. Returns false
  /// if there are none.
  bool extend(unsigned reverse_hops) {
    std::vector<std::uint32_t> added;
    for (std::uint32_t s = 0; s < tree_.size(); ++s)
      if (reversed_[s] == kUnreached && choose(s, tree_.down(s), reverse_hops - 1))
        added.push_back(s);
    for (const std::uint32_t s : added) reversed_[s] = reverse_hops;
    const auto levels = tree_.levels();
    for (std::size_t l = levels.size(); l-- > 0;)
      for (const std::uint32_t s : levels[l])
        if (reversed_[s] == kUnreached && choose(s, tree_.up(s), reverse_hops))
          reversed_[s] = reverse_hops;
    return !added.empty();
  }

  /// The group of a switch that needs 1 to `limit` reverse hops, else null.
  const Group* detour(std::uint32_t sw, unsigned limit) const {
    return reversed_[sw] <= limit ? detour_[sw] : nullptr;
  }

 private:
  bool choose(std::uint32_t sw, std::span<const Group> groups, unsigned reversed) {
    const auto good = std::ranges::find_if(
        groups, [&](const Group& group) { return reversed_[group.to] == reversed; });
    if (good == groups.end()) return false;
    detour_[sw] = &*good;
    return true;
  }

  const Tree& tree_;
  std::vector<unsigned> reversed_;
  std::vector<const Group*> detour_;
};

}  // namespace

ReverseHopPaths::ReverseHopPaths(const Fabric& fabric, std::span<const EndportId> io_nodes,
                                 unsigned max_reverse_hops)
    : allowed_(fabric.endport_count(), 0), allowed_at_(fabric.switch_count(), 0) {
  for (const EndportId id : io_nodes) allowed_[id.value()] = max_reverse_hops;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    if (endport.sw == kNoSwitch) continue;
    unsigned& here = allowed_at_[endport.sw.value()];
    here = std::max(here, allowed_[e]);
  }
}

void ReverseHopPaths::find(const Tree& tree, const EquivalentSwitches& equivalents,
                           const Destinations& destinations, std::uint32_t first,
                           std::uint32_t count, const Hops& hops,
                           std::vector<Entry>& entries) const {
  if (allowed_at_.empty() || std::ranges::max(allowed_at_) == 0) return;
  std::vector<bool> has_path(tree.size());
  for (std::uint32_t set = first; set < first + count; ++set)
    for (const std::uint32_t holder : equivalents.members(set)) {
      unsigned from_others = 0;
      for (std::uint32_t s = 0; s < tree.size(); ++s) {
        has_path[s] = has_up_down_path(tree, equivalents, hops, s, holder, set - first);
        if (!has_path[s]) from_others = std::max(from_others, allowed_at_[s]);
      }
      const unsigned most = std::max(from_others, allowed_at_[holder]);
      if (std::ranges::find(has_path, false) == has_path.end() || most == 0) continue;
      Detours detours(tree, has_path);
      for (unsigned r = 1; r <= most && detours.extend(r); ++r) {
      }
      const std::uint32_t column = destinations.column_of[holder];
      for (std::uint32_t e = destinations.begin[column]; e < destinations.begin[column + 1]; ++e) {
        const EndportId to = destinations.endport[e];
        if (to == Fabric::endport_of(SwitchId(holder))) continue;
        const unsigned limit = std::max(from_others, allowed_[to.value()]);
        for (std::uint32_t s = 0; s < tree.size(); ++s)
          if (const Group* group = detours.detour(s, limit))
            entries.push_back(
                {SwitchId(s), Lid(destinations.lid[e]), PortNum(tree.ports(*group)[0])});
      }
    }
}

}  // namespace weft::ftree
