// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/next_hop_choice.h"

#include <algorithm>

namespace weft {
namespace {

/// The index of the active next hop in `channels`; nullopt if there is none.
std::optional<std::size_t> active_next_hop(const Fabric& fabric, const Lfts& previous,
                                           std::uint32_t sw, Lid lid,
                                           std::span<const std::uint32_t> channels) {
  const ChannelId channel = fabric.channel_at(SwitchId(sw), previous.port(SwitchId(sw), lid));
  if (channel == kNoChannel) return std::nullopt;
  const auto found = std::ranges::find(channels, channel.value());
  if (found == channels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - channels.begin());
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::vector<bool> marks(const Fabric& fabric, std::span<const EndportId> endports) {
  std::vector<bool> result(fabric.endport_count(), false);
  for (const EndportId id : endports) result[id.value()] = true;
  return result;
}

}  // namespace

NextHopChoice::NextHopChoice(const Fabric& fabric, const SpreadOptions& options)
    : fabric_(fabric),
      options_(options),
      ignored_(marks(fabric, options.ignored)),
      not_scattered_(marks(fabric, options.not_scattered)),
      used_(fabric.switch_count()) {}

void NextHopChoice::begin(SwitchId destination, EndportId endport) {
  for (const std::uint32_t s : touched_) used_[s].clear();
  touched_.clear();
  destination_ = destination;
  const Endport& facts = fabric_.endport(endport);
  counted_ = !fabric_.is_switch(facts.node) && !ignored_[endport.value()];
  grouped_ = lid_count(facts) > 1;
  scattered_ = options_.scatter_ports != 0 && !not_scattered_[endport.value()];
}

std::optional<std::size_t> NextHopChoice::kept(std::uint32_t sw,
                                               std::span<const std::uint32_t> channels) const {
  if (!options_.previous) return std::nullopt;
  return active_next_hop(fabric_, *options_.previous, sw, lid_, channels);
}

unsigned lmc_penalty(const Fabric& fabric, std::span<const std::uint32_t> used, std::uint32_t to) {
  unsigned worst = 0;
  for (const std::uint32_t before : used) {
    if (before == to) return 2;
    if (fabric.node(SwitchId(before)).system_guid == fabric.node(SwitchId(to)).system_guid)
      worst = 1;
  }
  return worst;
}

void NextHopChoice::use(std::uint32_t sw, std::uint32_t to) {
  if (!grouped_) return;
  if (used_[sw].empty()) touched_.push_back(sw);
  used_[sw].push_back(to);
}

std::uint64_t NextHopChoice::order_key(std::uint32_t sw, std::size_t next_hop,
                                       std::size_t next_hops, std::uint32_t channel) const {
  if (scattered_) return mixed(mixed(mixed(options_.scatter_ports) + lid_.value()) + channel);
  if (options_.port_shifting)
    return (next_hop + next_hops - (std::size_t{destination_.value()} + sw) % next_hops) %
           next_hops;
  return next_hop;
}

Destination split_unchanged(const Fabric& fabric, const Lfts& previous,
                            const Destination& destination, const HopDag& dag,
                            std::vector<Destination>& rest) {
  const auto stays = [&](EndportId id) {
    const Endport& endport = fabric.endport(id);
    for (unsigned offset = 0; offset < lid_count(endport); ++offset)
      for (const HopDag::Group& group : dag.groups())
        for (std::uint32_t m = group.begin; m < group.end; ++m)
          if (!active_next_hop(fabric, previous, dag.members()[m].sw, lid_at(endport, offset),
                               dag.channels(group, dag.members()[m])))
            return false;
    return true;
  };
  Destination result{destination.sw, {}};
  Destination others{destination.sw, {}};
  for (const EndportId id : destination.endports)
    (stays(id) ? result : others).endports.push_back(id);
  if (!others.endports.empty()) rest.push_back(std::move(others));
  return result;
}

}  // namespace weft
