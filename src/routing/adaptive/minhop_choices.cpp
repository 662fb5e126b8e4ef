// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/minhop_choices.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "routing/adaptive/groups.h"

namespace weft {

MinhopChoices::MinhopChoices(const Fabric& fabric, const WithGroups<MinhopOptions>& options)
    : fabric_(fabric),
      options_(options),
      trunks_(fabric),
      trunk_of_(fabric.channel_count()),
      order_(destinations(fabric, options.order)),
      make_dag_(minhop_dags(fabric, options)),
      dags_(trunks_) {
  for (std::uint32_t t = 0; t < trunks_.count(); ++t)
    for (const std::uint32_t channel : trunks_.channels_of(t)) trunk_of_[channel] = t;
  const unsigned threads =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.channel_count(), options.threads);
  parallel_for(fabric.switch_count(), threads, [&](std::size_t i) {
    HopDag dag;
    make_dag_(SwitchId(static_cast<std::uint32_t>(i)), dag);
    dags_.set(dag, trunk_of_);
  });
}

Lfts MinhopChoices::tables() const {
  return spread(
      fabric_, order_, [&](SwitchId to, HopDag& dag) { make_kept_dag(to, dag); }, options_);
}

void MinhopChoices::add_groups(unsigned tables, Routes& routes) {
  const GroupOptions groups{options_.threads, options_.adaptive, options_.hop_weights};
  if (options_.adaptive != nullptr && options_.adaptive->algorithm == ArAlgorithm::kLag)
    return add_parallel_groups(fabric_, groups, routes);
  const auto wanted = [&](SwitchId sw) { return wanted_at(sw); };
  dags_.select(0);
  store_groups(fabric_, groups, wanted, routes);
  if (tables > 1 && dags_.tables() > 1) select_tables(tables, routes);
  for (unsigned table = 1; table < routes.adaptive->table_count(); ++table) {
    dags_.select(table);
    store_private_groups(fabric_, groups, table, wanted, routes);
  }
}

/// Adds private tables to the switches with different next hops in the tables, and selects the
/// table of each SL.
void MinhopChoices::select_tables(unsigned tables, Routes& routes) const {
  ArTables& adaptive = *routes.adaptive;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    if (!dags_.differ_at(s, tables)) continue;
    while (adaptive.table_count() < tables) adaptive.add_private_table();
    for (const Port& in : fabric_.ports(Fabric::node_of(SwitchId(s))))
      for (std::uint8_t sl = 0; sl < kSlCount; ++sl)
        adaptive.select_table(SwitchId(s), in.num, Sl(sl), sl % tables);
  }
}

/// The remaining next hops of all tables toward a switch.
void MinhopChoices::make_kept_dag(SwitchId to, HopDag& dag) const {
  HopDag all;
  make_dag_(to, all);
  dag.start(to);
  for (const HopDag::Group& group : all.groups())
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const HopDag::Member& member = all.members()[i];
      dag.add_switch(member.sw, dags_.level(member.sw, to.value()));
      for (const std::uint32_t channel : all.channels(group, member))
        if (dags_.is_in_all(to.value(), trunk_of_[channel]))
          dag.add_next_hop(channel, trunks_.head[trunk_of_[channel]]);
    }
  dag.finish();
}

WantedGroups MinhopChoices::wanted_at(SwitchId sw) const {
  const AdaptiveOptions adaptive =
      options_.adaptive != nullptr ? *options_.adaptive : AdaptiveOptions{};
  const std::size_t least = least_ports(adaptive, sw);
  SwitchMasks masks;
  WantedGroups wanted{{}, std::vector(lid_blocks(fabric_) * kLftBlock, SwitchMasks::kNone)};
  for (const Destination& destination : order_) {
    if (destination.sw == sw) continue;
    const PortMask mask = ports(sw, destination.sw);
    if (mask.count() < least) continue;
    const std::uint16_t number = masks.number(mask);
    for (const EndportId id : destination.endports)
      for (unsigned i = 0; i < lid_count(fabric_.endport(id)); ++i)
        wanted.of_lid[lid_at(fabric_.endport(id), i).value()] = number;
  }
  wanted.masks = masks.masks();
  return wanted;
}

/// Returns the ports of the remaining next hops. Of the cables to one neighbor, only those with the
/// least weight are used.
PortMask MinhopChoices::ports(SwitchId sw, SwitchId to) const {
  const auto weight = [&](std::uint32_t channel) {
    return options_.hop_weights.empty() ? std::uint64_t{1} : options_.hop_weights[channel];
  };
  PortMask mask;
  dags_.each(sw.value(), to.value(), [&](std::uint32_t trunk) {
    const auto cables = trunks_.channels_of(trunk);
    const std::uint64_t least = weight(*std::ranges::min_element(cables, {}, weight));
    for (const std::uint32_t channel : cables)
      if (weight(channel) == least) mask.set(fabric_.channel(ChannelId(channel)).from_port.value());
    return true;
  });
  if (options_.lid_matrix == nullptr) return mask;
  PortMask given;
  for (const std::uint8_t port : options_.lid_matrix->ports(sw, to)) given.set(port);
  return mask & given;
}

}  // namespace weft
