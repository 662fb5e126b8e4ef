// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/changes/waiting_kinds.h"

#include <bit>

namespace weft {

LidSets assigned_lids(const Fabric& fabric, std::size_t blocks) {
  LidSets lids{std::vector<std::uint64_t>(blocks, 0), std::vector<std::uint64_t>(blocks, 0)};
  for (std::uint32_t value = 1; value <= fabric.lid_top().value(); ++value) {
    const EndportId owner = fabric.endport_of(Lid(static_cast<std::uint16_t>(value)));
    const std::size_t block = value / kLftBlock;
    if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch || block >= blocks) continue;
    auto& set = fabric.is_switch(fabric.endport(owner).node) ? lids.of_switches : lids.of_cas;
    set[block] |= std::uint64_t{1} << (value % kLftBlock);
  }
  return lids;
}

const WaitingKinds::LidSet& WaitingKinds::lids_over(ChannelId id) {
  const auto [place, is_new] = lids_over_.try_emplace(id, lids_.of_cas.size(), 0);
  LidSet& found = place->second;
  if (!is_new) return found;
  const Channel& channel = fabric_.channel(id);
  const SwitchId sw = channel.from;
  const std::uint8_t port = channel.from_port.value();
  for (std::size_t block = 0; block < found.size(); ++block) {
    const std::uint8_t* const ports = routes_.lfts.block(sw, block).data();
    for (std::size_t i = 0; i < kLftBlock; ++i)
      found[block] |= std::uint64_t{ports[i] == port} << i;
    const auto groups = routes_.adaptive->groups(sw);
    const auto may = [&](const ArEntry& entry) {
      return entry.state != ArState::kStatic && groups[entry.group][port];
    };
    const std::size_t first = block * kLftBlock;
    if (const auto entry = routes_.adaptive->block_entry(sw, block)) {
      if (may(*entry)) found[block] = ~std::uint64_t{0};
    } else {
      for (std::size_t i = 0; i < kLftBlock; ++i)
        if (may(routes_.adaptive->entry(sw, Lid(static_cast<std::uint16_t>(first + i)))))
          found[block] |= std::uint64_t{1} << i;
    }
  }
  return found;
}

/// Examines packets for the LID of the last result, then packets for CAs, then packets for
/// switches, which have only the kind kOfAll, and only if CAs send them.
AdaptiveLid::Kinds WaitingKinds::find(ChannelId held, ChannelId wanted,
                                      AdaptiveLid::Kinds requested) {
  AdaptiveLid::Kinds found = 0;
  if (last_ != kLidNone) add_kinds(last_, held, wanted, requested, found);
  if (found == requested) return found;
  find_among(lids_.of_cas, held, wanted, requested, found);
  const auto rest = static_cast<AdaptiveLid::Kinds>(requested & AdaptiveLid::kOfAll);
  if ((found & rest) != rest) find_among(lids_.of_switches, held, wanted, rest, found);
  return found;
}

void WaitingKinds::add_kinds(Lid lid, ChannelId held, ChannelId wanted,
                             AdaptiveLid::Kinds requested, AdaptiveLid::Kinds& found) {
  const Channel& first = fabric_.channel(held);
  const Channel& second = fabric_.channel(wanted);
  packets_.select(lid);
  if (packets_.may_send(first.from, first.from_port) &&
      packets_.may_send(second.from, second.from_port))
    found |= static_cast<AdaptiveLid::Kinds>(packets_.kinds(first.from) & requested);
}

/// Adds kinds to `found` until it has all requested kinds.
void WaitingKinds::find_among(const LidSet& lids, ChannelId held, ChannelId wanted,
                              AdaptiveLid::Kinds requested, AdaptiveLid::Kinds& found) {
  const LidSet& here = lids_over(held);
  const LidSet& there = lids_over(wanted);
  for (std::size_t block = 0; block < here.size(); ++block)
    for (std::uint64_t both = here[block] & there[block] & lids[block]; both != 0;
         both &= both - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(both));
      const Lid lid(static_cast<std::uint16_t>(block * kLftBlock + i));
      add_kinds(lid, held, wanted, requested, found);
      if ((found & requested) != requested) continue;
      last_ = lid;
      return;
    }
}

}  // namespace weft
