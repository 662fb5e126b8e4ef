// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/pair_repair.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "fabric/hops.h"

namespace weft::ordered {

PairRepairer::PairRepairer(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                           std::span<const std::vector<Lid>> lids, const Lfts& lfts,
                           unsigned threads)
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

PairRepairer::Repaired PairRepairer::repair(unsigned count) {
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
            repair_pair({a, static_cast<std::uint32_t>(b)}, steps);
    });
  const double pairs = 0.5 * switches() * (switches() - 1.0);
  return {std::ranges::find(differs_, 1) == differs_.end() ? orders_.count() : count,
          std::accumulate(moved_.begin(), moved_.end(), 0.0) / std::max(1.0, pairs)};
}

void PairRepairer::measure() {
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

Mask PairRepairer::agree(std::uint32_t trunk, std::uint32_t to, Lid lid) const {
  const std::uint32_t over = trunks_.head.data()[trunk];
  if (over == to) return all_;
  const std::size_t rest = paths_.at(over, lid.value());
  return static_cast<Mask>(agree_.data()[rest] & orders_.agree(trunk, paths_.trunk.data()[rest]));
}

void PairRepairer::add_given_paths(std::uint32_t s, std::uint32_t to,
                                   std::vector<Step>& steps) const {
  const auto ports = lfts_.row(SwitchId(s));
  const auto trunk_at = std::span(trunk_at_).subspan(s * kPorts, kPorts);
  const auto hops = std::span(hops_).subspan(std::size_t{to} * switches(), switches());
  for (const Lid lid : lids_[to]) {
    const std::uint32_t trunk = trunk_at[ports[lid.value()]];
    const bool is_minimal = trunk != kNoTrunk && hops[trunks_.head[trunk]] < hops[s];
    steps.push_back(is_minimal ? Step{trunk, agree(trunk, to, lid)} : Step{});
  }
}

PairRepairer::Step PairRepairer::another_path(Pair pair, std::uint32_t s, std::uint32_t to, Lid lid,
                                              Mask wanted) {
  Step best;
  bool best_fits = false;
  const auto place = orders_.places(0);
  const std::uint16_t* const hops = &hops_[std::size_t{to} * switches()];
  const std::uint32_t* const head = trunks_.head.data();
  const std::uint32_t end = trunks_.begin[s + 1];
  for (std::uint32_t t = trunks_.begin[s]; t < end; ++t) {
    if (hops[head[t]] >= hops[s]) continue;
    const Step here{t, agree(t, to, lid)};
    const bool fits = does_fit(pair, here.agree, wanted);
    const bool better = best.trunk == kNoTrunk ||
                        (fits != best_fits ? fits : place[head[t]] > place[head[best.trunk]]);
    if (!better) continue;
    best = here;
    best_fits = fits;
  }
  return best;
}

bool PairRepairer::does_fit(Pair pair, Mask agree, Mask wanted) {
  const bool fits = (agree & wanted) != 0;
  if (!fits && wanted == first_ && agree != 0) differs_[pair.b] = 1;
  return fits;
}

void PairRepairer::settle(std::uint32_t s, Lid lid, const Step& step, std::uint8_t lane) {
  const std::size_t path = paths_.at(s, lid.value());
  paths_.trunk[path] = step.trunk;
  agree_[path] = step.agree;
  paths_.lane[path] = lane;
}

void PairRepairer::route_over(std::uint32_t s, Lid lid, std::uint32_t trunk) {
  const auto cables = trunks_.channels_of(trunk);
  const ChannelId channel(cables[lid.value() % cables.size()]);
  lfts_.set(SwitchId(s), lid, fabric_.channel(channel).from_port);
}

bool PairRepairer::exchange_packets(Pair pair) const {
  return !fabric_.endports_at(SwitchId(pair.a)).empty() ||
         !fabric_.endports_at(SwitchId(pair.b)).empty();
}

void PairRepairer::repair_pair(Pair pair, std::vector<Step>& steps) {
  steps.clear();
  add_given_paths(pair.a, pair.b, steps);
  add_given_paths(pair.b, pair.a, steps);
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
  each_path(pair, [&](std::uint32_t s, std::uint32_t, Lid lid) { settle(s, lid, *step++, lane); });
}

void PairRepairer::move(Pair pair, Mask wanted, std::vector<Step>& steps) {
  Step* step = steps.data();
  each_path(pair, [&](std::uint32_t s, std::uint32_t to, Lid lid) {
    if (!does_fit(pair, step->agree, wanted)) {
      *step = another_path(pair, s, to, lid, wanted);
      route_over(s, lid, step->trunk);
    }
    ++step;
  });
}

Mask PairRepairer::order_with_fewest_moves(Pair pair, std::span<const Step> steps) {
  Mask best = 0;
  std::ptrdiff_t fewest = 0;
  for (unsigned order = 0; order < orders_.count(); ++order) {
    const auto wanted = static_cast<Mask>(1u << order);
    const auto moves =
        std::ranges::count_if(steps, [&](const Step& step) { return (step.agree & wanted) == 0; });
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

bool PairRepairer::can_fit(Pair pair, std::span<const Step> steps, Mask order) {
  bool fits = true;
  const Step* step = steps.data();
  each_path(pair, [&](std::uint32_t s, std::uint32_t to, Lid lid) {
    const bool moved = ((step++)->agree & order) == 0;
    if (fits && moved) fits = (another_path(pair, s, to, lid, order).agree & order) != 0;
  });
  return fits;
}

}  // namespace weft::ordered
