// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/link_changes.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"

namespace weft {
namespace {

constexpr std::size_t kNamed = 20;

const PortInfo& info_of(const Observed& observed, const Port& port) {
  return observed.nodes[port.node.value()].ports[port.num.value()];
}

std::string describe_change(const Fabric& fabric, PortId port, const PortInfo& held,
                            const LinkParameters& wanted) {
  return fmt::format("{}: NeighborMTU {} and OperationalVLs {}, expected {} and {}",
                     describe(fabric, port), held.neighbor_mtu, held.operational_vls,
                     wanted.neighbor_mtu, wanted.operational_vls);
}

/// Calls body(port) for all ports, on several threads.
template <class Body>
void for_each_port(const Fabric& fabric, unsigned threads, Body body) {
  constexpr std::uint64_t kStepsOfPort = 50;
  constexpr std::size_t kPortsAtOnce = 4096;
  const std::size_t count = fabric.port_count();
  parallel_blocks(count, kPortsAtOnce, threads_worth(kStepsOfPort * count, threads),
                  [&](std::size_t begin, std::size_t end) {
                    for (std::size_t p = begin; p < end; ++p)
                      body(PortId(static_cast<std::uint32_t>(p)));
                  });
}

}  // namespace

LinkParameters link_parameters(const Observed& observed, const Fabric& fabric, PortId port,
                               VlLimit limit) {
  const Port& own = fabric.port(port);
  if (own.peer == kNoPort) return {};
  const PortInfo& info = info_of(observed, own);
  const PortInfo& peer = info_of(observed, fabric.port(own.peer));
  LinkParameters wanted{std::min(info.mtu_cap, peer.mtu_cap),
                        operational_vls(observed, fabric, port, limit)};
  if (limit.mtu != 0) wanted.neighbor_mtu = std::min(wanted.neighbor_mtu, limit.mtu);
  if (limit.live_links == LiveLinks::kWait && is_in_use(info) && info.neighbor_mtu != 0)
    wanted.neighbor_mtu = info.neighbor_mtu;
  return wanted;
}

bool differs(const PortInfo& held, const LinkParameters& wanted) {
  const auto differ = [](std::uint8_t is, std::uint8_t should) {
    return is != 0 && should != 0 && is != should;
  };
  return is_in_use(held) && (differ(held.neighbor_mtu, wanted.neighbor_mtu) ||
                             differ(held.operational_vls, wanted.operational_vls));
}

std::vector<LinkParameters> all_link_parameters(const Observed& observed, const Fabric& fabric,
                                                VlLimit limit, unsigned threads) {
  limit.live_links = LiveLinks::kBounce;  // the desired values, even if the ports do not get them
  std::vector<LinkParameters> wanted(fabric.port_count());
  for_each_port(fabric, threads, [&](PortId port) {
    wanted[port.value()] = link_parameters(observed, fabric, port, limit);
  });
  return wanted;
}

void LinkChanges::follow(const Observed& observed) {
  for (auto& [end, link] : links_) {
    if (!link.awaited) continue;
    const auto node = observed.fabric.find_node(end.node);
    const PortId port = node ? observed.fabric.port_id(*node, end.port) : kNoPort;
    const bool is_up = port != kNoPort && observed.fabric.port(port).peer != kNoPort;
    if (is_up || ++link.sweeps >= kSweepsMax) link.awaited = false;
  }
}

namespace {

/// Result for a link, at its port with the smaller PortId; the peer is the other port.
enum class LinkCheck : std::uint8_t { kNone, kAsWanted, kPortDiffers, kPeerDiffers };

LinkCheck check_link(const Observed& observed, const Fabric& fabric, PortId port,
                     const LinkParameters& wanted) {
  const Port& one = fabric.port(port);
  if (one.peer == kNoPort || one.peer < port) return LinkCheck::kNone;
  const Port& other = fabric.port(one.peer);
  const auto answered = [&](const Port& end) {
    return observed.nodes[end.node.value()].answered[end.num.value()];
  };
  if (!answered(one) || !answered(other)) return LinkCheck::kNone;
  if (differs(info_of(observed, one), wanted)) return LinkCheck::kPortDiffers;
  return differs(info_of(observed, other), wanted) ? LinkCheck::kPeerDiffers : LinkCheck::kAsWanted;
}

/// Result for each link, by PortId; kNone at the other end of a link. Runs on several threads,
/// because it accesses memory throughout the observation.
std::vector<LinkCheck> check_links(const Observed& observed, const Fabric& fabric,
                                   std::span<const LinkParameters> wanted, unsigned threads) {
  std::vector<LinkCheck> checks(fabric.port_count());
  for_each_port(fabric, threads, [&](PortId port) {
    checks[port.value()] = check_link(observed, fabric, port, wanted[port.value()]);
  });
  return checks;
}

}  // namespace

std::vector<PortId> LinkChanges::to_take_down(const Observed& observed, const Fabric& fabric,
                                              std::span<const LinkParameters> wanted,
                                              LiveLinks live_links, unsigned threads,
                                              std::vector<std::string>& notes) {
  std::vector<PortId> ports;
  std::size_t kept = 0;
  const std::vector<LinkCheck> checks = check_links(observed, fabric, wanted, threads);
  const auto depth = [&](const Port& port) {
    return observed.nodes[port.node.value()].path(port.num).count;
  };
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    if (checks[p] == LinkCheck::kNone) continue;
    const Port& one = fabric.port(PortId(p));
    const Port& other = fabric.port(one.peer);
    if (checks[p] == LinkCheck::kAsWanted) {
      if (!links_.empty() && is_in_use(info_of(observed, one))) {
        links_.erase(end_of(fabric, PortId(p)));
        links_.erase(end_of(fabric, one.peer));
      }
      continue;
    }
    const PortId nearer = depth(one) <= depth(other) ? PortId(p) : one.peer;
    const auto known = links_.find(end_of(fabric, nearer));
    const bool is_ineffective = known != links_.end() && known->second.times >= kTimesMax;
    if (live_links == LiveLinks::kBounce && !is_ineffective) {
      ports.push_back(nearer);
      continue;
    }
    if (++kept > kNamed) continue;
    const PortId port = checks[p] == LinkCheck::kPortDiffers ? PortId(p) : one.peer;
    notes.push_back(fmt::format(
        "{}; {}", describe_change(fabric, port, info_of(observed, fabric.port(port)), wanted[p]),
        is_ineffective ? fmt::format("the link was taken down {} times without effect", kTimesMax)
                       : "the link keeps them until it retrains (live_link_changes wait)"));
  }
  if (kept > kNamed)
    notes.push_back(
        fmt::format("{} more links keep their NeighborMTU and OperationalVLs", kept - kNamed));
  return ports;
}

void LinkChanges::taken_down(const Observed& observed, PortId port) {
  Link& link = links_[end_of(observed.fabric, port)];
  ++link.times;
  link.sweeps = 0;
  link.awaited = true;
}

bool LinkChanges::is_awaiting() const {
  return std::ranges::any_of(links_, [](const auto& entry) { return entry.second.awaited; });
}

}  // namespace weft
