// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/lanes.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

constexpr unsigned kLanesMax = 15;
constexpr unsigned kPartsMax = 8;  // turns are collected in parts, then merged

/// Collects the turns of packets to a LID.
class TurnFinder {
 public:
  TurnFinder(const Fabric& fabric, TurnSet& found)
      : fabric_(fabric), found_(found), passed_(fabric.switch_count(), 0) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (!fabric.endports_at(SwitchId(s)).empty()) with_endports_.push_back(s);
  }

  void follow(Lid lid, const NextHops& hops) {
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) return;
    const auto channels = hops.channels(lid);
    const auto switches = hops.switches(lid);
    if (!fabric_.is_switch(fabric_.endport(owner).node)) {
      for (std::uint32_t s = 0; s < channels.size(); ++s) add(channels, switches, s);
      return;
    }
    for (const std::uint32_t s : with_endports_) {
      for (SwitchId at(s); at != kNoSwitch; at = switches[at.value()]) {
        if (passed_[at.value()] == lid.value()) break;
        passed_[at.value()] = lid.value();
        add(channels, switches, at.value());
      }
    }
  }

 private:
  /// Adds the turn after the output channel of switch `s`.
  void add(std::span<const ChannelId> channels, std::span<const SwitchId> switches,
           std::uint32_t s) {
    if (channels[s] == kNoChannel) return;
    const ChannelId out = channels[switches[s].value()];
    if (out != kNoChannel) found_.add(channels[s].value(), out.value());
  }

  const Fabric& fabric_;
  TurnSet& found_;
  std::vector<std::uint32_t> with_endports_;  // switches with CAs or routers
  std::vector<std::uint16_t> passed_;         // by switch: last LID with a turn of the switch
};

/// The turns of packets to the LIDs of some blocks.
TurnSet turns_of(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                 std::span<const std::size_t> blocks, unsigned threads) {
  const PortMap map(fabric);
  constexpr std::uint64_t kStepsOfTurn = 5;
  threads =
      threads_worth(kStepsOfTurn * blocks.size() * kLftBlock * fabric.switch_count(), threads);
  const unsigned parts = std::min(kPartsMax, threads == 0 ? hardware_threads() : threads);
  const std::size_t part = (blocks.size() + parts - 1) / parts;
  std::vector<TurnSet> found(parts, TurnSet(turns));
  parallel_blocks(blocks.size(), part, threads, [&](std::size_t begin, std::size_t end) {
    TurnFinder finder(fabric, found[begin / part]);
    NextHops hops(map);
    for (const std::size_t block : blocks.subspan(begin, end - begin)) {
      hops.load(lfts, block);
      const std::size_t top =
          std::min<std::size_t>((block + 1) * kLftBlock, fabric.lid_top().value() + std::size_t{1});
      for (std::size_t lid = block * kLftBlock; lid < top; ++lid)
        finder.follow(Lid(static_cast<std::uint16_t>(lid)), hops);
    }
  });
  for (std::size_t i = 1; i < parts; ++i) found[0].add(found[i]);
  return std::move(found[0]);
}

std::vector<std::size_t> all_blocks(const Lfts& lfts) {
  std::vector<std::size_t> blocks(lfts.blocks());
  std::iota(blocks.begin(), blocks.end(), std::size_t{0});
  return blocks;
}

}  // namespace

TurnSet turns_of(const Fabric& fabric, const Turns& turns, const Lfts& lfts, unsigned threads) {
  return turns_of(fabric, turns, lfts, all_blocks(lfts), threads);
}

unsigned lanes_available(const Fabric& fabric, unsigned vls_max) {
  unsigned lanes = std::clamp(vls_max, 1u, kLanesMax);
  for (const Endport& endport : fabric.endports())
    if (endport.sw_port != PortNum(0) && endport.sw != kNoSwitch)
      lanes = std::min<unsigned>(lanes, fabric.port(endport.port).data_vls);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& port : fabric.ports(SwitchId(s)))
      if (port.num != PortNum(0) && port.peer != kNoPort)
        lanes = std::min<unsigned>(lanes, port.data_vls);
  return std::max(1u, lanes);
}

bool is_acyclic_on_one_lane(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                            unsigned threads) {
  // If there is a cycle, the turns of packets to the LIDs of two blocks often contain a cycle.
  constexpr std::size_t kSampledBlocks = 2, kBlocksLeast = 16;
  if (lfts.blocks() >= kBlocksLeast) {
    const std::array<std::size_t, kSampledBlocks> some{lfts.blocks() / 3, 2 * lfts.blocks() / 3};
    if (!turns_of(fabric, turns, lfts, some, threads).acyclic()) return false;
  }
  return turns_of(fabric, turns, lfts, threads).acyclic();
}

void collapse_to_one_lane(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                          std::span<std::uint8_t> lanes, unsigned& count, unsigned threads) {
  if (count <= 1 || !is_acyclic_on_one_lane(fabric, turns, lfts, threads)) return;
  std::ranges::fill(lanes, std::uint8_t{0});
  count = 1;
}

namespace {

using Counts = std::array<std::uint64_t, kLanesMax>;

/// The range of lanes over which the paths of each lane are spread.
struct Spread {
  std::array<std::uint8_t, kLanesMax> first{};   // by lane: the first lane of its range
  std::array<std::uint8_t, kLanesMax> shares{};  // by lane: number of lanes in its range
  std::uint8_t at(std::uint8_t lane, std::size_t index) const {
    return static_cast<std::uint8_t>(first[lane] + index % shares[lane]);
  }
};

/// Adds one lane at a time to the range with the most paths per lane.
Spread spread(std::span<const Counts> counts, unsigned needed, unsigned available) {
  Counts paths{};
  for (const Counts& row : counts)
    for (unsigned i = 0; i < kLanesMax; ++i) paths[i] += row[i];
  Spread found;
  auto& [first, shares] = found;
  std::fill_n(shares.begin(), needed, std::uint8_t{1});
  for (unsigned used = needed; used < available; ++used) {
    unsigned fullest = 0;
    for (unsigned i = 1; i < needed; ++i)
      if (paths[i] * shares[fullest] > paths[fullest] * shares[i]) fullest = i;
    ++shares[fullest];
  }
  for (unsigned i = 1; i < needed; ++i)
    first[i] = static_cast<std::uint8_t>(first[i - 1] + shares[i - 1]);
  return found;
}

}  // namespace

unsigned spread_over_lanes(const Fabric& fabric, std::span<std::uint8_t> lanes, unsigned needed,
                           unsigned available, unsigned threads) {
  if (available <= needed || fabric.switch_count() == 0) return needed;
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  std::vector<Counts> counts(fabric.switch_count());
  threads = threads_worth(lanes.size() * 2, threads);
  parallel_for(
      fabric.switch_count(), threads,
      [&](std::size_t s) {
        counts[s] = {};
        for (std::size_t lid = 1; lid < stride; ++lid) ++counts[s][lanes[s * stride + lid]];
      },
      16);
  const Spread assigned = spread(counts, needed, available);
  parallel_for(
      fabric.switch_count(), threads,
      [&](std::size_t s) {
        for (std::size_t lid = 0; lid < stride; ++lid)
          lanes[s * stride + lid] = assigned.at(lanes[s * stride + lid], lid);
      },
      16);
  return available;
}

unsigned spread_pairs_over_lanes(std::uint32_t switches, std::span<std::uint8_t> lanes,
                                 unsigned needed, unsigned available, unsigned threads) {
  if (available <= needed || switches == 0) return needed;
  std::vector<Counts> counts(switches);
  threads = threads_worth(lanes.size() * 2, threads);
  parallel_for(
      switches, threads,
      [&](std::size_t a) {
        counts[a] = {};
        for (std::size_t b = 0; b < switches; ++b) ++counts[a][lanes[a * switches + b]];
      },
      16);
  const Spread assigned = spread(counts, needed, available);
  parallel_for(
      switches, threads,
      [&](std::size_t a) {
        for (std::size_t b = 0; b < switches; ++b)
          lanes[a * switches + b] = assigned.at(lanes[a * switches + b], a + b);
      },
      16);
  return available;
}

}  // namespace weft
