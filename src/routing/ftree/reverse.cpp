#include "routing/ftree/reverse.h"

#include <algorithm>
#include <span>

namespace weft::ftree {
namespace {

constexpr unsigned kUnreached = ~0u;

/// Reverse hops to the destination of one column, and by which group the switches that need some
/// go.
class Detours {
 public:
  Detours(const Tree& tree, const Hops& hops, std::uint32_t column)
      : tree_(tree), reversed_(tree.size(), kUnreached), way_(tree.size(), nullptr) {
    for (std::uint32_t s = 0; s < tree.size(); ++s)
      if (hops.all(s)[column] != Hops::kFar) reversed_[s] = 0;
  }

  /// Adds those that need one reverse hop more than all that have a way. False where there are
  /// none.
  bool extend(unsigned reverse_hops) {
    std::vector<std::uint32_t> fresh;
    for (std::uint32_t s = 0; s < tree_.size(); ++s)
      if (reversed_[s] == kUnreached && choose(s, tree_.down(s), reverse_hops - 1))
        fresh.push_back(s);
    for (const std::uint32_t s : fresh) reversed_[s] = reverse_hops;
    const auto layers = tree_.layers();
    for (std::size_t l = layers.size(); l-- > 0;)
      for (const std::uint32_t s : layers[l])
        if (reversed_[s] == kUnreached && choose(s, tree_.up(s), reverse_hops))
          reversed_[s] = reverse_hops;
    return !fresh.empty();
  }

  /// The group of a switch that needs 1 to `limit` reverse hops, else null.
  const Group* way(std::uint32_t sw, unsigned limit) const {
    return reversed_[sw] <= limit ? way_[sw] : nullptr;
  }

 private:
  bool choose(std::uint32_t sw, std::span<const Group> groups, unsigned reversed) {
    const auto good = std::ranges::find_if(
        groups, [&](const Group& group) { return reversed_[group.to] == reversed; });
    if (good == groups.end()) return false;
    way_[sw] = &*good;
    return true;
  }

  const Tree& tree_;
  std::vector<unsigned> reversed_;
  std::vector<const Group*> way_;
};

}  // namespace

ReverseWays::ReverseWays(const Fabric& fabric, const RoutingOptions& options, const Census& census)
    : right_(fabric.endport_count(), 0), right_at_(fabric.switch_count(), 0) {
  for (const EndportId id : options.io_nodes) right_[id.value()] = options.max_reverse_hops;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    if (census.compute[e] == 0 && is_aggregation_node(fabric.node(endport.node)))
      right_[e] = fabric.switch_count();
    if (endport.sw == kNoSwitch) continue;
    unsigned& here = right_at_[endport.sw.value()];
    here = std::max(here, right_[e]);
  }
}

void ReverseWays::add(const Tree& tree, const Destinations& destinations, std::uint32_t first,
                      std::uint32_t count, const Hops& hops, Lfts& lfts) const {
  if (std::ranges::max(right_at_) == 0) return;
  for (std::uint32_t column = first; column < first + count; ++column) {
    unsigned from_others = 0;
    bool complete = true;
    for (std::uint32_t s = 0; s < tree.size(); ++s) {
      if (hops.all(s)[column - first] != Hops::kFar) continue;
      complete = false;
      from_others = std::max(from_others, right_at_[s]);
    }
    const SwitchId holder(destinations.switches[column]);
    const unsigned most = std::max(from_others, right_at_[holder.value()]);
    if (complete || most == 0) continue;
    Detours detours(tree, hops, column - first);
    for (unsigned r = 1; r <= most && detours.extend(r); ++r) {
    }
    for (std::uint32_t e = destinations.begin[column]; e < destinations.begin[column + 1]; ++e) {
      const EndportId to = destinations.endport[e];
      if (to == Fabric::endport_of(holder)) continue;
      const unsigned limit = std::max(from_others, right_[to.value()]);
      for (std::uint32_t s = 0; s < tree.size(); ++s)
        if (const Group* group = detours.way(s, limit))
          lfts.set(SwitchId(s), Lid(destinations.lid[e]), PortNum(tree.ports(*group)[0]));
    }
  }
}

}  // namespace weft::ftree
