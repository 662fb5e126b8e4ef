#include "routing/shared/tree_form.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "routing/ftree/levels.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tables.h"
#include "routing/ftree/tree.h"
#include "routing/ftree/twins.h"
#include "routing/shared/channel_weights.h"
#include "routing/shared/ranks.h"

namespace weft {
namespace {

using namespace ftree;

// One cable in so many may be missing between two levels.
constexpr std::uint64_t kMissingShare = 8;

bool by_load_alone(const RoutingOptions& options) {
  return options.balance == Balance::kGlobal && options.order.empty() && options.ignored.empty() &&
         options.hop_weights.empty() && options.port_rank.empty() && !options.port_shifting &&
         options.scatter_ports == 0 && !options.previous;
}

bool by_ranks_alone(const RoutingOptions& options) {
  return !options.connect_roots && options.switch_rank.empty();
}

/// Do the same cables go up by these levels as by the ranks?
bool agree(const Fabric& fabric, std::span<const std::int32_t> level,
           std::span<const std::uint16_t> ranks) {
  return std::ranges::all_of(fabric.channels(), [&](const Channel& channel) {
    return (level[channel.to.value()] > level[channel.from.value()]) == goes_up(channel, ranks);
  });
}

/// Nearly every switch of a level has the parents, and as many cables to each, as the others.
bool is_regular(const Tree& tree) {
  for (const auto& layer : tree.layers()) {
    std::uint64_t most = 0, slots = 0, cables = 0;
    for (const std::uint32_t s : layer) {
      if (!tree.shares_parents(s)) return false;
      slots += tree.width(s);
      for (const Group& group : tree.up(s)) {
        cables += group.cables;
        most = std::max<std::uint64_t>(most, group.cables);
      }
    }
    if ((most * slots - cables) * kMissingShare > most * slots) return false;
  }
  return true;
}

bool all_equal(const std::vector<std::uint32_t>& weights) {
  return std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) == weights.end();
}

/// Where up*/down* paths are missing that a CA would use: between a switch that holds some and a
/// switch that lost cables. The manager has to reach every switch, and every switch the manager.
class Gaps {
 public:
  Gaps(const Fabric& fabric, const Twins& twins)
      : fabric_(fabric),
        twins_(twins),
        holds_(twins.sets(), false),
        far_(twins.sets(), 0),
        open_(twins.sets(), false) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (!fabric.endports_at(SwitchId(s)).empty()) holds_[twins.set_of(s)] = true;
  }

  void note(std::uint32_t first, std::uint32_t count, const Hops& hops) {
    for (std::uint32_t from = 0; from < twins_.sets(); ++from) {
      const auto row = hops.all(from);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (row[i] != Hops::kFar || from == first + i) continue;
        if (!holds_[from] && !holds_[first + i]) continue;
        open_[first + i] = true;
        ++far_[from];
        ++far_[first + i];
      }
    }
  }

  /// Who has no path to such a destination sends as to one switch with CAs, from which there is
  /// one. All these ways turn up again beneath or at this hub, for packets of or to switches only:
  /// those that hold CAs have paths to each other.
  void close(const Destinations& destinations, unsigned threads, Lfts& lfts) const {
    const std::uint32_t hub = find_hub();
    if (hub == kNoHub) return;
    const Lid hub_lid = fabric_.endport(Fabric::endport_of(SwitchId(hub))).lid;
    const auto from_hub = lfts.row(SwitchId(hub));
    std::vector<std::uint16_t> lids;
    for (std::uint32_t set = 0; set < twins_.sets(); ++set) {
      if (!open_[set]) continue;
      for (const std::uint32_t holder : twins_.members(set)) {
        const std::uint32_t column = destinations.column_of[holder];
        for (std::uint32_t e = destinations.begin[column]; e < destinations.begin[column + 1]; ++e)
          if (from_hub[destinations.lid[e]] != kNoRoute.value())
            lids.push_back(destinations.lid[e]);
      }
    }
    parallel_for(
        lfts.switch_count(), threads,
        [&](std::size_t s) {
          const auto row = lfts.row(SwitchId(static_cast<std::uint32_t>(s)));
          for (const std::uint16_t lid : lids)
            if (row[lid] == kNoRoute.value()) row[lid] = row[hub_lid.value()];
        },
        16);
  }

 private:
  static constexpr std::uint32_t kNoHub = 0xFFFFFFFF;

  /// The switch with CAs and a LID that itself lacks the fewest paths; none where none is missing.
  std::uint32_t find_hub() const {
    std::uint32_t hub = kNoHub;
    if (std::ranges::find(open_, true) == open_.end()) return hub;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (!fabric_.endports_at(SwitchId(s)).empty() &&
          fabric_.endport(Fabric::endport_of(SwitchId(s))).lid != kLidNone &&
          (hub == kNoHub || far_[twins_.set_of(s)] < far_[twins_.set_of(hub)]))
        hub = s;
    return hub;
  }

  const Fabric& fabric_;
  const Twins& twins_;
  std::vector<bool> holds_;         // CAs, by set
  std::vector<std::uint32_t> far_;  // missing paths, by set at either end
  std::vector<bool> open_;          // sets that somebody has no path to
};

}  // namespace

std::optional<Lfts> tree_form(const Fabric& fabric, const RoutingOptions& options,
                              std::span<const std::uint16_t> ranks) {
  if (!by_load_alone(options)) return std::nullopt;
  if (!ranks.empty() && !by_ranks_alone(options)) return std::nullopt;
  if (std::ranges::any_of(fabric.endports(), [](const Endport& port) { return port.lmc > 0; }))
    return std::nullopt;
  const RoutingOptions plain;  // roots and compute nodes are ftree's own business
  const Census census = take_census(fabric, plain);
  if (leaf_stride(census) == 0) return std::nullopt;
  auto level = level_switches(fabric, plain, census);
  if (!level || std::ranges::find(*level, kNoLevel) != level->end()) return std::nullopt;
  if (!ranks.empty() && !agree(fabric, *level, ranks)) return std::nullopt;
  if (!all_equal(channel_weights(fabric))) return std::nullopt;
  const Tree tree(fabric, std::move(*level));
  if (!is_regular(tree)) return std::nullopt;

  const Twins twins(tree);
  const Destinations order = order_destinations(fabric, tree, census, LeafOrder::kById);
  const Paths paths = ranks.empty() ? Paths::kShortest : Paths::kUpDown;
  Gaps gaps(fabric, twins);
  const auto look = [&](std::uint32_t first, std::uint32_t count, const Hops& hops) -> Status {
    if (paths == Paths::kUpDown) gaps.note(first, count, hops);
    return {};
  };
  auto lfts = fill_tables(tree, order, twins, paths, fabric.lid_top(), options.threads, look);
  gaps.close(order, options.threads, *lfts);
  return std::move(*lfts);
}

}  // namespace weft
