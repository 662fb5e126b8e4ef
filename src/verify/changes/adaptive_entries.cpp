// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/changes/adaptive_entries.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "verify/adaptive_choices.h"

namespace weft {
namespace {

/// Whether the choices for all LIDs of a block are known to be equal without a comparison of each
/// LID: one group for all LIDs, equal tables, and no changed port in the tables.
bool is_same_block(const Routes& before, const Routes& now, SwitchId sw, std::size_t block,
                   const PortMask& changed) {
  const auto old_ports = before.lfts.block(sw, block), ports = now.lfts.block(sw, block);
  if (std::memcmp(old_ports.data(), ports.data(), kLftBlock) != 0) return false;
  const auto old = before.adaptive->block_entry(sw, block);
  const auto entry = now.adaptive->block_entry(sw, block);
  if (!old || !entry || (old->state == ArState::kStatic) != (entry->state == ArState::kStatic))
    return false;
  if (entry->state != ArState::kStatic) {
    const PortMask& group = now.adaptive->groups(sw)[entry->group];
    if (group != before.adaptive->groups(sw)[old->group] || (group & changed).any()) return false;
  }
  return changed.none() ||
         std::ranges::none_of(ports, [&](std::uint8_t port) { return changed[port]; });
}

void find_changed(const Fabric& fabric, const Routes& before, const Routes& now, SwitchId sw,
                  const ChannelMatch& channels, std::vector<ChangedEntry>& found) {
  PortMask changed;
  for (const PortNum port : channels.changed_ports(sw)) changed.set(port.value());
  for (std::size_t block = 0; block < lid_blocks(fabric); ++block) {
    if (is_same_block(before, now, sw, block, changed)) continue;
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      const Lid lid(static_cast<std::uint16_t>(block * kLftBlock + i));
      if (lid > fabric.lid_top() || fabric.endport_of(lid) == kNoEndport) continue;
      const PortMask choices = choices_of(now.lfts, *now.adaptive, sw, lid),
                     old_choices = choices_of(before.lfts, *before.adaptive, sw, lid);
      if (choices != old_choices || (choices & changed).any()) found.push_back({lid, sw});
    }
  }
}

}  // namespace

std::optional<std::vector<ChangedEntry>> changed_choices(const Fabric& fabric, const Routes& before,
                                                         const Routes& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads) {
  constexpr std::size_t kRows = 32;
  const std::size_t blocks = lid_blocks(fabric);
  if (before.lfts.blocks() < blocks || now.lfts.blocks() < blocks ||
      before.adaptive->top() < fabric.lid_top() || now.adaptive->top() < fabric.lid_top())
    return std::nullopt;
  std::vector<std::vector<ChangedEntry>> found((fabric.switch_count() + kRows - 1) / kRows);
  parallel_blocks(fabric.switch_count(), kRows, threads, [&](std::size_t begin, std::size_t end) {
    auto& part = found[begin / kRows];
    for (std::size_t s = begin; s < end && part.size() <= most; ++s)
      find_changed(fabric, before, now, SwitchId(static_cast<std::uint32_t>(s)), channels, part);
  });
  return join_entries(found, most);
}

}  // namespace weft
