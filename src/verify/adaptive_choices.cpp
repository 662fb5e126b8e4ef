// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/adaptive_choices.h"

#include <bit>

namespace weft {
namespace {

constexpr std::uint64_t kFirstLidBit = 1;

}  // namespace

std::span<const std::uint32_t> AdaptiveChoices::load(Lid lid) {
  const std::size_t block = lid.value() / kLftBlock;
  if (block_ != block) find_changes(block);
  block_ = block;
  const auto& changed = changed_[lid.value() % kLftBlock];
  for (const std::uint32_t s : changed) ports_[s] = choices_of(lfts_, adaptive_, SwitchId(s), lid);
  return changed;
}

void AdaptiveChoices::find_changes(std::size_t block) {
  for (auto& switches : changed_) switches.clear();
  const Lid first(static_cast<std::uint16_t>(block * kLftBlock));
  for (std::uint32_t s = 0; s < ports_.size(); ++s) {
    std::uint64_t at = changes(SwitchId(s), block);
    if (ports_[s] != choices_of(lfts_, adaptive_, SwitchId(s), first)) at |= kFirstLidBit;
    for (; at != 0; at &= at - 1)
      changed_[static_cast<std::size_t>(std::countr_zero(at))].push_back(s);
  }
}

/// Bit i, from bit 1 on, is for LID i of the block. Set: the choices may differ from those for the
/// previous LID. Not set: they are equal.
std::uint64_t AdaptiveChoices::changes(SwitchId sw, std::size_t block) const {
  if (block >= lfts_.blocks()) return 0;
  const std::uint8_t* const port = lfts_.block(sw, block).data();
  std::uint64_t other_port = 0;
  for (std::size_t i = 1; i < kLftBlock; ++i)
    other_port |= std::uint64_t{port[i] != port[i - 1]} << i;
  // If the LFT ports of both LIDs are in the group, the choices for both LIDs are the group.
  const auto alike = [&](std::size_t i, const ArEntry& entry) {
    if (entry.state == ArState::kStatic) return false;
    const PortMask& group = adaptive_.groups(sw)[entry.group];
    return group[port[i]] && group[port[i - 1]];
  };
  std::uint64_t found = 0;
  if (const auto common = adaptive_.block_entry(sw, block)) {
    // Entries above the top LID of the AR tables are static.
    const std::size_t end = adaptive_.top().value() + std::size_t{1};
    if (end / kLftBlock == block) found |= kFirstLidBit << (end % kLftBlock);
    for (; other_port != 0; other_port &= other_port - 1) {
      const int i = std::countr_zero(other_port);
      if (!alike(static_cast<std::size_t>(i), *common)) found |= kFirstLidBit << i;
    }
    return found;
  }
  ArEntry before;
  for (std::size_t i = 0; i < kLftBlock; ++i) {
    const ArEntry entry =
        adaptive_.entry(sw, Lid(static_cast<std::uint16_t>(block * kLftBlock + i)));
    if (i > 0 && (entry != before || ((other_port >> i & 1) != 0 && !alike(i, entry))))
      found |= kFirstLidBit << i;
    before = entry;
  }
  return found;
}

PortMask choices_of(const Lfts& lfts, const ArTables& adaptive, SwitchId sw, Lid lid) {
  PortMask ports;
  if (const PortMask* const group = adaptive.group_of(sw, lid)) ports = *group;
  ports.set(lfts.port(sw, lid).value());
  return ports;
}

}  // namespace weft
