// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/ftree/connect_separated.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routes/next_hops.h"
#include "routing/shapes/ranks.h"
#include "routing/tables/destinations.h"
#include "routing/up_down/up_down.h"

namespace weft::ftree {
namespace {

constexpr std::uint16_t kUnreachable = 0xFFFF;

bool has_cas(const Fabric& fabric, std::uint32_t sw) {
  return !fabric.endports_at(SwitchId(sw)).empty();
}

/// A LID of a switch, or of a CA at this switch.
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

/// Whether an entry of a separated switch for a switch with CAs is missing, or vice versa.
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

/// Ranks a leaf first, then the switches above this leaf by distance, then the other switches from
/// the roots down.
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

/// By channel: 1 if the channel goes up, else 0.
std::vector<std::uint8_t> up_channels(const Fabric& fabric, std::span<const std::uint16_t> rank) {
  std::vector<std::uint8_t> up;
  up.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels()) up.push_back(goes_up(channel, rank) ? 1 : 0);
  return up;
}

/// Up*/down* next hops toward one switch by ranks: a switch with a path of down hops only uses such
/// a path.
class UpDownHops {
 public:
  /// `up` is the result of up_channels(). All arguments must outlive this object.
  UpDownHops(const Fabric& fabric, std::span<const std::uint8_t> up,
             std::span<const SwitchId> top_down, SwitchId to)
      : fabric_(fabric),
        up_(up),
        hops_(fabric.switch_count(), kUnreachable),
        descends_(fabric.switch_count(), 0) {
    std::vector<SwitchId> queue{to};
    hops_[to.value()] = 0;
    descends_[to.value()] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      each_channel(queue[i], [&](const Channel& channel, bool goes_up) {
        const std::uint32_t over = channel.to.value();
        if (!goes_up || descends_[over] != 0) return;
        descends_[over] = 1;
        hops_[over] = static_cast<std::uint16_t>(hops_[queue[i].value()] + 1);
        queue.push_back(channel.to);
      });
    for (const SwitchId sw : top_down) {
      if (descends_[sw.value()] != 0) continue;
      std::uint16_t nearest = kUnreachable;
      each_channel(sw, [&](const Channel& channel, bool goes_up) {
        if (goes_up) nearest = std::min(nearest, hops_[channel.to.value()]);
      });
      if (nearest != kUnreachable) hops_[sw.value()] = static_cast<std::uint16_t>(nearest + 1);
    }
  }

  /// The ports of a switch to its next hops.
  void find_ports(SwitchId sw, std::vector<PortNum>& ports) const {
    ports.clear();
    const std::uint32_t hops = hops_[sw.value()];
    if (hops == kUnreachable) return;
    const bool descends = descends_[sw.value()] != 0;
    each_channel(sw, [&](const Channel& channel, bool goes_up) {
      const std::uint32_t to = channel.to.value();
      if (goes_up != descends && hops_[to] + 1u == hops && (!descends || descends_[to] != 0))
        ports.push_back(channel.from_port);
    });
  }

 private:
  template <class Body>
  void each_channel(SwitchId sw, const Body& body) const {
    const std::uint8_t* up = up_.data() + fabric_.first_channel(sw).value();
    for (const Channel& channel : fabric_.channels_from(sw)) body(channel, *up++ != 0);
  }

  const Fabric& fabric_;
  std::span<const std::uint8_t> up_;
  std::vector<std::uint16_t> hops_;     // by switch
  std::vector<std::uint8_t> descends_;  // by switch: 1 if a path of down hops exists
};

/// Whether all switches of the part have an entry for the LID, and no path has an up hop after a
/// down hop.
bool is_legal(const PortMap& map, std::span<const SwitchId> part, std::span<const std::uint8_t> up,
              SwitchId holder, Lid lid, const Lfts& lfts) {
  return std::ranges::all_of(part, [&](SwitchId sw) {
    if (sw == holder) return true;
    const PortMap::Hop out = map.hop(sw, lfts.port(sw, lid));
    if (out.channel == kNoChannel) return false;
    if (out.to == holder || up[out.channel.value()] != 0) return true;
    const ChannelId next = map.hop(out.to, lfts.port(out.to, lid)).channel;
    return next != kNoChannel && up[next.value()] == 0;
  });
}

/// Changes the entries of the switches to the next hops of `up_down`: an entry with the port of a
/// next hop stays, and the other entries of a switch alternate between the next hops. A switch
/// without a next hop has no entry then.
void redirect(const UpDownHops& up_down, std::span<const SwitchId> part, SwitchId holder,
              std::span<const Column> columns, Lfts& lfts) {
  std::vector<PortNum> ports;
  for (const SwitchId sw : part) {
    if (sw == holder) continue;
    up_down.find_ports(sw, ports);
    PortMask valid;
    for (const PortNum port : ports) valid.set(port.value());
    for (const auto& [lid, exit] : columns) {
      if (valid[lfts.port(sw, lid).value()]) continue;
      lfts.set(sw, lid, ports.empty() ? kNoRoute : ports[lid.value() % ports.size()]);
    }
  }
}

void connect_part(const Fabric& fabric, std::span<const SwitchId> part,
                  std::span<const std::uint16_t> rank, unsigned threads, Lfts& lfts) {
  std::vector<SwitchId> top_down(part.begin(), part.end());
  std::ranges::stable_sort(top_down, {}, [&](SwitchId sw) { return rank[sw.value()]; });
  const PortMap map(fabric);
  const auto up = up_channels(fabric, rank);
  parallel_for(part.size(), threads, [&](std::size_t i) {
    const SwitchId holder = part[i];
    std::vector<Column> wrong;
    for (const Column& column : columns_of(fabric, holder))
      if (!is_legal(map, part, up, holder, column.lid, lfts)) wrong.push_back(column);
    if (wrong.empty()) return;
    redirect(UpDownHops(fabric, up, top_down, holder), part, holder, wrong, lfts);
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
  const auto parts = switches_by_part(fabric);
  std::vector<std::vector<SwitchId>> separated_parts;
  for (const auto& part : parts)
    if (is_separated(fabric, part, separated, lfts)) separated_parts.push_back(part);
  if (separated_parts.empty()) return;

  const auto facts = centralities(fabric, threads);
  std::vector<std::uint16_t> rank(fabric.switch_count(), kNoRank);
  std::vector<SwitchId> leaves;
  for (const auto& part : separated_parts) {
    leaves.push_back(central_switch(part, facts));
    rank_around(tree, part, leaves.back(), rank);
  }
  // A root that is not above the leaf has no up path to the leaf. With ranks by distance from the
  // leaf, every switch has an up path to it.
  if (leaves_without_path(fabric, rank, {}, threads)) rank = hops_from(fabric, leaves);
  for (const auto& part : separated_parts) connect_part(fabric, part, rank, threads, lfts);
}

}  // namespace weft::ftree
