// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/lane_plan.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "routing/deadlock/turns.h"
#include "routing/hoplanes/turn_lanes.h"
#include "routing/tables/pair_paths.h"

namespace weft::hoplanes {
namespace {

// Each SL is tried for each pair of switches. To limit the time, only the best order is tried on a
// fabric with more switches.
constexpr std::uint32_t kSwitchesForAllOrders = 600;
constexpr std::size_t kOrdersOfLarge = 1;
constexpr std::size_t kOrdersTried = 3;

std::size_t pair_at(std::uint32_t a, std::uint32_t b) { return std::size_t{b} * (b - 1) / 2 + a; }

/// Number of times that lanes rise along paths, with one order of the channels.
struct Rises {
  const ChannelOrder* order = nullptr;
  std::vector<std::uint8_t> of_pair;  // maximum over the pair's paths; see pair_at()
  unsigned most = 0;
  std::uint64_t sum = 0;
};

unsigned rises_of(std::span<const std::uint32_t> path, const ChannelOrder& place) {
  unsigned rises = 0;
  for (std::size_t i = 1; i < path.size(); ++i)
    rises += place[path[i - 1]] < place[path[i]] ? 0 : 1;
  return rises;
}

std::vector<Rises> count_rises(const Fabric& fabric, const Lfts& lfts,
                               std::span<const ChannelOrder> orders, unsigned threads) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<Rises> result(orders.size());
  for (std::size_t o = 0; o < orders.size(); ++o) {
    result[o].order = &orders[o];
    result[o].of_pair.assign(std::size_t{switches} * (switches - std::min(switches, 1u)) / 2, 0);
  }
  const std::size_t workers = threads == 0 ? hardware_threads() : threads;
  parallel_for(workers, threads, [&](std::size_t w) {
    PairPaths pairs(fabric, lfts);
    for (auto b = static_cast<std::uint32_t>(w); b < switches;
         b += static_cast<std::uint32_t>(workers))
      for (std::uint32_t a = 0; a < b; ++a)
        for (const auto& path : pairs.between(SwitchId(a), SwitchId(b)))
          for (std::size_t o = 0; o < orders.size(); ++o) {
            std::uint8_t& most = result[o].of_pair[pair_at(a, b)];
            most = static_cast<std::uint8_t>(
                std::clamp<unsigned>(rises_of(path, orders[o]), most, 0xFF));
          }
  });
  for (Rises& rises : result)
    for (const std::uint8_t of_pair : rises.of_pair) {
      rises.most = std::max<unsigned>(rises.most, of_pair);
      rises.sum += of_pair;
    }
  return result;
}

/// Assigns each pair of switches the first SL on which all paths of the pair fit. With classes, the
/// SL of the classes of both switches is tried first. Pairs with the most rises come first.
class SlAssignment {
 public:
  SlAssignment(const Fabric& fabric, const TurnRows& rows, const Lfts& lfts, const Rises& rises,
               std::span<const std::uint32_t> classes, unsigned lanes)
      : fabric_(fabric),
        rows_(rows),
        pairs_(fabric, lfts),
        rises_(rises),
        classes_(classes),
        lanes_(lanes) {}

  /// Returns false if the paths of a pair fit on no SL.
  bool run() {
    sl_.assign(rises_.of_pair.size(), 0);
    for (unsigned rises = rises_.most + 1; rises-- > 0;)
      for (std::uint32_t b = 0; b < fabric_.switch_count(); ++b)
        for (std::uint32_t a = 0; a < b; ++a)
          if (rises_.of_pair[pair_at(a, b)] == rises && !place(a, b)) return false;
    return true;
  }

  LanePlan plan() const {
    LanePlan plan{
        lanes_, static_cast<unsigned>(std::max<std::size_t>(of_sl_.size(), 1)), {}, maps()};
    if (of_sl_.size() < 2) return plan;
    const std::uint32_t switches = fabric_.switch_count();
    std::vector<std::uint8_t> table(std::size_t{switches} * switches, 0);
    for (std::uint32_t b = 0; b < switches; ++b)
      for (std::uint32_t a = 0; a < b; ++a)
        table[std::size_t{a} * switches + b] = table[std::size_t{b} * switches + a] =
            sl_[pair_at(a, b)];
    plan.path_sl = PathSl::by_switch_pair(switches, std::move(table));
    return plan;
  }

 private:
  bool place(std::uint32_t a, std::uint32_t b) {
    const auto paths = pairs_.between(SwitchId(a), SwitchId(b));
    const auto assign = [&](std::size_t sl) {
      while (sl >= of_sl_.size()) of_sl_.emplace_back(rows_, *rises_.order, lanes_);
      if (!of_sl_[sl].add(paths)) return false;
      sl_[pair_at(a, b)] = static_cast<std::uint8_t>(sl);
      return true;
    };
    if (!classes_.empty() && assign(sl_of_classes(classes_[a], classes_[b]))) return true;
    for (std::size_t sl = 0; sl < kSlsMost; ++sl)
      if (assign(sl)) return true;
    return false;
  }

  /// Pairs within one class use the SL of this class and the next class.
  static std::size_t sl_of_classes(std::uint32_t a, std::uint32_t b) {
    if (a == b) b = (b + 1) % kClassesMost;
    return pair_at(std::min(a, b), std::max(a, b));
  }

  /// The maps of all SLs; unused SLs are mapped as SL 0.
  Sl2Vl maps() const {
    Sl2Vl maps(modulo_map(1));
    const Turns& turns = rows_.turns();
    for (std::uint32_t in = 0; in < turns.channel_count(); ++in)
      for (std::uint32_t out = turns.first_out(in); out < turns.first_out(in) + turns.outs(in);
           ++out) {
        SlMap map{};
        for (std::size_t sl = 0; sl < kSlCount && !of_sl_.empty(); ++sl)
          map[sl] = static_cast<std::uint8_t>(
              of_sl_[sl < of_sl_.size() ? sl : 0].lane(turns.turn(in, out)));
        if (map == SlMap{}) continue;
        const Channel& channel = fabric_.channel(ChannelId(out));
        maps.set(channel.from, fabric_.channel(ChannelId(in)).to_port, channel.from_port, map);
      }
    return maps;
  }

  const Fabric& fabric_;
  const TurnRows& rows_;
  PairPaths pairs_;
  const Rises& rises_;
  std::span<const std::uint32_t> classes_;
  const unsigned lanes_;
  std::vector<TurnLanes> of_sl_;
  std::vector<std::uint8_t> sl_;  // by pair
};

}  // namespace

std::optional<LanePlan> plan_lanes(const Fabric& fabric, const Lfts& lfts,
                                   std::span<const ChannelOrder> orders,
                                   std::span<const std::uint32_t> classes, unsigned least,
                                   unsigned most, unsigned threads) {
  const Turns turns(fabric);
  const TurnRows rows(turns);
  auto rises = count_rises(fabric, lfts, orders, threads);
  std::ranges::stable_sort(rises, [](const Rises& a, const Rises& b) {
    return std::pair(a.most, a.sum) < std::pair(b.most, b.sum);
  });
  rises.resize(std::min(
      rises.size(), fabric.switch_count() > kSwitchesForAllOrders ? kOrdersOfLarge : kOrdersTried));
  const auto plan_on = [&](unsigned lanes) -> std::optional<LanePlan> {
    for (const Rises& tried : rises) {
      if (tried.most >= lanes) continue;
      SlAssignment assignment(fabric, rows, lfts, tried, classes, lanes);
      if (assignment.run()) return assignment.plan();
    }
    return std::nullopt;
  };
  // A plan on `most` lanes takes little time. If there is none, fewer lanes need not be tried.
  auto plan = plan_on(most);
  for (unsigned lanes = std::max(least, 1u); plan && lanes < most; ++lanes)
    if (auto fewer = plan_on(lanes)) return fewer;
  return plan;
}

}  // namespace weft::hoplanes
