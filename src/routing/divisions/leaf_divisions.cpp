// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/divisions/leaf_divisions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "fabric/link_rates.h"
#include "ib/adaptive_unconfirmed.h"
#include "routing/divisions/flow_splits.h"

namespace weft {
namespace {

constexpr double kLeastGain = 1.125;
constexpr double kEqual = 1 + 1e-9;
constexpr double kNoFlow = 1e-9;

/// The mean of the flows, divided by the least flow, which is the last. If the traffic is divided
/// equally among the ports, this is the overload of the port with the least flow.
double overload(std::span<const std::pair<PortNum, double>> flows) {
  double sum = 0;
  for (const auto& [port, flow] : flows) sum += flow;
  return sum / static_cast<double>(flows.size()) / std::max(flows.back().second, kNoFlow);
}

/// Sets the weights; `second` is the part of the second sub-group.
void set_weights(double second, GroupDivision& division) {
  constexpr long kSum = ar_unconfirmed::kWeightSum;
  const long rounded = std::clamp(std::lround(kSum * second), 1L, kSum - 1);
  division.first_weight = static_cast<std::uint8_t>(kSum - rounded);
  division.second_weight = static_cast<std::uint8_t>(rounded);
}

/// The base LIDs of the hosts at a switch; if there are no hosts, or aggregation nodes only, those
/// of all endports at the switch.
std::vector<Lid> lids_at(const Fabric& fabric, SwitchId sw) {
  std::vector<Lid> of_hosts, all;
  for (const EndportId id : fabric.endports_at(sw)) {
    const Endport& endport = fabric.endport(id);
    if (!endport.addressed()) continue;
    all.push_back(endport.lid);
    if (!fabric.is_switch(endport.node) && !is_aggregation_node(fabric.node(endport.node)))
      of_hosts.push_back(endport.lid);
  }
  return of_hosts.empty() ? all : of_hosts;
}

/// The choices toward the switches with addressed endports, in ascending order. A switch is left
/// out if the paths to it contain a cycle.
std::vector<LeafChoices> leaf_choices(const Fabric& fabric, const Routes& routes,
                                      unsigned threads) {
  std::vector<std::optional<LeafChoices>> found(fabric.switch_count());
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId leaf(static_cast<std::uint32_t>(s));
    const std::vector<Lid> lids = lids_at(fabric, leaf);
    if (lids.empty()) return;
    if (auto order = choice_order(fabric, routes, leaf, lids))
      found[s] = LeafChoices{leaf, lids[0], std::move(*order)};
  });
  std::vector<LeafChoices> leaves;
  for (auto& leaf : found)
    if (leaf) leaves.push_back(std::move(*leaf));
  return leaves;
}

/// Divisions of groups toward the leaves, and the traffic that they cause.
class LeafDivisions {
 public:
  LeafDivisions(const Fabric& fabric, const std::vector<bool>& divides, const Routes& routes,
                unsigned threads)
      : fabric_(fabric),
        divides_(divides),
        routes_(routes),
        threads_(threads),
        rates_(channel_rates(fabric)),
        leaves_(leaf_choices(fabric, routes, threads)),
        splits_(fabric, rates_, divides, leaves_, threads) {}

  /// The divisions with the least largest load of: divisions by capacity alone; divisions by
  /// prices; the sub-groups of the latter with weights by prices for equal flows within each
  /// sub-group, because two sub-groups can be too few for the parts by prices; no divisions.
  DivisionsByLeaf best() {
    consider(present());
    splits_.balance();
    const DivisionsByLeaf by_prices = present();
    consider(by_prices);
    splits_.balance([&](const LeafChoices& to, std::size_t step, std::vector<double>& part) {
      combine_sub_groups(by_prices[to.leaf.value()], to, step, part);
    });
    DivisionsByLeaf within = by_prices;
    each_leaf([&](const LeafChoices& to) { weigh(to, within[to.leaf.value()]); });
    consider(std::move(within));
    consider(DivisionsByLeaf(fabric_.switch_count()));
    return std::move(best_);
  }

 private:
  template <class Body>
  void each_leaf(const Body& body) const {
    parallel_for(leaves_.size(), threads_, [&](std::size_t i) { body(leaves_[i]); });
  }

  void consider(DivisionsByLeaf divisions) {
    const double load = splits_.largest_load([&](const LeafChoices& to, std::vector<double>& part) {
      for (std::size_t step = 0; step < to.order.steps.size(); ++step)
        set_parts(divisions[to.leaf.value()], to, step, part);
    });
    if (!best_.empty() && load >= least_) return;
    least_ = load;
    best_ = std::move(divisions);
  }

  /// The divisions by the present prices.
  DivisionsByLeaf present() const {
    DivisionsByLeaf found(fabric_.switch_count());
    each_leaf([&](const LeafChoices& to) {
      std::vector<double> part(fabric_.channel_count(), 0);
      splits_.split(to, part);
      for (std::size_t step = 0; step < to.order.steps.size(); ++step) {
        const auto& [sw, begin, end, is_group] = to.order.steps[step];
        if (!is_group || !divides_[sw.value()]) continue;
        std::vector<std::pair<PortNum, double>> flows;
        for (const ChannelId channel : to.order.channels_of(to.order.steps[step]))
          flows.emplace_back(fabric_.channel(channel).from_port, part[channel.value()]);
        std::ranges::sort(flows, {}, [](const auto& of) { return of.first; });
        if (const auto division = best_division(flows))
          found[to.leaf.value()].push_back(
              {step, sw, routes_.adaptive->entry(sw, to.lid).group, *division});
      }
    });
    return found;
  }

  static const LeafDivision* find(const std::vector<LeafDivision>& divisions, std::size_t step) {
    const auto found = std::ranges::lower_bound(divisions, step, {}, &LeafDivision::step);
    return found != divisions.end() && found->step == step ? &*found : nullptr;
  }

  bool is_in_second(const LeafDivision& division, ChannelId channel) const {
    return division.division.second.test(fabric_.channel(channel).from_port.value());
  }

  /// Sets the parts of a step by its division, or equal parts.
  void set_parts(const std::vector<LeafDivision>& divisions, const LeafChoices& to,
                 std::size_t index, std::vector<double>& part) const {
    const ChoiceOrder::Step& step = to.order.steps[index];
    const LeafDivision* of = find(divisions, index);
    if (of == nullptr) {
      set_equal_parts(to.order, step, part);
      return;
    }
    constexpr double kSum = ar_unconfirmed::kWeightSum;
    set_sub_groups(*of, to, {of->division.first_weight / kSum, of->division.second_weight / kSum},
                   part);
  }

  /// Divides the sum of the parts in each sub-group of a step equally among the ports of the
  /// sub-group. Without a division, all parts become equal.
  void combine_sub_groups(const std::vector<LeafDivision>& divisions, const LeafChoices& to,
                          std::size_t index, std::vector<double>& part) const {
    if (const LeafDivision* of = find(divisions, index))
      set_sub_groups(*of, to, sums(*of, to, part), part);
    else
      set_equal_parts(to.order, to.order.steps[index], part);
  }

  /// The sums of the parts in the first and in the second sub-group.
  std::array<double, 2> sums(const LeafDivision& of, const LeafChoices& to,
                             const std::vector<double>& part) const {
    std::array<double, 2> sum{};
    for (const ChannelId channel : to.order.channels_of(to.order.steps[of.step]))
      sum[is_in_second(of, channel) ? 1 : 0] += part[channel.value()];
    return sum;
  }

  void set_sub_groups(const LeafDivision& of, const LeafChoices& to, std::array<double, 2> sum,
                      std::vector<double>& part) const {
    const auto channels = to.order.channels_of(to.order.steps[of.step]);
    const auto in_second = static_cast<double>(of.division.second.count());
    const double in_first = static_cast<double>(channels.size()) - in_second;
    for (const ChannelId channel : channels)
      part[channel.value()] = is_in_second(of, channel) ? sum[1] / in_second : sum[0] / in_first;
  }

  /// Sets the weights by the present prices.
  void weigh(const LeafChoices& to, std::vector<LeafDivision>& divisions) const {
    std::vector<double> part(fabric_.channel_count(), 0);
    splits_.split(to, part);
    for (LeafDivision& of : divisions) set_weights(sums(of, to, part)[1], of.division);
  }

  const Fabric& fabric_;
  const std::vector<bool>& divides_;
  const Routes& routes_;
  const unsigned threads_;
  const std::vector<std::uint32_t> rates_;
  const std::vector<LeafChoices> leaves_;
  FlowSplits splits_;
  DivisionsByLeaf best_;
  double least_ = 0;  // largest load with best_
};

}  // namespace

std::optional<GroupDivision> best_division(std::span<const std::pair<PortNum, double>> given) {
  std::vector<std::pair<PortNum, double>> flows(given.begin(), given.end());
  std::ranges::stable_sort(flows, std::ranges::greater{}, [](const auto& of) { return of.second; });
  std::size_t best = 0;
  double least = 0;
  for (std::size_t cut = 1; cut < flows.size(); ++cut) {
    if (flows[cut - 1].second <= flows[cut].second * kEqual) continue;
    const auto all = std::span<const std::pair<PortNum, double>>(flows);
    const double found = std::max(overload(all.first(cut)), overload(all.subspan(cut)));
    if (best == 0 || found * kEqual < least) {
      best = cut;
      least = found;
    }
  }
  if (best == 0 || overload(flows) < least * kLeastGain) return std::nullopt;
  GroupDivision division;
  double sum = 0, of_second = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    sum += flows[i].second;
    if (i < best) continue;
    of_second += flows[i].second;
    division.second.set(flows[i].first.value());
  }
  set_weights(of_second / sum, division);
  return division;
}

DivisionsByLeaf best_divisions(const Fabric& fabric, const std::vector<bool>& divides,
                               const Routes& routes, unsigned threads) {
  return LeafDivisions(fabric, divides, routes, threads).best();
}

}  // namespace weft
