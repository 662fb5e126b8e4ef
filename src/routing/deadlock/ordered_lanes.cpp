#include "routing/deadlock/ordered_lanes.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/hops.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

using Mask = SwitchOrders::Mask;

// Limit of rerouted pairs: above it little of the given tables would remain.
constexpr double kMovedMax = 1.0 / 3;
constexpr std::uint64_t kSearches = 64;    // limit of each lane, in visits of each channel
constexpr std::uint8_t kNoTraffic = 0xFF;  // as a lane: no packets
constexpr std::uint8_t kUnfitted = 0xFE;   // as a lane: it agrees with no order, has none yet
constexpr std::uint32_t kNoTrunk = 0xFFFFFFFF;

/// Paths row by source switch, then by LID: paths to LIDs behind one switch are adjacent.
struct Paths {
  explicit Paths(const Fabric& fabric)
      : switches(fabric.switch_count()),
        lids(std::size_t{fabric.lid_top().value()} + 1),
        trunk(switches * lids, kNoTrunk),
        lane(trunk.size(), kNoTraffic) {}

  std::size_t at(std::size_t s, std::size_t lid) const { return s * lids + lid; }

  std::size_t switches;
  std::size_t lids;
  std::vector<std::uint32_t> trunk;  // the first of the path
  std::vector<std::uint8_t> lane;    // or kNoTraffic, kUnfitted
};

/// The first order of the mask, as a lane.
std::uint8_t first_order(Mask agree) {
  return agree == 0 ? kUnfitted : static_cast<std::uint8_t>(std::countr_zero(agree));
}

constexpr std::size_t kPorts = 256;  // possible ports in a table

/// By switch and port; or kNoTrunk.
std::vector<std::uint32_t> trunks_by_port(const Fabric& fabric, const Trunks& trunks) {
  std::vector<std::uint32_t> found(fabric.switch_count() * kPorts, kNoTrunk);
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    for (const std::uint32_t channel : trunks.channels(t)) {
      const PortNum port = fabric.channel(ChannelId(channel)).from_port;
      found[trunks.from(t) * kPorts + port.value()] = t;
    }
  return found;
}

/// Finds for each path the first order that it agrees with, which is its lane, and reroutes those
/// that agree with none: over a path that agrees with some if there is one.
class Repairer {
 public:
  Repairer(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders, Lfts& lfts,
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

  void repair(std::span<const Destination> destinations, unsigned threads) const {
    threads = threads_worth(8 * paths_.trunk.size(), threads);
    parallel_for(destinations.size(), threads,
                 [&](std::size_t i) { mend_toward(destinations[i]); });
  }

 private:
  /// The path to one LID from a switch on.
  struct Rest {
    std::uint32_t trunk = 0;
    Mask agree = 0;
  };
  /// Data of all switches for one destination switch, nearest first.
  struct Around {
    std::vector<std::uint32_t> hops;
    std::vector<std::uint32_t> near_first;
  };

  PortNum port_of(std::uint32_t channel) const {
    return fabric_.channel(ChannelId(channel)).from_port;
  }

  Around around(SwitchId center) const {
    Around found{std::vector<std::uint32_t>(fabric_.switch_count(), kNoTrunk), {center.value()}};
    found.hops[center.value()] = 0;
    for (std::size_t head = 0; head < found.near_first.size(); ++head) {
      const std::uint32_t sw = found.near_first[head];
      for (std::uint32_t t = trunks_.first(sw); t < trunks_.first(sw + 1); ++t) {
        if (found.hops[trunks_.to(t)] != kNoTrunk) continue;
        found.hops[trunks_.to(t)] = found.hops[sw] + 1;
        found.near_first.push_back(trunks_.to(t));
      }
    }
    return found;
  }

  /// The remaining paths to one of the LIDs, by switch.
  struct Rests {
    const Rest* first = nullptr;
    std::size_t stride = 0;  // entries of all LIDs are adjacent
    const Rest& operator[](std::uint32_t sw) const { return first[sw * stride]; }
  };
  struct Target {
    Lid lid;
    bool host = false;
  };

  std::vector<Target> targets_of(const Destination& destination) const {
    std::vector<Target> targets;
    for (const EndportId id : destination.endports) {
      const Endport& endport = fabric_.endport(id);
      for (unsigned offset = 0; offset < lid_count(endport); ++offset) {
        const Lid lid = lid_at(endport, offset);
        targets.push_back({lid, !fabric_.is_switch(endport.node)});
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
        const std::size_t path = paths_.at(s, target.lid.value());
        paths_.trunk[path] = here[i].trunk;
        if (target.host || has_hosts_[s] != 0) paths_.lane[path] = first_order(here[i].agree);
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
    if (trunk != kNoTrunk && hops[trunks_.to(trunk)] < hops[s])
      if (const Mask found = agree(trunk, hops, rests); found != 0) return {trunk, found};
    const Rest other = another_path(s, target.host, hops, rests);
    const auto cables = trunks_.channels(other.trunk);
    lfts_.set(SwitchId(s), target.lid, port_of(cables[target.lid.value() % cables.size()]));
    return other;
  }

  /// If no path agrees with an order: the one over the highest switch to hosts, over the lowest to
  /// switches. On a tree such paths then go up again beside the host with the missing cable, and
  /// are similar.
  Rest another_path(std::uint32_t s, bool host, std::span<const std::uint32_t> hops,
                    const Rests& rests) const {
    Rest best{kNoTrunk, 0};
    const auto place = orders_.places(0);
    for (std::uint32_t t = trunks_.first(s); t < trunks_.first(s + 1); ++t) {
      if (hops[trunks_.to(t)] >= hops[s]) continue;
      const Rest here{t, agree(t, hops, rests)};
      const bool better = (here.agree != 0) != (best.agree != 0)
                              ? here.agree != 0
                              : best.trunk != kNoTrunk &&
                                    (place[trunks_.to(t)] > place[trunks_.to(best.trunk)]) == host;
      if (best.trunk == kNoTrunk || better) best = here;
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

/// The same for pairs of switches: one order that all paths between the two agree with, in both
/// directions. Nearest pairs come first, because their paths are parts of others.
class PairRepairer {
 public:
  /// `lfts` are the initial tables.
  PairRepairer(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
               std::span<const std::vector<Lid>> lids, const Lfts& lfts, unsigned threads)
      : fabric_(fabric),
        trunks_(trunks),
        orders_(orders),
        all_(mask_of(orders.count())),
        given_(lfts),
        paths_(fabric),
        lids_(lids),
        threads_(threads_worth(8 * paths_.trunk.size(), threads)),
        trunk_at_(trunks_by_port(fabric, trunks)),
        hops_(std::size_t{fabric.switch_count()} * fabric.switch_count()),
        differs_(fabric.switch_count()),
        moved_(fabric.switch_count()) {
    measure();
  }

  struct Repaired {
    unsigned orders = 0;     // up to so many orders, `count` or more, the result is the same
    double pairs_moved = 0;  // as a share of all
  };
  /// Reroutes with the first `count` orders.
  Repaired repair(unsigned count) {
    count_ = count;
    first_ = mask_of(count);
    lfts_ = given_;
    paths_ = Paths(fabric_);
    agree_.assign(paths_.trunk.size(), 0);
    std::ranges::fill(differs_, std::uint8_t{0});
    std::ranges::fill(moved_, 0u);
    for (std::uint16_t h = 1; h <= most_hops_; ++h)
      parallel_blocks(switches(), 8, threads_, [&](std::size_t begin, std::size_t end) {
        std::vector<Step> steps;
        for (std::size_t b = begin; b < end; ++b)
          for (std::uint32_t a = 0; a < b; ++a)
            if (hops(a, static_cast<std::uint32_t>(b)) == h)
              mend_pair({a, static_cast<std::uint32_t>(b)}, steps);
      });
    const double pairs = 0.5 * switches() * (switches() - 1.0);
    return {std::ranges::find(differs_, 1) == differs_.end() ? orders_.count() : count,
            std::accumulate(moved_.begin(), moved_.end(), 0.0) / std::max(1.0, pairs)};
  }

  const Lfts& lfts() const { return lfts_; }
  Paths& paths() { return paths_; }

 private:
  struct Pair {
    std::uint32_t a;
    std::uint32_t b;
  };
  struct Step {
    std::uint32_t trunk = kNoTrunk;
    Mask agree = 0;  // for all orders
  };

  static Mask mask_of(unsigned orders) { return static_cast<Mask>((1u << orders) - 1); }
  std::uint32_t switches() const { return fabric_.switch_count(); }
  std::uint16_t hops(std::uint32_t from, std::uint32_t to) const {
    return hops_[std::size_t{to} * paths_.switches + from];
  }

  void measure() {
    std::vector<std::uint16_t> farthest(switches(), 0);
    parallel_for(switches(), threads_, [&](std::size_t b) {
      const SwitchId start[] = {SwitchId(static_cast<std::uint32_t>(b))};
      const auto hops = hops_from(fabric_, start);
      std::ranges::copy(hops, &hops_[b * switches()]);
      for (const std::uint16_t h : hops)
        if (h != kNoHops) farthest[b] = std::max(farthest[b], h);
    });
    for (const std::uint16_t h : farthest) most_hops_ = std::max(most_hops_, h);
  }

  Mask agree(std::uint32_t trunk, std::uint32_t to, Lid lid) const {
    const std::uint32_t over = trunks_.to(trunk);
    if (over == to) return all_;
    const std::size_t rest = paths_.at(over, lid.value());
    return static_cast<Mask>(agree_[rest] & orders_.agree(trunk, paths_.trunk[rest]));
  }

  /// The paths to all LIDs behind a switch by the tables; a missing or not shortest path agrees
  /// with nothing.
  void add_as_they_are(std::uint32_t s, std::uint32_t to, std::vector<Step>& steps) const {
    const auto ports = lfts_.row(SwitchId(s));
    const auto trunk_at = std::span(trunk_at_).subspan(s * kPorts, kPorts);
    const auto hops = std::span(hops_).subspan(std::size_t{to} * switches(), switches());
    for (const Lid lid : lids_[to]) {
      const std::uint32_t trunk = trunk_at[ports[lid.value()]];
      const bool leads_there = trunk != kNoTrunk && hops[trunks_.to(trunk)] < hops[s];
      steps.push_back(leads_there ? Step{trunk, agree(trunk, to, lid)} : Step{});
    }
  }

  /// Of the paths that agree with the allowed orders, or of all if there is none, the one over the
  /// highest switch: on a tree such paths go up again at the same leaf of a pod in both directions.
  Step another_path(Pair pair, std::uint32_t s, std::uint32_t to, Lid lid, Mask wanted) {
    Step best;
    bool best_fits = false;
    const auto place = orders_.places(0);
    const auto hops = std::span(hops_).subspan(std::size_t{to} * switches(), switches());
    const std::uint32_t end = trunks_.first(s + 1);
    for (std::uint32_t t = trunks_.first(s); t < end; ++t) {
      if (hops[trunks_.to(t)] >= hops[s]) continue;
      const Step here{t, agree(t, to, lid)};
      const bool fits = does_fit(pair, here.agree, wanted);
      const bool better =
          best.trunk == kNoTrunk ||
          (fits != best_fits ? fits : place[trunks_.to(t)] > place[trunks_.to(best.trunk)]);
      if (!better) continue;
      best = here;
      best_fits = fits;
    }
    return best;
  }

  /// Does it agree with an allowed order? Where any of the first is acceptable, records if only
  /// later ones fit.
  bool does_fit(Pair pair, Mask agree, Mask wanted) {
    const bool fits = (agree & wanted) != 0;
    if (!fits && wanted == first_ && agree != 0) differs_[pair.b] = 1;
    return fits;
  }

  void settle(std::uint32_t s, Lid lid, const Step& step, std::uint8_t lane) {
    const std::size_t path = paths_.at(s, lid.value());
    paths_.trunk[path] = step.trunk;
    agree_[path] = step.agree;
    paths_.lane[path] = lane;
  }

  void lead_over(std::uint32_t s, Lid lid, std::uint32_t trunk) {
    const auto cables = trunks_.channels(trunk);
    const ChannelId channel(cables[lid.value() % cables.size()]);
    lfts_.set(SwitchId(s), lid, fabric_.channel(channel).from_port);
  }

  /// Calls body(source, destination, LID) for each path between two switches.
  template <class Body>
  void each_path(Pair pair, const Body& body) const {
    for (const Lid lid : lids_[pair.b]) body(pair.a, pair.b, lid);
    for (const Lid lid : lids_[pair.a]) body(pair.b, pair.a, lid);
  }

  bool exchange_packets(Pair pair) const {
    return !fabric_.endports_at(SwitchId(pair.a)).empty() ||
           !fabric_.endports_at(SwitchId(pair.b)).empty();
  }

  void mend_pair(Pair pair, std::vector<Step>& steps) {
    steps.clear();
    add_as_they_are(pair.a, pair.b, steps);
    add_as_they_are(pair.b, pair.a, steps);
    Mask common = all_;
    for (const Step& step : steps) common &= step.agree;
    Mask order = common & first_;
    if (order == 0) {
      ++moved_[pair.b];
      if (common != 0) differs_[pair.b] = 1;
      order = order_with_fewest_moves(pair, steps);
      move(pair, order == 0 ? first_ : order, steps);
    }
    const std::uint8_t lane = exchange_packets(pair) ? first_order(order) : kNoTraffic;
    const Step* step = steps.data();
    each_path(pair,
              [&](std::uint32_t s, std::uint32_t, Lid lid) { settle(s, lid, *step++, lane); });
  }

  /// Reroutes paths that do not agree with the allowed orders.
  void move(Pair pair, Mask wanted, std::vector<Step>& steps) {
    Step* step = steps.data();
    each_path(pair, [&](std::uint32_t s, std::uint32_t to, Lid lid) {
      if (!does_fit(pair, step->agree, wanted)) {
        *step = another_path(pair, s, to, lid, wanted);
        lead_over(s, lid, step->trunk);
      }
      ++step;
    });
  }

  /// As a mask; 0 where no order fits all paths.
  Mask order_with_fewest_moves(Pair pair, std::span<const Step> steps) {
    Mask best = 0;
    std::ptrdiff_t fewest = 0;
    for (unsigned order = 0; order < orders_.count(); ++order) {
      const auto wanted = static_cast<Mask>(1u << order);
      const auto moves = std::ranges::count_if(
          steps, [&](const Step& step) { return (step.agree & wanted) == 0; });
      if ((best != 0 && moves >= fewest) || !can_fit(pair, steps, wanted)) continue;
      if (order >= count_) {
        differs_[pair.b] = 1;
        break;
      }
      best = wanted;
      fewest = moves;
    }
    return best;
  }

  /// Can all paths agree with an order, with some of them rerouted?
  bool can_fit(Pair pair, std::span<const Step> steps, Mask order) {
    bool fits = true;
    const Step* step = steps.data();
    each_path(pair, [&](std::uint32_t s, std::uint32_t to, Lid lid) {
      const bool moved = ((step++)->agree & order) == 0;
      if (fits && moved) fits = (another_path(pair, s, to, lid, order).agree & order) != 0;
    });
    return fits;
  }

  const Fabric& fabric_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  const Mask all_;
  const Lfts& given_;
  Lfts lfts_;
  Paths paths_;
  const std::span<const std::vector<Lid>> lids_;  // by switch
  const unsigned threads_;
  unsigned count_ = 0;                   // number of allowed orders
  Mask first_ = 0;                       // allowed orders
  std::vector<Mask> agree_;              // like paths_.trunk; for all orders
  std::vector<std::uint32_t> trunk_at_;  // by switch and port
  std::vector<std::uint16_t> hops_;      // row by destination
  std::uint16_t most_hops_ = 0;
  std::vector<std::uint8_t> differs_;  // by switch b of pairs: more orders would change a path
  std::vector<std::uint32_t> moved_;   // by switch b: pairs with rerouted paths
};

/// A small set of turns: nearly all paths make turns of earlier paths, which these few words show.
class TrunkTurns {
 public:
  explicit TrunkTurns(const Trunks& trunks) : row_(trunks.count() + std::size_t{1}, 0) {
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      row_[t + 1] =
          row_[t] + (trunks.first(trunks.to(t) + 1) - trunks.first(trunks.to(t)) + 63) / 64;
    words_.resize(row_.back());
  }
  /// Adds the turn from a trunk to output number `output` at its end; false where it was present.
  bool add(std::uint32_t trunk, std::uint32_t output) {
    std::uint64_t& word = words_[row_[trunk] + output / 64];
    const std::uint64_t bit = std::uint64_t{1} << (output % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

 private:
  std::vector<std::uint32_t> row_;  // by trunk: of the first word; and one more
  std::vector<std::uint64_t> words_;
};

/// The common lane of all paths of a pair. `lids`: by switch.
std::uint8_t lane_of(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                     const Paths& paths) {
  if (!lids[b].empty()) return paths.lane[paths.at(a, lids[b].front().value())];
  if (!lids[a].empty()) return paths.lane[paths.at(b, lids[a].front().value())];
  return kNoTraffic;
}

/// Puts all paths on lanes. Trunks stand for their cables, by their first channels.
class Lanes {
 public:
  Lanes(const Fabric& fabric, const Turns& turns, const Trunks& trunks, const SwitchOrders& orders,
        unsigned count)
      : fabric_(fabric), turns_(turns), trunks_(trunks), orders_(orders) {
    while (this->count() < count) add_lane();
  }

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }

  /// Adds the lane of the next order.
  void add_lane() {
    // Other cables come after all first ones.
    const auto row = orders_.row_of(count(), trunks_);
    std::vector<std::uint32_t> place(fabric_.channel_count());
    std::uint32_t next = trunks_.count();
    for (std::uint32_t t = 0; t < trunks_.count(); ++t) {
      const auto cables = trunks_.channels(t);
      place[cables.front()] = row[t];
      for (const std::uint32_t cable : cables.subspan(1)) place[cable] = next++;
    }
    lanes_.emplace_back(turns_, std::move(place), kSearches * fabric_.channel_count());
  }

  /// Adds to the lanes the paths that have an order.
  void add_in_order(const Paths& paths) {
    std::vector<TrunkTurns> laid(lanes_.size(), TrunkTurns(trunks_));
    for (std::size_t s = 0; s < paths.switches; ++s)
      for (std::size_t lid = 0; lid < paths.lids; ++lid)
        if (paths.lane[paths.at(s, lid)] < lanes_.size()) add_in_order(paths, s, lid, laid);
  }

  /// Puts the other paths on lanes and sets their lane. False where some fits on none.
  bool assign_others(Paths& paths) {
    for (std::size_t lid = 0; lid < paths.lids; ++lid)
      for (std::size_t s = 0; s < paths.switches; ++s)
        if (paths.lane[paths.at(s, lid)] == kUnfitted && !lay_anywhere(paths, s, lid)) return false;
    return true;
  }

  /// The same with all paths between two switches on one lane. `lids`: by switch.
  bool assign_other_pairs(std::span<const std::vector<Lid>> lids, Paths& paths) {
    for (std::size_t b = 0; b < paths.switches; ++b)
      for (std::size_t a = 0; a < b; ++a)
        if (lane_of(lids, a, b, paths) == kUnfitted && !lay_pair_anywhere(lids, a, b, paths))
          return false;
    return true;
  }

 private:
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels(trunk).front(); }

  /// Adds the turns of a path, up to where another path on the same lane has the rest.
  void add_in_order(const Paths& paths, std::size_t s, std::size_t lid,
                    std::span<TrunkTurns> laid) {
    const std::uint8_t lane = paths.lane[paths.at(s, lid)];
    std::uint32_t in = paths.trunk[paths.at(s, lid)];
    while (true) {
      const std::uint32_t over = trunks_.to(in);
      const std::size_t rest = paths.at(over, lid);
      const std::uint32_t out = paths.trunk[rest];
      if (out == kNoTrunk) return;
      if (laid[lane].add(in, out - trunks_.first(over)))
        CHECK(lanes_[lane].add(lead(in), lead(out)));
      if (paths.lane[rest] == lane) return;
      in = out;
    }
  }

  void trace(const Paths& paths, std::size_t s, std::size_t lid) {
    channels_.clear();
    for (std::uint32_t trunk = paths.trunk[paths.at(s, lid)]; trunk != kNoTrunk;
         trunk = paths.trunk[paths.at(trunks_.to(trunk), lid)])
      channels_.push_back(lead(trunk));
  }

  bool lay_pair_anywhere(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                         Paths& paths) {
    std::vector<std::pair<std::size_t, std::size_t>> ends;  // source and LID
    for (const Lid lid : lids[b]) ends.emplace_back(a, lid.value());
    for (const Lid lid : lids[a]) ends.emplace_back(b, lid.value());
    for (std::size_t lane = lanes_.size(); lane-- > 0;) {
      std::size_t laid = 0;
      for (; laid < ends.size(); ++laid) {
        trace(paths, ends[laid].first, ends[laid].second);
        if (!lanes_[lane].add_path(channels_)) break;
      }
      if (laid == ends.size()) {
        for (const auto& [s, lid] : ends)
          paths.lane[paths.at(s, lid)] = static_cast<std::uint8_t>(lane);
        return true;
      }
      while (laid-- > 0) {
        trace(paths, ends[laid].first, ends[laid].second);
        lanes_[lane].remove_path(channels_);
      }
    }
    return false;
  }

  bool lay_anywhere(Paths& paths, std::size_t s, std::size_t lid) {
    trace(paths, s, lid);
    // The last lane has fewest paths.
    for (std::size_t lane = lanes_.size(); lane-- > 0;)
      if (lanes_[lane].add_path(channels_)) {
        paths.lane[paths.at(s, lid)] = static_cast<std::uint8_t>(lane);
        return true;
      }
    return false;
  }

  const Fabric& fabric_;
  const Turns& turns_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  std::vector<AcyclicTurns> lanes_;
  std::vector<std::uint32_t> channels_;
};

/// Row by source switch.
std::vector<std::uint8_t> by_source(const Paths& paths) {
  std::vector<std::uint8_t> lanes = paths.lane;
  std::ranges::replace(lanes, kNoTraffic, std::uint8_t{0});
  return lanes;
}

/// By pair of switches; `lids` by switch.
std::vector<std::uint8_t> by_pair(std::span<const std::vector<Lid>> lids, const Paths& paths) {
  std::vector<std::uint8_t> lanes(paths.switches * paths.switches, 0);
  for (std::size_t b = 0; b < paths.switches; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (const std::uint8_t lane = lane_of(lids, a, b, paths); lane != kNoTraffic)
        lanes[a * paths.switches + b] = lanes[b * paths.switches + a] = lane;
  return lanes;
}

/// Calls attempt(lanes) for 2 and more lanes, if few enough paths fit none of them, until it
/// returns lanes.
template <class Attempt>
std::optional<OrderedLanes> fewest_that_do(const Fabric& fabric, const Trunks& trunks,
                                           const SwitchOrders& orders, double unfitted_max,
                                           const Attempt& attempt) {
  const auto share = unfitted(fabric, trunks, orders, Pairs::kOfEndports);
  for (unsigned lanes = 2; lanes <= orders.count(); ++lanes)
    if (share[lanes] <= unfitted_max)
      if (auto ordered = attempt(lanes)) return ordered;
  return std::nullopt;
}

/// By switch.
std::vector<std::vector<Lid>> lids_of(const Fabric& fabric,
                                      std::span<const Destination> destinations) {
  std::vector<std::vector<Lid>> lids(fabric.switch_count());
  for (const Destination& destination : destinations)
    for (const EndportId id : destination.endports)
      for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset)
        lids[destination.sw.value()].push_back(lid_at(fabric.endport(id), offset));
  return lids;
}

}  // namespace

std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const SwitchOrders most(fabric, trunks, std::min(lanes_max, SwitchOrders::kMost));
  const auto to = destinations(fabric);
  const auto attempt = [&](unsigned count) -> std::optional<OrderedLanes> {
    const SwitchOrders orders(fabric, trunks, count);
    OrderedLanes ordered{count, lfts, {}};
    Paths paths(fabric);
    Repairer(fabric, trunks, orders, ordered.lfts, paths).repair(to, threads);
    Lanes lanes(fabric, turns, trunks, orders, count);
    lanes.add_in_order(paths);
    if (!lanes.assign_others(paths)) return std::nullopt;
    ordered.lanes = by_source(paths);
    return ordered;
  };
  return fewest_that_do(fabric, trunks, most, unfitted_max, attempt);
}

std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const SwitchOrders orders(fabric, trunks, std::min(lanes_max, SwitchOrders::kMost));
  const auto lids = lids_of(fabric, destinations(fabric));
  std::optional<PairRepairer> mender;
  std::optional<Lanes> in_order;
  PairRepairer::Repaired repaired;
  const auto attempt = [&](unsigned count) -> std::optional<OrderedLanes> {
    if (!mender) mender.emplace(fabric, trunks, orders, lids, lfts, threads);
    if (repaired.orders < count) {
      // More orders would change paths, and few of those fit.
      if (repaired.pairs_moved > kMovedMax) return std::nullopt;
      repaired = mender->repair(count);
      in_order.emplace(fabric, turns, trunks, orders, count);
      in_order->add_in_order(mender->paths());
    }
    while (in_order->count() < count) in_order->add_lane();
    Lanes lanes = *in_order;
    Paths paths = mender->paths();
    if (!lanes.assign_other_pairs(lids, paths)) return std::nullopt;
    return OrderedLanes{count, mender->lfts(), by_pair(lids, paths)};
  };
  return fewest_that_do(fabric, trunks, orders, unfitted_max, attempt);
}

}  // namespace weft
