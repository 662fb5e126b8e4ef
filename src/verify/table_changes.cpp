// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/table_changes.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "fabric/changes.h"
#include "routes/next_hops.h"

namespace weft {
namespace {

void find_in_row(const Fabric& fabric, SwitchId sw, const Lfts& before, const Lfts& now,
                 std::size_t blocks, const std::vector<PortNum>& ports,
                 std::vector<ChangedEntry>& found) {
  const auto old_row = before.row(sw).first(blocks * kLftBlock);
  const auto new_row = now.row(sw).first(blocks * kLftBlock);
  if (ports.empty() && std::memcmp(old_row.data(), new_row.data(), new_row.size()) == 0) return;
  bool of_port[256] = {};
  for (const PortNum port : ports) of_port[port.value()] = true;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint8_t* const a = old_row.data() + block * kLftBlock;
    const std::uint8_t* const b = new_row.data() + block * kLftBlock;
    if (ports.empty() && std::memcmp(a, b, kLftBlock) == 0) continue;
    for (std::size_t i = 0; i < kLftBlock; ++i) {
      if (a[i] == b[i] && !of_port[a[i]]) continue;
      const Lid lid(static_cast<std::uint16_t>(block * kLftBlock + i));
      if (fabric.endport_of(lid) != kNoEndport) found.push_back({lid, sw});
    }
  }
}

}  // namespace

std::optional<ChannelMatch> ChannelMatch::of(const Fabric& before, const Fabric& now) {
  if (!have_same_endports(before, now)) return std::nullopt;
  ChannelMatch match;
  match.before_.assign(now.channel_count(), kNoChannel);
  match.now_.assign(before.channel_count(), kNoChannel);
  match.changed_ports_.resize(now.switch_count());
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) match.add(before, now, SwitchId(s));
  return match;
}

/// Matches the channels that leave a switch. Both lists of channels are sorted by port.
void ChannelMatch::add(const Fabric& before, const Fabric& now, SwitchId sw) {
  const auto channels = now.channels_from(sw);
  const auto channels_before = before.channels_from(sw);
  auto& changed = changed_ports_[sw.value()];
  std::size_t i = 0, k = 0;
  while (i < channels.size() || k < channels_before.size()) {
    const bool in_both = i < channels.size() && k < channels_before.size() &&
                         channels[i].from_port == channels_before[k].from_port;
    if (in_both && channels[i].to == channels_before[k].to &&
        channels[i].to_port == channels_before[k].to_port) {
      const ChannelId id(now.first_channel(sw).value() + static_cast<std::uint32_t>(i++));
      const ChannelId old(before.first_channel(sw).value() + static_cast<std::uint32_t>(k++));
      before_[id.value()] = old;
      now_[old.value()] = id;
    } else if (k == channels_before.size() ||
               (i < channels.size() && channels[i].from_port <= channels_before[k].from_port)) {
      changed.push_back(channels[i++].from_port);
      k += in_both ? 1 : 0;
    } else {
      changed.push_back(channels_before[k++].from_port);
    }
  }
}

std::optional<std::vector<ChangedEntry>> changed_entries(const Fabric& fabric, const Lfts& before,
                                                         const Lfts& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads) {
  constexpr std::size_t kRows = 32;
  // Blocks above the highest LID of the fabric have only copied LIDs (routes/lid_copies.h).
  const std::size_t blocks = lid_blocks(fabric);
  if (before.blocks() < blocks || now.blocks() < blocks) return std::nullopt;
  std::vector<std::vector<ChangedEntry>> found((fabric.switch_count() + kRows - 1) / kRows);
  parallel_blocks(fabric.switch_count(), kRows, threads, [&](std::size_t begin, std::size_t end) {
    auto& part = found[begin / kRows];
    for (std::size_t s = begin; s < end && part.size() <= most; ++s) {
      const SwitchId sw(static_cast<std::uint32_t>(s));
      find_in_row(fabric, sw, before, now, blocks, channels.changed_ports(sw), part);
    }
  });
  return join_entries(found, most);
}

std::optional<std::vector<ChangedEntry>> join_entries(
    const std::vector<std::vector<ChangedEntry>>& parts, std::size_t most) {
  std::vector<ChangedEntry> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    if (all.size() > most) return std::nullopt;
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace weft
