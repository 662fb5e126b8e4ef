#include "routing/ftree/reverse.h"

#include <algorithm>
#include <optional>

namespace weft::ftree {
namespace {

constexpr unsigned kUnreached = ~0u;

/// Reverse hops to one destination, and by which group the switches that need some go.
class ReverseWays {
 public:
  ReverseWays(const Tree& tree, const Hops& hops, std::uint32_t column)
      : tree_(tree), reversed_(tree.size(), kUnreached), way_(tree.size()) {
    for (std::uint32_t s = 0; s < tree.size(); ++s)
      if (hops.all(s)[column] != Hops::kFar) reversed_[s] = 0;
  }

  /// Adds those that need one reverse hop more than all that have a way. False where there are
  /// none.
  bool extend(unsigned reverse_hops, std::uint32_t index) {
    std::vector<std::uint32_t> fresh;
    for (std::uint32_t s = 0; s < tree_.size(); ++s)
      if (reversed_[s] == kUnreached && choose(s, tree_.down(s), reverse_hops - 1, index))
        fresh.push_back(s);
    for (const std::uint32_t s : fresh) reversed_[s] = reverse_hops;
    const auto layers = tree_.layers();
    for (std::size_t l = layers.size(); l-- > 0;)
      for (const std::uint32_t s : layers[l])
        if (reversed_[s] == kUnreached && choose(s, tree_.up(s), reverse_hops, index))
          reversed_[s] = reverse_hops;
    return !fresh.empty();
  }

  /// The port of a switch that got a way here.
  std::optional<std::uint8_t> port(std::uint32_t sw, std::uint32_t index) const {
    if (reversed_[sw] == kUnreached || reversed_[sw] == 0) return std::nullopt;
    const auto ports = tree_.ports(*way_[sw]);
    return ports[index % ports.size()];
  }

 private:
  bool choose(std::uint32_t sw, std::span<const Group> groups, unsigned reversed,
              std::uint32_t index) {
    std::vector<const Group*> good;
    for (const Group& group : groups)
      if (reversed_[group.to] == reversed) good.push_back(&group);
    if (good.empty()) return false;
    way_[sw] = good[index % good.size()];
    return true;
  }

  const Tree& tree_;
  std::vector<unsigned> reversed_;
  std::vector<const Group*> way_;
};

}  // namespace

void add_reverse_ways(const Fabric& fabric, const Tree& tree, const Destinations& destinations,
                      std::uint32_t first, std::uint32_t count, const Hops& hops,
                      const RoutingOptions& options, Lfts& lfts) {
  if (options.max_reverse_hops == 0 || options.io_nodes.empty()) return;
  const auto is_io = [&](EndportId id) {
    return std::ranges::find(options.io_nodes, id) != options.io_nodes.end();
  };
  for (std::uint32_t column = first; column < first + count; ++column) {
    const bool cut_off = std::ranges::any_of(options.io_nodes, [&](EndportId id) {
      const SwitchId sw = fabric.endport(id).sw;
      return sw != kNoSwitch && hops.all(sw.value())[column - first] == Hops::kFar;
    });
    for (std::uint32_t e = destinations.begin[column]; e < destinations.begin[column + 1]; ++e) {
      const EndportId to = destinations.endport[e];
      if (fabric.is_switch(fabric.endport(to).node) || !(cut_off || is_io(to))) continue;
      ReverseWays ways(tree, hops, column - first);
      const std::uint32_t index = destinations.index[e];
      for (unsigned r = 1; r <= options.max_reverse_hops && ways.extend(r, index); ++r) {
      }
      for (std::uint32_t s = 0; s < tree.size(); ++s)
        if (const auto port = ways.port(s, index))
          lfts.set(SwitchId(s), Lid(destinations.lid[e]), PortNum(*port));
    }
  }
}

}  // namespace weft::ftree
