// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/lid_detours.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "fabric/hops.h"
#include "routing/hoplanes/loaded_trees.h"
#include "routing/tables/destinations.h"

namespace weft::hoplanes {
namespace {

constexpr std::uint32_t kOpen = ~std::uint32_t{0};  // no channel yet

class LidDetours {
 public:
  LidDetours(const Fabric& fabric, std::span<const EndportId> ignored, Lfts& lfts)
      : fabric_(fabric),
        lfts_(lfts),
        trees_(fabric, ignored),
        detours_(std::size_t{fabric.switch_count()} * fabric.switch_count(), 0) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (!fabric.endports_at(SwitchId(s)).empty()) sources_.push_back(s);
  }

  void run() {
    const auto order = destinations(fabric_);
    unsigned lids = 0;
    for (const Destination& destination : order) {
      for (const std::uint16_t hops : hops_from(fabric_, std::span(&destination.sw, 1)))
        if (hops != kNoHops) longest_ = std::max<std::size_t>(longest_, hops);
      each_host(destination, [&](const Endport& host) {
        trees_.count(lfts_, host.lid);
        lids = std::max(lids, lid_count(host));
      });
    }
    for (unsigned index = 1; index < lids; ++index)
      for (const Destination& destination : order) {
        near_ = ordered_hops_from(fabric_, std::span(&destination.sw, 1));
        each_host(destination, [&](const Endport& host) {
          if (index < lid_count(host)) route(destination.sw, host, index);
        });
      }
  }

 private:
  struct Path {
    std::vector<std::uint32_t> channels;
    std::uint64_t load = 0;  // largest load of a channel
    std::uint64_t loads = 0;
    auto key() const { return std::tuple(channels.size(), load, loads); }
  };

  template <class Body>
  void each_host(const Destination& destination, const Body& body) const {
    for (const EndportId id : destination.endports)
      if (const Endport& host = fabric_.endport(id); !fabric_.is_switch(host.node)) body(host);
  }

  void route(SwitchId to, const Endport& host, unsigned index) {
    to_ = to.value();
    next_.assign(fabric_.switch_count(), kOpen);
    for (const std::uint32_t s : fewest_first(lid_at(host, index)))
      if (next_[s] == kOpen && s != to_ && near_.hops[s] != kNoHops) detour(s, host, index);
    for (const std::uint32_t s : near_.nearest_first)
      if (next_[s] == kOpen && s != to_) next_[s] = least_loaded_channel(s);
    const Lid lid = lid_at(host, index);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      lfts_.set(SwitchId(s), lid,
                s == to_            ? host.sw_port
                : next_[s] == kOpen ? kNoRoute
                                    : fabric_.channel(ChannelId(next_[s])).from_port);
    trees_.count(lfts_, lid);
  }

  /// Sources in ascending order of their detours to the destination so far; the order of sources
  /// with equally many detours is rotated from LID to LID.
  std::vector<std::uint32_t> fewest_first(Lid lid) const {
    std::vector<std::uint32_t> order = sources_;
    std::rotate(order.begin(), order.begin() + lid.value() % std::ssize(order), order.end());
    std::ranges::stable_sort(order, {}, [&](std::uint32_t s) { return detour_count(s); });
    return order;
  }
  std::uint16_t detour_count(std::uint32_t s) const {
    return detours_[std::size_t{s} * fabric_.switch_count() + to_];
  }

  /// Sets the next hops along the best path with a first channel that no earlier LID of the host
  /// uses.
  void detour(std::uint32_t s, const Endport& host, unsigned index) {
    Path best;
    const std::uint32_t first = fabric_.first_channel(SwitchId(s)).value();
    const auto channels = fabric_.channels_from(SwitchId(s));
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      bool used = false;
      for (unsigned earlier = 0; earlier < index && !used; ++earlier)
        used = lfts_.port(SwitchId(s), lid_at(host, earlier)) == channels[i].from_port;
      if (used || !trace(s, first + i)) continue;
      if (best.channels.empty() || path_.key() < best.key()) std::swap(best, path_);
    }
    for (const std::uint32_t channel : best.channels)
      next_[fabric_.channel(ChannelId(channel)).from.value()] = channel;
    if (!best.channels.empty()) ++detours_[std::size_t{s} * fabric_.switch_count() + to_];
  }

  /// Stores in path_ the path over a channel, then along next hops that are set, and along shortest
  /// paths elsewhere. Returns false if the path is too long or returns to `s`.
  bool trace(std::uint32_t s, std::uint32_t channel) {
    path_.channels.clear();
    path_.load = path_.loads = 0;
    while (true) {
      path_.channels.push_back(channel);
      path_.load = std::max(path_.load, trees_.load(channel));
      path_.loads += trees_.load(channel);
      const std::uint32_t at = fabric_.channel(ChannelId(channel)).to.value();
      if (at == to_) return true;
      if (at == s || path_.channels.size() > longest_) return false;
      channel = next_[at] == kOpen ? least_loaded_channel(at) : next_[at];
    }
  }

  /// The least loaded channel to a switch with one hop less to the destination.
  std::uint32_t least_loaded_channel(std::uint32_t s) const {
    const std::uint32_t first = fabric_.first_channel(SwitchId(s)).value();
    const auto channels = fabric_.channels_from(SwitchId(s));
    std::uint32_t best = kOpen;
    for (std::uint32_t i = 0; i < channels.size(); ++i)
      if (near_.hops[channels[i].to.value()] + 1 == near_.hops[s])
        if (best == kOpen || trees_.load(first + i) < trees_.load(best)) best = first + i;
    return best;
  }

  const Fabric& fabric_;
  Lfts& lfts_;
  LoadedTrees trees_;
  std::vector<std::uint32_t> sources_;  // switches with hosts
  std::size_t longest_ = 0;             // hops of the longest shortest path
  std::vector<std::uint16_t> detours_;  // detours by source, then by destination
  // Data of the current LID:
  std::uint32_t to_ = 0;
  OrderedHops near_;
  std::vector<std::uint32_t> next_;  // by switch
  Path path_;
};

}  // namespace

void add_lid_detours(const Fabric& fabric, std::span<const EndportId> ignored, Lfts& lfts) {
  LidDetours(fabric, ignored, lfts).run();
}

}  // namespace weft::hoplanes
