// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/up_down.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/parallel.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace weft {
namespace {

constexpr std::size_t kBlocksOfATask = 8;
constexpr std::uint32_t kNoDistance = ~std::uint32_t{0};

/// The bits of the entries from `first` to `first + length_less_1`.
std::uint64_t entries_within(const std::uint8_t* entries, std::uint8_t first,
                             std::uint8_t length_less_1) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i base = _mm_set1_epi8(static_cast<char>(first));
  const __m128i length = _mm_set1_epi8(static_cast<char>(length_less_1));
  for (unsigned part = 0; part < kLftBlock / 16; ++part) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries) + part);
    const __m128i beyond = _mm_subs_epu8(_mm_sub_epi8(sixteen, base), length);
    const auto mask =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(beyond, _mm_setzero_si128())));
    bits |= std::uint64_t{mask} << (16 * part);
  }
#else
  for (unsigned i = 0; i < kLftBlock; ++i)
    if (static_cast<std::uint8_t>(entries[i] - first) <= length_less_1)
      bits |= std::uint64_t{1} << i;
#endif
  return bits;
}

}  // namespace

/// Buffers of one task: by switch, LIDs of a block as bits.
struct UpDownCheck::Scratch {
  explicit Scratch(std::size_t switches) : up(switches), down(switches), differs(switches, 0) {}
  std::vector<Bits> up, down;
  std::vector<std::uint8_t> differs;  // by switch: its held block differs
};

UpDownCheck::Ports UpDownCheck::ports_of(const Fabric& fabric, SwitchId sw,
                                         std::span<const std::uint32_t> distance) {
  Ports ports;
  ports.targets.assign(fabric.node(fabric.node_of(sw)).port_count + std::size_t{1}, 0);
  const std::uint32_t own = distance[sw.value()];
  for (const Channel& channel : fabric.channels_from(sw)) {
    const std::uint32_t next = distance[channel.to.value()];
    const Direction direction = next == own  ? Direction::kLevel
                                : next > own ? Direction::kUp
                                             : Direction::kDown;
    const std::uint8_t port = channel.from_port.value();
    ports.directions[port] = direction;
    ports.targets[port] = static_cast<std::uint16_t>(channel.to.value());
    if (!ports.ranges.empty() && ports.ranges.back().direction == direction &&
        ports.ranges.back().first + ports.ranges.back().length_less_1 + 1 == port)
      ++ports.ranges.back().length_less_1;
    else
      ports.ranges.push_back({port, 0, direction});
  }
  if (ports.ranges.size() > Ports::kRangesMax) ports.ranges.clear();
  return ports;
}

UpDownCheck::UpDownCheck(const Fabric& fabric, const Lfts& wanted,
                         std::span<const HeldTable* const> held, std::span<const Op> ops,
                         std::span<const std::uint32_t> distance)
    : wanted_(wanted), held_(held), of_hosts_(wanted.blocks(), 0), of_switches_(of_hosts_) {
  const std::uint32_t switches = fabric.switch_count();
  for (std::uint32_t s = 0; s < switches; ++s) {
    ports_.push_back(ports_of(fabric, SwitchId(s), distance));
    if (distance[s] == 0) with_hosts_.push_back(s);
    if (distance[s] != kNoDistance) by_distance_.push_back(s);
  }
  std::ranges::stable_sort(by_distance_, {}, [&](std::uint32_t s) { return distance[s]; });
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric.endport_of(lid);
    if (owner == kNoEndport || value / kLftBlock >= of_hosts_.size()) continue;
    const Endport& endport = fabric.endport(owner);
    const Bits bit = Bits{1} << value % kLftBlock;
    if (!fabric.is_switch(endport.node)) {
      if (endport.sw != kNoSwitch) of_hosts_[value / kLftBlock] |= bit;
    } else if (endport.lid == lid) {
      of_switches_[value / kLftBlock] |= bit;
    }
  }
  begins_.assign(wanted.blocks() + 1, 0);
  for (const Op& op : ops) ++begins_[op.index + std::size_t{1}];
  for (std::size_t b = 1; b < begins_.size(); ++b) begins_[b] += begins_[b - 1];
  differing_.resize(ops.size());
  std::vector<std::uint32_t> at(begins_.begin(), begins_.end() - 1);
  for (const Op& op : ops) differing_[at[op.index]++] = op.node;
}

UpDownCheck::Masks UpDownCheck::masks_of(std::uint32_t sw, Entries entries) const {
  Masks masks;
  const Ports& ports = ports_[sw];
  const auto add = [&](Direction direction, Bits bits) {
    if (direction == Direction::kUp) masks.up |= bits;
    if (direction == Direction::kDown) masks.down |= bits;
    if (direction == Direction::kLevel) masks.level |= bits;
  };
  for (const Range& range : ports.ranges)
    add(range.direction, entries_within(entries.data(), range.first, range.length_less_1));
  if (ports.ranges.empty())
    for (unsigned i = 0; i < kLftBlock; ++i) add(ports.directions[entries[i]], Bits{1} << i);
  return masks;
}

/// Calls take(switch, LIDs) for the next hops of these LIDs, which must be switches.
template <class Take>
void UpDownCheck::each_target(std::uint32_t sw, Entries entries, Bits lids,
                              const Take& take) const {
  const std::vector<std::uint16_t>& targets = ports_[sw].targets;
  while (lids != 0) {
    const std::uint8_t port = entries[static_cast<std::size_t>(std::countr_zero(lids))];
    const Bits same = lids & entries_within(entries.data(), port, 0);
    take(targets[port], same);
    lids &= ~same;
  }
}

/// Calls take(entries) for the new block, and for the old block if it differs.
template <class Take>
void UpDownCheck::each_table(std::uint32_t sw, std::size_t block, const Scratch& scratch,
                             const Take& take) const {
  take(wanted_.block(SwitchId(sw), block));
  if (scratch.differs[sw] != 0 && held_[sw] != nullptr && held_[sw]->is_known(block))
    take(held_[sw]->block(block));
}

/// True if no entry leads to a switch at the same distance from the hosts, and no switch that
/// packets enter from a higher switch sends these packets up again.
bool UpDownCheck::holds_for_hosts(std::size_t block, Scratch& scratch) const {
  const Bits lids = of_hosts_[block];
  if (lids == 0) return true;
  std::ranges::fill(scratch.up, 0);
  std::ranges::fill(scratch.down, 0);
  bool any_level = false;
  for (std::uint32_t s = 0; s < ports_.size(); ++s)
    each_table(s, block, scratch, [&](Entries entries) {
      const Masks masks = masks_of(s, entries);
      any_level = any_level || (masks.level & lids) != 0;
      scratch.up[s] |= masks.up & lids;
      each_target(s, entries, masks.down & lids,
                  [&](std::uint16_t to, Bits bits) { scratch.down[to] |= bits; });
    });
  if (any_level) return false;
  for (std::size_t s = 0; s < ports_.size(); ++s)
    if ((scratch.up[s] & scratch.down[s]) != 0) return false;
  return true;
}

bool UpDownCheck::holds_for_switches(std::size_t block, Scratch& scratch) const {
  if (of_switches_[block] == 0) return true;
  std::ranges::fill(scratch.up, 0);
  std::ranges::fill(scratch.down, 0);
  for (const std::uint32_t s : with_hosts_) scratch.up[s] = of_switches_[block];
  return follow_up(block, scratch) && follow_down(block, scratch);
}

/// Marks the switches that packets enter from below. False if an entry leads to a switch at the
/// same distance from the hosts. An entry that leads up leads to a switch one hop farther from the
/// hosts.
bool UpDownCheck::follow_up(std::size_t block, Scratch& scratch) const {
  bool good = true;
  for (const std::uint32_t s : by_distance_) {
    const Bits lids = scratch.up[s];
    if (lids == 0) continue;
    each_table(s, block, scratch, [&](Entries entries) {
      const Masks masks = masks_of(s, entries);
      good = good && (masks.level & lids) == 0;
      for (Bits left = masks.up & lids; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        scratch.up[ports_[s].targets[entries[i]]] |= left & -left;
      }
    });
    if (!good) return false;
  }
  return true;
}

/// Marks the switches that packets enter from above. False if such a switch sends packets up again,
/// or if an entry leads to a switch at the same distance from the hosts.
bool UpDownCheck::follow_down(std::size_t block, Scratch& scratch) const {
  bool good = true;
  for (auto at = by_distance_.rbegin(); at != by_distance_.rend(); ++at) {
    const std::uint32_t s = *at;
    const Bits lids = scratch.up[s] | scratch.down[s];
    if (lids == 0) continue;
    each_table(s, block, scratch, [&](Entries entries) {
      const Masks masks = masks_of(s, entries);
      good = good && (masks.level & lids) == 0 && (masks.up & scratch.down[s]) == 0;
      each_target(s, entries, masks.down & lids,
                  [&](std::uint16_t to, Bits bits) { scratch.down[to] |= bits; });
    });
    if (!good) return false;
  }
  return true;
}

bool UpDownCheck::holds(unsigned threads) const {
  std::atomic<bool> all = true;
  // LIDs of switches are checked first: on a degraded tree this check usually fails if any check
  // fails.
  for (const auto check : {&UpDownCheck::holds_for_switches, &UpDownCheck::holds_for_hosts})
    parallel_blocks(
        of_hosts_.size(), kBlocksOfATask, threads, [&](std::size_t begin, std::size_t end) {
          Scratch scratch(ports_.size());
          for (std::size_t block = begin; block < end && all; ++block) {
            const auto differing =
                std::span(differing_).subspan(begins_[block], begins_[block + 1] - begins_[block]);
            for (const std::uint32_t s : differing) scratch.differs[s] = 1;
            if (!(this->*check)(block, scratch)) all = false;
            for (const std::uint32_t s : differing) scratch.differs[s] = 0;
          }
        });
  return all;
}

}  // namespace weft
