#include "routing/shared/ordered_lanes.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "routing/shared/acyclic_turns.h"
#include "routing/shared/destinations.h"
#include "routing/shared/switch_orders.h"
#include "routing/shared/trunks.h"

namespace weft {
namespace {

using Mask = SwitchOrders::Mask;

constexpr std::uint64_t kSearches = 64;  // of each lane, in visits of each channel
constexpr std::uint8_t kSilent = 0xFF;   // nothing is sent there
constexpr std::uint32_t kNoWay = 0xFFFFFFFF;

/// Paths row by LID, then by source switch.
struct Paths {
  explicit Paths(const Fabric& fabric)
      : switches(fabric.switch_count()),
        lids(std::size_t{fabric.lid_top().value()} + 1),
        trunk(lids * switches, kNoWay),
        lane(trunk.size(), kSilent) {}

  std::size_t switches;
  std::size_t lids;
  std::vector<std::uint32_t> trunk;  // the first
  std::vector<std::uint8_t> lane;    // or kSilent
};

/// Finds for each path the first order that it agrees with, for its lane, and leads those that
/// agree with none another way: one that agrees with some if there is any.
class Mender {
 public:
  Mender(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders, Lfts& lfts,
         Paths& paths)
      : fabric_(fabric),
        trunks_(trunks),
        orders_(orders),
        all_(static_cast<Mask>((1u << orders.count()) - 1)),
        lfts_(lfts),
        paths_(paths),
        trunk_at_(fabric.switch_count() * kPorts, kNoWay),
        has_hosts_(fabric.switch_count()) {
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      for (const std::uint32_t channel : trunks.channels(t))
        trunk_at_[trunks.from(t) * kPorts + port_of(channel).value()] = t;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      has_hosts_[s] = fabric.endports_at(SwitchId(s)).empty() ? 0 : 1;
  }

  void mend(std::span<const Destination> destinations, unsigned threads) const {
    threads = threads_worth(8 * paths_.trunk.size(), threads);
    parallel_for(destinations.size(), threads,
                 [&](std::size_t i) { mend_toward(destinations[i]); });
  }

 private:
  static constexpr std::size_t kPorts = 256;  // that a table may name

  /// The way to one LID from a switch on.
  struct Rest {
    std::uint32_t trunk = 0;
    Mask agree = 0;
  };
  /// One destination switch: what there is to know of all switches, nearest first.
  struct Around {
    std::vector<std::uint32_t> hops;
    std::vector<std::uint32_t> near_first;
  };

  PortNum port_of(std::uint32_t channel) const {
    return fabric_.channel(ChannelId(channel)).from_port;
  }

  Around around(SwitchId center) const {
    Around found{std::vector<std::uint32_t>(fabric_.switch_count(), kNoWay), {center.value()}};
    found.hops[center.value()] = 0;
    for (std::size_t head = 0; head < found.near_first.size(); ++head) {
      const std::uint32_t sw = found.near_first[head];
      for (std::uint32_t t = trunks_.first(sw); t < trunks_.first(sw + 1); ++t) {
        if (found.hops[trunks_.to(t)] != kNoWay) continue;
        found.hops[trunks_.to(t)] = found.hops[sw] + 1;
        found.near_first.push_back(trunks_.to(t));
      }
    }
    return found;
  }

  /// The rests of the ways to one of the LIDs, by switch.
  struct Rests {
    const Rest* first = nullptr;
    std::size_t stride = 0;  // rests of all LIDs lie side by side
    const Rest& operator[](std::uint32_t sw) const { return first[sw * stride]; }
  };
  struct Target {
    Lid lid;
    bool host = false;
    std::size_t row = 0;  // of Paths
  };

  std::vector<Target> targets_of(const Destination& destination) const {
    std::vector<Target> targets;
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric_.endport(id);
      for (unsigned offset = 0; offset < lid_count(endport); ++offset) {
        const Lid lid = lid_at(endport, offset);
        targets.push_back({lid, !fabric_.is_switch(endport.node), lid.value() * paths_.switches});
      }
    }
    return targets;
  }

  void mend_toward(const Destination& destination) const {
    const Around near = around(destination.sw);
    const auto targets = targets_of(destination);
    std::vector<Rest> rest(near.hops.size() * targets.size());
    for (const std::uint32_t s : std::span(near.near_first).subspan(1)) {
      Rest* const here = rest.data() + s * targets.size();
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const Target& target = targets[i];
        here[i] = step(s, target, near.hops, {rest.data() + i, targets.size()});
        paths_.trunk[target.row + s] = here[i].trunk;
        if (target.host || has_hosts_[s] != 0)
          paths_.lane[target.row + s] = static_cast<std::uint8_t>(
              std::min(static_cast<int>(orders_.count()), std::countr_zero(here[i].agree)));
      }
    }
  }

  Mask agree(std::uint32_t trunk, std::span<const std::uint32_t> hops, const Rests& rests) const {
    const std::uint32_t over = trunks_.to(trunk);
    if (hops[over] == 0) return all_;
    const Rest& rest = rests[over];
    return static_cast<Mask>(rest.agree & orders_.agree(trunk, rest.trunk));
  }

  Rest step(std::uint32_t s, const Target& target, std::span<const std::uint32_t> hops,
            const Rests& rests) const {
    const std::uint32_t trunk = trunk_at_[s * kPorts + lfts_.port(SwitchId(s), target.lid).value()];
    if (trunk != kNoWay && hops[trunks_.to(trunk)] < hops[s])
      if (const Mask found = agree(trunk, hops, rests); found != 0) return {trunk, found};
    const Rest other = another_way(s, target.host, hops, rests);
    const auto cables = trunks_.channels(other.trunk);
    lfts_.set(SwitchId(s), target.lid, port_of(cables[target.lid.value() % cables.size()]));
    return other;
  }

  /// If no way agrees with an order, the one over the highest switch to hosts, over the lowest to
  /// switches: on a tree such paths then turn up again beside the host whose cable is missing, and
  /// are alike.
  Rest another_way(std::uint32_t s, bool host, std::span<const std::uint32_t> hops,
                   const Rests& rests) const {
    Rest best{kNoWay, 0};
    const auto place = orders_.places(0);
    for (std::uint32_t t = trunks_.first(s); t < trunks_.first(s + 1); ++t) {
      if (hops[trunks_.to(t)] >= hops[s]) continue;
      const Rest here{t, agree(t, hops, rests)};
      const bool better = (here.agree != 0) != (best.agree != 0)
                              ? here.agree != 0
                              : best.trunk != kNoWay &&
                                    (place[trunks_.to(t)] > place[trunks_.to(best.trunk)]) == host;
      if (best.trunk == kNoWay || better) best = here;
    }
    return best;
  }

  const Fabric& fabric_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  const Mask all_;
  Lfts& lfts_;
  Paths& paths_;
  std::vector<std::uint32_t> trunk_at_;  // by switch and port
  std::vector<std::uint8_t> has_hosts_;  // by switch
};

/// A small set of turns: nearly all paths make turns that others made before, and a look at these
/// few words tells.
class TrunkTurns {
 public:
  explicit TrunkTurns(const Trunks& trunks) : row_(trunks.count() + std::size_t{1}, 0) {
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      row_[t + 1] =
          row_[t] + (trunks.first(trunks.to(t) + 1) - trunks.first(trunks.to(t)) + 63) / 64;
    words_.resize(row_.back());
  }
  /// The turn from a trunk to the way-th that leaves its end; false where it was there.
  bool add(std::uint32_t trunk, std::uint32_t way) {
    std::uint64_t& word = words_[row_[trunk] + way / 64];
    const std::uint64_t bit = std::uint64_t{1} << (way % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

 private:
  std::vector<std::uint32_t> row_;  // by trunk: of the first word; and one more
  std::vector<std::uint64_t> words_;
};

/// Lays all paths on lanes. Trunks stand for their cables, by their first channels.
class Lanes {
 public:
  Lanes(const Fabric& fabric, const Turns& turns, const Trunks& trunks, const SwitchOrders& orders,
        unsigned count)
      : trunks_(trunks), laid_(count, TrunkTurns(trunks)) {
    const std::uint64_t searches = kSearches * fabric.channel_count();
    std::vector<std::uint32_t> place(fabric.channel_count());
    for (unsigned lane = 0; lane < count; ++lane) {
      // Other cables come after all first ones.
      const auto row = orders.row_of(lane, trunks);
      std::uint32_t next = trunks.count();
      for (std::uint32_t t = 0; t < trunks.count(); ++t) {
        const auto cables = trunks.channels(t);
        place[cables.front()] = row[t];
        for (const std::uint32_t cable : cables.subspan(1)) place[cable] = next++;
      }
      lanes_.emplace_back(turns, place, searches);
    }
  }

  /// Lanes hold the first order of each path, and come to hold its lane. False where some path fits
  /// on none.
  bool lay(Paths& paths) {
    for (std::size_t row = 0; row < paths.trunk.size(); row += paths.switches)
      for (std::size_t s = 0; s < paths.switches; ++s)
        if (paths.lane[row + s] < lanes_.size()) lay_in_order(paths, row, s);
    for (std::size_t row = 0; row < paths.trunk.size(); row += paths.switches)
      for (std::size_t s = 0; s < paths.switches; ++s)
        if (paths.lane[row + s] == lanes_.size() && !lay_anywhere(paths, row, s)) return false;
    return true;
  }

 private:
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels(trunk).front(); }

  /// Its turns, up to where another path on the same lane has the rest.
  void lay_in_order(const Paths& paths, std::size_t row, std::size_t s) {
    const std::uint8_t lane = paths.lane[row + s];
    std::uint32_t in = paths.trunk[row + s];
    while (true) {
      const std::uint32_t over = trunks_.to(in);
      const std::uint32_t out = paths.trunk[row + over];
      if (out == kNoWay) return;
      if (laid_[lane].add(in, out - trunks_.first(over)))
        CHECK(lanes_[lane].add(lead(in), lead(out)));
      if (paths.lane[row + over] == lane) return;
      in = out;
    }
  }

  bool lay_anywhere(Paths& paths, std::size_t row, std::size_t s) {
    channels_.clear();
    for (std::uint32_t trunk = paths.trunk[row + s]; trunk != kNoWay;
         trunk = paths.trunk[row + trunks_.to(trunk)])
      channels_.push_back(lead(trunk));
    // The last has fewest paths.
    for (std::size_t lane = lanes_.size(); lane-- > 0;)
      if (lanes_[lane].add_path(channels_)) {
        paths.lane[row + s] = static_cast<std::uint8_t>(lane);
        return true;
      }
    return false;
  }

  const Trunks& trunks_;
  std::vector<AcyclicTurns> lanes_;
  std::vector<TrunkTurns> laid_;  // by lane: turns of paths in order
  std::vector<std::uint32_t> channels_;
};

/// Row by source switch.
std::vector<std::uint8_t> by_source(const Paths& paths) {
  std::vector<std::uint8_t> lanes(paths.lane.size(), 0);
  for (std::size_t lid = 0; lid < paths.lids; ++lid)
    for (std::size_t s = 0; s < paths.switches; ++s)
      if (const std::uint8_t lane = paths.lane[lid * paths.switches + s]; lane != kSilent)
        lanes[s * paths.lids + lid] = lane;
  return lanes;
}

}  // namespace

std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads) {
  lanes_max = std::min(lanes_max, SwitchOrders::kMost);
  const Trunks trunks(fabric);
  const auto share =
      unfitted(fabric, trunks, SwitchOrders(fabric, trunks, lanes_max), Pairs::kOfEndports);
  const auto to = destinations(fabric);
  for (unsigned lanes = 2; lanes <= lanes_max; ++lanes) {
    if (share[lanes] > unfitted_max) continue;
    const SwitchOrders orders(fabric, trunks, lanes);
    OrderedLanes ordered{lanes, lfts, {}};
    Paths paths(fabric);
    Mender(fabric, trunks, orders, ordered.lfts, paths).mend(to, threads);
    if (!Lanes(fabric, turns, trunks, orders, lanes).lay(paths)) continue;
    ordered.lanes = by_source(paths);
    return ordered;
  }
  return std::nullopt;
}

}  // namespace weft
