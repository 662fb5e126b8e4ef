// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/measured_load.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/parallel.h"
#include "congestion/quality/link_rates.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

constexpr double kBytesOfRate = 12.5e6;  // bytes/s of one unit of LinkRates (100 Mbit/s)
/// Units of the host that sends most, and of the host that receives most: products of two sums over
/// all hosts fit 64 bits.
constexpr double kUnitsMost = 1 << 16;

struct SendingSwitch {
  SwitchId sw;
  std::uint64_t units = 0;
};

double largest_of(std::span<const double> values) {
  return values.empty() ? 0 : std::ranges::max(values);
}

/// Traffic in integer units, so that sums do not depend on the order of addition.
struct Units {
  std::vector<SendingSwitch> senders;
  std::vector<std::uint64_t> received;  // by EndportId, to each of its LIDs
  double flow = 0;  // bytes/s from a sender of 1 unit to a LID that receives 1 unit
};

Units units_of(const Fabric& fabric, const HostTraffic& traffic) {
  Units units;
  const double most_sent = largest_of(traffic.sent), most_received = largest_of(traffic.received);
  units.received.assign(fabric.endport_count(), 0);
  if (most_sent <= 0 || most_received <= 0) return units;
  double sent = 0, received_units = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    std::uint64_t here = 0;
    for (const EndportId id : fabric.endports_at(SwitchId(s)))
      here += static_cast<std::uint64_t>(
          std::lround(traffic.sent[id.value()] / most_sent * kUnitsMost));
    if (here > 0) units.senders.push_back({SwitchId(s), here});
    for (const EndportId id : fabric.endports_at(SwitchId(s))) {
      const unsigned lids = 1u << fabric.endport(id).lmc;
      units.received[id.value()] = static_cast<std::uint64_t>(
          std::lround(traffic.received[id.value()] / most_received * kUnitsMost / lids));
      sent += traffic.sent[id.value()];
      received_units += static_cast<double>(units.received[id.value()] * lids);
    }
  }
  double sent_units = 0;
  for (const SendingSwitch& sender : units.senders) sent_units += static_cast<double>(sender.units);
  if (received_units > 0) units.flow = sent / sent_units / received_units;
  return units;
}

using Loads = std::vector<std::atomic<std::uint64_t>>;

void add_flows_to(const Fabric& fabric, const Units& units, const NextHops& next, Lid lid,
                  Loads& load) {
  const EndportId host = fabric.endport_of(lid);
  if (host == kNoEndport || units.received[host.value()] == 0) return;
  const SwitchId goal = fabric.endport(host).sw;
  const auto channels = next.channels(lid);
  const auto switches = next.switches(lid);
  for (const SendingSwitch& sender : units.senders) {
    SwitchId at = sender.sw;
    for (std::uint32_t hops = 0; at != goal && hops < fabric.switch_count(); ++hops) {
      const ChannelId channel = channels[at.value()];
      if (channel == kNoChannel) break;
      load[channel.value()].fetch_add(sender.units * units.received[host.value()],
                                      std::memory_order_relaxed);
      at = switches[at.value()];
    }
  }
}

}  // namespace

LinkLoad largest_load(const Fabric& fabric, const Lfts& lfts, const HostTraffic& traffic,
                      unsigned threads) {
  const Units units = units_of(fabric, traffic);
  if (units.flow <= 0) return {};
  const PortMap map(fabric);
  Loads load(fabric.channel_count());
  parallel_blocks(lid_blocks(fabric), 1, threads, [&](std::size_t block, std::size_t) {
    NextHops next(map);
    next.load(lfts, block);
    for (std::size_t value = block * kLftBlock; value < (block + 1) * kLftBlock; ++value)
      add_flows_to(fabric, units, next, Lid(static_cast<std::uint16_t>(value)), load);
  });
  const LinkRates rates = link_rates(fabric, {});
  LinkLoad largest;
  for (std::size_t i = 0; i < load.size(); ++i) {
    const double share = static_cast<double>(load[i].load()) * units.flow /
                         (static_cast<double>(rates.channels[i]) * kBytesOfRate);
    if (share > largest.share) largest = {share, ChannelId(static_cast<std::uint32_t>(i))};
  }
  return largest;
}

}  // namespace weft
