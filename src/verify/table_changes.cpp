// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/table_changes.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace weft {
namespace {

bool same_nodes(const Fabric& before, const Fabric& now) {
  if (before.switch_count() != now.switch_count() ||
      before.endport_count() != now.endport_count() || before.lid_top() != now.lid_top())
    return false;
  for (std::uint32_t s = 0; s < now.switch_count(); ++s) {
    const Node& a = before.node(SwitchId(s));
    const Node& b = now.node(SwitchId(s));
    if (a.node_guid != b.node_guid || a.port_count != b.port_count) return false;
  }
  for (std::uint32_t i = 0; i < now.endport_count(); ++i) {
    const Endport& a = before.endport(EndportId(i));
    const Endport& b = now.endport(EndportId(i));
    if (before.port(a.port).guid != now.port(b.port).guid || a.sw != b.sw ||
        a.sw_port != b.sw_port || a.lid != b.lid || a.lmc != b.lmc)
      return false;
  }
  return true;
}

void find_in_row(const Fabric& fabric, SwitchId sw, const Lfts& before, const Lfts& now,
                 const std::vector<PortNum>& ports, std::vector<ChangedEntry>& found) {
  const auto old_row = before.row(sw);
  const auto new_row = now.row(sw);
  bool of_port[256] = {};
  for (const PortNum port : ports) of_port[port.value()] = true;
  for (std::size_t block = 0; block < now.blocks(); ++block) {
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
  if (!same_nodes(before, now)) return std::nullopt;
  ChannelMatch match;
  match.before_.assign(now.channel_count(), kNoChannel);
  match.now_.assign(before.channel_count(), kNoChannel);
  match.changed_ports_.resize(now.switch_count());
  for (std::uint32_t id = 0; id < now.channel_count(); ++id) {
    const Channel& channel = now.channel(ChannelId(id));
    const ChannelId old = before.channel_at(channel.from, channel.from_port);
    if (old != kNoChannel && before.channel(old).to == channel.to &&
        before.channel(old).to_port == channel.to_port) {
      match.before_[id] = old;
      match.now_[old.value()] = ChannelId(id);
    } else {
      match.changed_ports_[channel.from.value()].push_back(channel.from_port);
    }
  }
  for (std::uint32_t id = 0; id < before.channel_count(); ++id)
    if (match.now_[id] == kNoChannel) {
      const Channel& channel = before.channel(ChannelId(id));
      match.changed_ports_[channel.from.value()].push_back(channel.from_port);
    }
  return match;
}

std::optional<std::vector<ChangedEntry>> changed_entries(const Fabric& fabric, const Lfts& before,
                                                         const Lfts& now,
                                                         const ChannelMatch& channels,
                                                         std::size_t most, unsigned threads) {
  constexpr std::size_t kRows = 32;
  if (before.blocks() != now.blocks()) return std::nullopt;
  std::vector<std::vector<ChangedEntry>> found((fabric.switch_count() + kRows - 1) / kRows);
  parallel_blocks(fabric.switch_count(), kRows, threads, [&](std::size_t begin, std::size_t end) {
    auto& mine = found[begin / kRows];
    for (std::size_t s = begin; s < end && mine.size() <= most; ++s) {
      const SwitchId sw(static_cast<std::uint32_t>(s));
      find_in_row(fabric, sw, before, now, channels.changed_ports(sw), mine);
    }
  });
  std::vector<ChangedEntry> all;
  for (const auto& some : found) {
    all.insert(all.end(), some.begin(), some.end());
    if (all.size() > most) return std::nullopt;
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace weft
