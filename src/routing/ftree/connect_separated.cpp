// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/ftree/connect_separated.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "routing/shapes/ranks.h"
#include "routing/tables/destinations.h"
#include "routing/up_down/up_down.h"

namespace weft::ftree {
namespace {

constexpr std::uint16_t kUnreachable = 0xFFFF;

bool has_cas(const Fabric& fabric, std::uint32_t sw) {
  return !fabric.endports_at(SwitchId(sw)).empty();
}

/// All LIDs of packets to a switch, or through its ports to a CA.
struct Column {
  Lid lid;
  PortNum exit;
};
std::vector<Column> columns_of(const Fabric& fabric, SwitchId holder) {
  std::vector<Column> result;
  const auto add = [&](EndportId id) {
    const Endport& endport = fabric.endport(id);
    if (endport.lid == kLidNone) return;
    for (unsigned offset = 0; offset < lid_count(endport); ++offset)
      result.push_back({lid_at(endport, offset), endport.sw_port});
  };
  for (const EndportId id : fabric.endports_at(holder)) add(id);
  add(Fabric::endport_of(holder));
  return result;
}

/// Is there a switch with CAs without a path to a separated one, or vice versa?
bool is_separated(const Fabric& fabric, std::span<const SwitchId> part,
                  const std::vector<bool>& separated, const Lfts& lfts) {
  const auto lacks = [&](SwitchId from, SwitchId to) {
    return from != to && std::ranges::any_of(columns_of(fabric, to), [&](const Column& column) {
             return lfts.port(from, column.lid) == kNoRoute;
           });
  };
  for (const SwitchId one : part) {
    if (!separated[one.value()]) continue;
    for (const SwitchId other : part)
      if (has_cas(fabric, other.value()) && (lacks(one, other) || lacks(other, one))) return true;
  }
  return false;
}

/// A leaf, then switches above it by distance, then the rest from the roots down.
void rank_around(const Tree& tree, std::span<const SwitchId> part, SwitchId leaf,
                 std::span<std::uint16_t> rank) {
  std::int32_t top = 0;
  for (const SwitchId sw : part) top = std::max(top, tree.level(sw.value()));
  std::vector<std::uint32_t> above{leaf.value()};
  rank[leaf.value()] = 0;
  for (std::size_t i = 0; i < above.size(); ++i)
    for (const Group& group : tree.up(above[i])) {
      if (rank[group.to] != kNoRank) continue;
      rank[group.to] = static_cast<std::uint16_t>(rank[above[i]] + 1);
      above.push_back(group.to);
    }
  const std::int32_t deepest = rank[above.back()];
  for (const SwitchId sw : part)
    if (rank[sw.value()] == kNoRank)
      rank[sw.value()] = static_cast<std::uint16_t>(deepest + 1 + top - tree.level(sw.value()));
}

/// Up*/down* next hops toward one switch by ranks: switches with down-only paths take these.
class UpDownHops {
 public:
  UpDownHops(const Fabric& fabric, std::span<const std::uint16_t> rank,
             std::span<const SwitchId> top_down, SwitchId to)
      : fabric_(fabric),
        rank_(rank),
        hops_(rank.size(), kUnreachable),
        descends_(rank.size(), false) {
    std::vector<SwitchId> queue{to};
    hops_[to.value()] = 0;
    descends_[to.value()] = true;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const Channel& channel : fabric.channels_from(queue[i])) {
        const std::uint32_t over = channel.to.value();
        if (descends_[over] || !goes_up(channel, rank)) continue;
        descends_[over] = true;
        hops_[over] = static_cast<std::uint16_t>(hops_[queue[i].value()] + 1);
        queue.push_back(channel.to);
      }
    for (const SwitchId sw : top_down) {
      if (descends_[sw.value()]) continue;
      std::uint16_t nearest = kUnreachable;
      for (const Channel& channel : fabric.channels_from(sw))
        if (goes_up(channel, rank)) nearest = std::min(nearest, hops_[channel.to.value()]);
      if (nearest != kUnreachable) hops_[sw.value()] = static_cast<std::uint16_t>(nearest + 1);
    }
  }

  bool is_next_hop(const Channel& channel) const {
    const std::uint32_t from = channel.from.value(), to = channel.to.value();
    return hops_[from] != kUnreachable && hops_[to] + 1 == hops_[from] &&
           goes_up(channel, rank_) != descends_[from] && (!descends_[from] || descends_[to]);
  }

  /// The port of the tables, if it is a valid next hop; else LIDs alternate between the next hops.
  PortNum port(SwitchId sw, Lid lid, PortNum named) const {
    const ChannelId taken = fabric_.channel_at(sw, named);
    if (taken != kNoChannel && is_next_hop(fabric_.channel(taken))) return named;
    std::vector<PortNum> ports;
    for (const Channel& channel : fabric_.channels_from(sw))
      if (is_next_hop(channel)) ports.push_back(channel.from_port);
    return ports.empty() ? kNoRoute : ports[lid.value() % ports.size()];
  }

 private:
  const Fabric& fabric_;
  std::span<const std::uint16_t> rank_;
  std::vector<std::uint16_t> hops_;
  std::vector<bool> descends_;
};

/// Do all switches have a path to the LID, none of which goes up after it went down?
bool is_legal(const Fabric& fabric, std::span<const SwitchId> part,
              std::span<const std::uint16_t> rank, SwitchId holder, Lid lid, const Lfts& lfts) {
  return std::ranges::all_of(part, [&](SwitchId sw) {
    if (sw == holder) return true;
    const ChannelId out = fabric.channel_at(sw, lfts.port(sw, lid));
    if (out == kNoChannel) return false;
    const Channel& channel = fabric.channel(out);
    if (channel.to == holder || goes_up(channel, rank)) return true;
    const ChannelId next = fabric.channel_at(channel.to, lfts.port(channel.to, lid));
    return next != kNoChannel && !goes_up(fabric.channel(next), rank);
  });
}

void bridge_part(const Fabric& fabric, std::span<const SwitchId> part,
                 std::span<const std::uint16_t> rank, unsigned threads, Lfts& lfts) {
  std::vector<SwitchId> top_down(part.begin(), part.end());
  std::ranges::stable_sort(top_down, {}, [&](SwitchId sw) { return rank[sw.value()]; });
  parallel_for(part.size(), threads, [&](std::size_t i) {
    const SwitchId holder = part[i];
    std::vector<Column> wrong;
    for (const Column& column : columns_of(fabric, holder))
      if (!is_legal(fabric, part, rank, holder, column.lid, lfts)) wrong.push_back(column);
    if (wrong.empty()) return;
    const UpDownHops up_down(fabric, rank, top_down, holder);
    for (const Column& column : wrong)
      for (const SwitchId sw : part)
        if (sw != holder)
          lfts.set(sw, column.lid, up_down.port(sw, column.lid, lfts.port(sw, column.lid)));
  });
}

}  // namespace

std::vector<bool> find_separated(const Fabric& fabric, std::span<const EndportId> compute_nodes,
                                 const ComputeNodes& cns) {
  std::vector<bool> result(fabric.switch_count(), false);
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    if (endport.sw == kNoSwitch || cns.compute[e] != 0) continue;
    if (compute_nodes.empty() || is_aggregation_node(fabric.node(endport.node)))
      result[endport.sw.value()] = true;
  }
  return result;
}

void connect_separated(const Fabric& fabric, const Tree& tree, const std::vector<bool>& separated,
                       unsigned threads, Lfts& lfts) {
  if (std::ranges::find(separated, true) == separated.end()) return;
  const auto parts = components(fabric);
  std::vector<std::vector<SwitchId>> apart;
  for (const auto& part : parts)
    if (is_separated(fabric, part, separated, lfts)) apart.push_back(part);
  if (apart.empty()) return;

  const auto facts = centralities(fabric, threads);
  std::vector<std::uint16_t> rank(fabric.switch_count(), kNoRank);
  std::vector<SwitchId> leaves;
  for (const auto& part : apart) {
    leaves.push_back(central_switch(part, facts));
    rank_around(tree, part, leaves.back(), rank);
  }
  // A root that is not above the leaf has no up path to it; ranks by distance connect every switch.
  if (gap_between_hosts(fabric, rank, {}, threads)) rank = hops_from(fabric, leaves);
  for (const auto& part : apart) bridge_part(fabric, part, rank, threads, lfts);
}

}  // namespace weft::ftree
