#include "routing/shared/ordered_lanes.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/hops.h"
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

constexpr std::size_t kPorts = 256;  // that a table may name

/// By switch and port; or kNoWay.
std::vector<std::uint32_t> trunks_by_port(const Fabric& fabric, const Trunks& trunks) {
  std::vector<std::uint32_t> found(fabric.switch_count() * kPorts, kNoWay);
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    for (const std::uint32_t channel : trunks.channels(t)) {
      const PortNum port = fabric.channel(ChannelId(channel)).from_port;
      found[trunks.from(t) * kPorts + port.value()] = t;
    }
  return found;
}

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
        trunk_at_(trunks_by_port(fabric, trunks)),
        has_hosts_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      has_hosts_[s] = fabric.endports_at(SwitchId(s)).empty() ? 0 : 1;
  }

  void mend(std::span<const Destination> destinations, unsigned threads) const {
    threads = threads_worth(8 * paths_.trunk.size(), threads);
    parallel_for(destinations.size(), threads,
                 [&](std::size_t i) { mend_toward(destinations[i]); });
  }

 private:
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

/// The same for pairs of switches: one order that all paths between the two agree with, there and
/// back. Nearest pairs come first, for their paths are the rests of others.
class PairMender {
 public:
  PairMender(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
             std::span<const Destination> destinations, Lfts& lfts, Paths& paths)
      : fabric_(fabric),
        trunks_(trunks),
        orders_(orders),
        all_(static_cast<Mask>((1u << orders.count()) - 1)),
        lfts_(lfts),
        paths_(paths),
        agree_(paths.trunk.size(), 0),
        trunk_at_(trunks_by_port(fabric, trunks)),
        targets_(fabric.switch_count()) {
    for (const Destination& destination : destinations)
      for (const EndportId id : destination.endports) {
        const Endport& endport = fabric.endport(id);
        for (unsigned offset = 0; offset < lid_count(endport); ++offset)
          targets_[destination.sw.value()].push_back(
              {lid_at(endport, offset), !fabric.is_switch(endport.node)});
      }
  }

  void mend(unsigned threads) {
    const std::uint32_t switches = fabric_.switch_count();
    threads = threads_worth(8 * paths_.trunk.size(), threads);
    hops_.resize(std::size_t{switches} * switches);
    std::vector<std::uint16_t> farthest(switches, 0);
    parallel_for(switches, threads, [&](std::size_t b) {
      const SwitchId start[] = {SwitchId(static_cast<std::uint32_t>(b))};
      const auto hops = hops_from(fabric_, start);
      std::ranges::copy(hops, &hops_[b * switches]);
      for (const std::uint16_t h : hops)
        if (h != kNoHops) farthest[b] = std::max(farthest[b], h);
    });
    const std::uint16_t most = switches == 0 ? 0 : std::ranges::max(farthest);
    for (std::uint16_t h = 1; h <= most; ++h)
      parallel_for(switches, threads, [&](std::size_t b) {
        for (std::uint32_t a = 0; a < b; ++a)
          if (hops_[b * switches + a] == h) mend_pair(a, static_cast<std::uint32_t>(b));
      });
  }

 private:
  struct Target {
    Lid lid;
    bool host = false;
  };
  struct Step {
    std::uint32_t trunk = kNoWay;
    Mask agree = 0;
  };

  std::size_t at(Lid lid, std::uint32_t s) const { return lid.value() * paths_.switches + s; }
  std::uint16_t hops(std::uint32_t from, std::uint32_t to) const {
    return hops_[std::size_t{to} * paths_.switches + from];
  }

  Mask agree(std::uint32_t trunk, std::uint32_t to, Lid lid) const {
    const std::uint32_t over = trunks_.to(trunk);
    if (over == to) return all_;
    const std::size_t rest = at(lid, over);
    return static_cast<Mask>(agree_[rest] & orders_.agree(trunk, paths_.trunk[rest]));
  }

  /// As the tables have it; a way that is none, or not a shortest, agrees with nothing.
  Step as_it_is(std::uint32_t s, std::uint32_t to, Lid lid) const {
    const std::uint32_t trunk = trunk_at_[s * kPorts + lfts_.port(SwitchId(s), lid).value()];
    if (trunk == kNoWay || hops(trunks_.to(trunk), to) >= hops(s, to)) return {};
    return {trunk, agree(trunk, to, lid)};
  }

  /// Of the ways that agree with the wanted orders, or of all where none does, the one over the
  /// highest switch: on a tree such paths turn up again at one leaf of a pod, there and back.
  Step another_way(std::uint32_t s, std::uint32_t to, const Target& target, Mask wanted) const {
    Step best;
    const auto place = orders_.places(0);
    for (std::uint32_t t = trunks_.first(s); t < trunks_.first(s + 1); ++t) {
      if (hops(trunks_.to(t), to) >= hops(s, to)) continue;
      const Step here{t, agree(t, to, target.lid)};
      const bool fits = (here.agree & wanted) != 0, fitted = (best.agree & wanted) != 0;
      const bool better =
          best.trunk == kNoWay ||
          (fits != fitted ? fits : place[trunks_.to(t)] > place[trunks_.to(best.trunk)]);
      if (better) best = here;
    }
    return best;
  }

  void settle(std::uint32_t s, const Target& target, const Step& step, bool moved) {
    const std::size_t path = at(target.lid, s);
    paths_.trunk[path] = step.trunk;
    agree_[path] = step.agree;
    if (!moved) return;
    const auto cables = trunks_.channels(step.trunk);
    const ChannelId channel(cables[target.lid.value() % cables.size()]);
    lfts_.set(SwitchId(s), target.lid, fabric_.channel(channel).from_port);
  }

  /// Calls body(source, destination, target) for each path between two switches.
  template <class Body>
  void each_path(std::uint32_t a, std::uint32_t b, const Body& body) const {
    for (const Target& target : targets_[b]) body(a, b, target);
    for (const Target& target : targets_[a]) body(b, a, target);
  }

  void mend_pair(std::uint32_t a, std::uint32_t b) {
    const bool talk =
        !fabric_.endports_at(SwitchId(a)).empty() || !fabric_.endports_at(SwitchId(b)).empty();
    Mask common = all_;
    each_path(a, b, [&](std::uint32_t s, std::uint32_t to, const Target& target) {
      common &= as_it_is(s, to, target.lid).agree;
    });
    if (common == 0) common = order_of_fewest_moves(a, b);
    each_path(a, b, [&](std::uint32_t s, std::uint32_t to, const Target& target) {
      Step step = as_it_is(s, to, target.lid);
      const bool moved = (step.agree & (common == 0 ? all_ : common)) == 0;
      if (moved) step = another_way(s, to, target, common == 0 ? all_ : common);
      settle(s, target, step, moved);
      if (talk)
        paths_.lane[at(target.lid, s)] = static_cast<std::uint8_t>(
            std::min(static_cast<int>(orders_.count()), std::countr_zero(common)));
    });
  }

  /// As a mask; 0 where none fits all paths.
  Mask order_of_fewest_moves(std::uint32_t a, std::uint32_t b) const {
    Mask best = 0;
    unsigned fewest = 0;
    for (unsigned order = 0; order < orders_.count(); ++order) {
      const auto wanted = static_cast<Mask>(1u << order);
      unsigned moves = 0;
      bool fits = true;
      each_path(a, b, [&](std::uint32_t s, std::uint32_t to, const Target& target) {
        if (!fits || (as_it_is(s, to, target.lid).agree & wanted) != 0) return;
        ++moves;
        fits = (another_way(s, to, target, wanted).agree & wanted) != 0;
      });
      if (!fits || (best != 0 && moves >= fewest)) continue;
      best = wanted;
      fewest = moves;
    }
    return best;
  }

  const Fabric& fabric_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  const Mask all_;
  Lfts& lfts_;
  Paths& paths_;
  std::vector<Mask> agree_;                   // as paths_.trunk
  std::vector<std::uint32_t> trunk_at_;       // by switch and port
  std::vector<std::vector<Target>> targets_;  // by switch
  std::vector<std::uint16_t> hops_;           // row by destination
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

/// Where all paths between two switches have one. `lids`: by switch.
std::uint8_t lane_of(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                     const Paths& paths) {
  if (!lids[b].empty()) return paths.lane[lids[b].front().value() * paths.switches + a];
  if (!lids[a].empty()) return paths.lane[lids[a].front().value() * paths.switches + b];
  return kSilent;
}

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
    lay_in_order(paths);
    for (std::size_t row = 0; row < paths.trunk.size(); row += paths.switches)
      for (std::size_t s = 0; s < paths.switches; ++s)
        if (paths.lane[row + s] == lanes_.size() && !lay_anywhere(paths, row, s)) return false;
    return true;
  }

  /// The same where all paths between two switches are to lie on one lane. `lids`: by switch.
  bool lay_pairs(std::span<const std::vector<Lid>> lids, Paths& paths) {
    lay_in_order(paths);
    for (std::size_t b = 0; b < paths.switches; ++b)
      for (std::size_t a = 0; a < b; ++a)
        if (lane_of(lids, a, b, paths) == lanes_.size() && !lay_pair_anywhere(lids, a, b, paths))
          return false;
    return true;
  }

 private:
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels(trunk).front(); }

  void lay_in_order(const Paths& paths) {
    for (std::size_t row = 0; row < paths.trunk.size(); row += paths.switches)
      for (std::size_t s = 0; s < paths.switches; ++s)
        if (paths.lane[row + s] < lanes_.size()) lay_in_order(paths, row, s);
  }

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

  void trace(const Paths& paths, std::size_t row, std::size_t s) {
    channels_.clear();
    for (std::uint32_t trunk = paths.trunk[row + s]; trunk != kNoWay;
         trunk = paths.trunk[row + trunks_.to(trunk)])
      channels_.push_back(lead(trunk));
  }

  bool lay_pair_anywhere(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                         Paths& paths) {
    std::vector<std::pair<std::size_t, std::size_t>> ends;  // row and source
    for (const Lid lid : lids[b]) ends.emplace_back(lid.value() * paths.switches, a);
    for (const Lid lid : lids[a]) ends.emplace_back(lid.value() * paths.switches, b);
    for (std::size_t lane = lanes_.size(); lane-- > 0;) {
      std::size_t laid = 0;
      for (; laid < ends.size(); ++laid) {
        trace(paths, ends[laid].first, ends[laid].second);
        if (!lanes_[lane].add_path(channels_)) break;
      }
      if (laid == ends.size()) {
        for (const auto& [row, s] : ends) paths.lane[row + s] = static_cast<std::uint8_t>(lane);
        return true;
      }
      while (laid-- > 0) {
        trace(paths, ends[laid].first, ends[laid].second);
        lanes_[lane].remove_path(channels_);
      }
    }
    return false;
  }

  bool lay_anywhere(Paths& paths, std::size_t row, std::size_t s) {
    trace(paths, row, s);
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

/// By pair of switches; `lids` by switch.
std::vector<std::uint8_t> by_pair(std::span<const std::vector<Lid>> lids, const Paths& paths) {
  std::vector<std::uint8_t> lanes(paths.switches * paths.switches, 0);
  for (std::size_t b = 0; b < paths.switches; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (const std::uint8_t lane = lane_of(lids, a, b, paths); lane != kSilent)
        lanes[a * paths.switches + b] = lanes[b * paths.switches + a] = lane;
  return lanes;
}

/// Calls attempt(lanes, orders) for 2 lanes and more until it returns lanes.
template <class Attempt>
std::optional<OrderedLanes> fewest_that_do(const Fabric& fabric, const Trunks& trunks,
                                           unsigned lanes_max, double unfitted_max,
                                           const Attempt& attempt) {
  lanes_max = std::min(lanes_max, SwitchOrders::kMost);
  const auto share =
      unfitted(fabric, trunks, SwitchOrders(fabric, trunks, lanes_max), Pairs::kOfEndports);
  for (unsigned lanes = 2; lanes <= lanes_max; ++lanes)
    if (share[lanes] <= unfitted_max)
      if (auto ordered = attempt(lanes, SwitchOrders(fabric, trunks, lanes))) return ordered;
  return std::nullopt;
}

}  // namespace

std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const auto to = destinations(fabric);
  const auto attempt = [&](unsigned lanes,
                           const SwitchOrders& orders) -> std::optional<OrderedLanes> {
    OrderedLanes ordered{lanes, lfts, {}};
    Paths paths(fabric);
    Mender(fabric, trunks, orders, ordered.lfts, paths).mend(to, threads);
    if (!Lanes(fabric, turns, trunks, orders, lanes).lay(paths)) return std::nullopt;
    ordered.lanes = by_source(paths);
    return ordered;
  };
  return fewest_that_do(fabric, trunks, lanes_max, unfitted_max, attempt);
}

std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const auto to = destinations(fabric);
  std::vector<std::vector<Lid>> lids(fabric.switch_count());
  for (const Destination& destination : to)
    for (const EndportId id : destination.endports)
      for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset)
        lids[destination.sw.value()].push_back(lid_at(fabric.endport(id), offset));
  const auto attempt = [&](unsigned lanes,
                           const SwitchOrders& orders) -> std::optional<OrderedLanes> {
    OrderedLanes ordered{lanes, lfts, {}};
    Paths paths(fabric);
    PairMender(fabric, trunks, orders, to, ordered.lfts, paths).mend(threads);
    if (!Lanes(fabric, turns, trunks, orders, lanes).lay_pairs(lids, paths)) return std::nullopt;
    ordered.lanes = by_pair(lids, paths);
    return ordered;
  };
  return fewest_that_do(fabric, trunks, lanes_max, unfitted_max, attempt);
}

}  // namespace weft
