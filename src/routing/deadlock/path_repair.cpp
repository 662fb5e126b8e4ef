// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/path_repair.h"

#include <vector>

#include "base/parallel.h"

namespace weft::ordered {

namespace {

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
                 [&](std::size_t i) { repair_toward(destinations[i]); });
  }

 private:
  /// The remaining path from a switch to one LID.
  struct Rest {
    std::uint32_t trunk = 0;
    Mask agree = 0;
  };
  /// Distances of all switches to one destination switch, and the switches by distance.
  struct HopCounts {
    std::vector<std::uint32_t> hops;
    std::vector<std::uint32_t> near_first;
  };

  PortNum port_of(std::uint32_t channel) const {
    return fabric_.channel(ChannelId(channel)).from_port;
  }

  HopCounts count_hops(SwitchId center) const {
    HopCounts found{std::vector<std::uint32_t>(fabric_.switch_count(), kNoTrunk), {center.value()}};
    found.hops[center.value()] = 0;
    for (std::size_t head = 0; head < found.near_first.size(); ++head) {
      const std::uint32_t sw = found.near_first[head];
      for (std::uint32_t t = trunks_.begin[sw]; t < trunks_.begin[sw + 1]; ++t) {
        if (found.hops[trunks_.head[t]] != kNoTrunk) continue;
        found.hops[trunks_.head[t]] = found.hops[sw] + 1;
        found.near_first.push_back(trunks_.head[t]);
      }
    }
    return found;
  }

  /// The remaining paths to one of the LIDs, by switch.
  struct Rests {
    const Rest* first = nullptr;
    std::size_t stride = 0;  // entries of a switch for all LIDs are adjacent
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

  void repair_toward(const Destination& destination) const {
    const HopCounts near = count_hops(destination.sw);
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
    const std::uint32_t over = trunks_.head[trunk];
    if (hops[over] == 0) return all_;
    const Rest& rest = rests[over];
    return static_cast<Mask>(rest.agree & orders_.agree(trunk, rest.trunk));
  }

  Rest step(std::uint32_t s, const Target& target, std::span<const std::uint32_t> hops,
            const Rests& rests) const {
    const std::uint32_t trunk = trunk_at_[s * kPorts + lfts_.port(SwitchId(s), target.lid).value()];
    if (trunk != kNoTrunk && hops[trunks_.head[trunk]] < hops[s])
      if (const Mask found = agree(trunk, hops, rests); found != 0) return {trunk, found};
    const Rest other = another_path(s, target.host, hops, rests);
    const auto cables = trunks_.channels_of(other.trunk);
    lfts_.set(SwitchId(s), target.lid, port_of(cables[target.lid.value() % cables.size()]));
    return other;
  }

  /// Selects a path that agrees with an order, or else any path. The next hop is the highest switch
  /// of order 0 for LIDs of hosts, and the lowest switch for LIDs of switches. On a tree, paths
  /// without an order then turn from down to up next to the leaf with the missing cable, so that
  /// they have most turns in common.
  Rest another_path(std::uint32_t s, bool host, std::span<const std::uint32_t> hops,
                    const Rests& rests) const {
    Rest best{kNoTrunk, 0};
    const auto place = orders_.places(0);
    for (std::uint32_t t = trunks_.begin[s]; t < trunks_.begin[s + 1]; ++t) {
      if (hops[trunks_.head[t]] >= hops[s]) continue;
      const Rest here{t, agree(t, hops, rests)};
      const bool better = (here.agree != 0) != (best.agree != 0)
                              ? here.agree != 0
                              : best.trunk != kNoTrunk && (place[trunks_.head[t]] >
                                                           place[trunks_.head[best.trunk]]) == host;
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

}  // namespace

void repair_paths(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                  std::span<const Destination> destinations, unsigned threads, Lfts& lfts,
                  Paths& paths) {
  Repairer(fabric, trunks, orders, lfts, paths).repair(destinations, threads);
}

}  // namespace weft::ordered
