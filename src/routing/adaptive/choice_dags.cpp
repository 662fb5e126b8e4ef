// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/choice_dags.h"

namespace weft {

void ChoiceDags::set(const HopDag& dag, std::span<const std::uint32_t> trunk_of) {
  const std::uint32_t to = dag.destination().value();
  std::uint16_t* const level = &levels_[std::size_t{to} * switches_];
  level[to] = 0;
  for (const HopDag::Group& group : dag.groups())
    for (std::uint32_t i = group.begin; i < group.end; ++i) {
      const HopDag::Member& member = dag.members()[i];
      std::uint16_t most = 0;
      for (const std::uint32_t next : dag.targets(group, member))
        most = std::max(most, level[next]);
      level[member.sw] = static_cast<std::uint16_t>(most + 1);
      for (const std::uint32_t channel : dag.channels(group, member))
        restore(to, trunk_of[channel]);
    }
}

bool ChoiceDags::differ_at(std::uint32_t from, unsigned count) const {
  for (std::uint32_t to = 0; to < switches_; ++to)
    for (std::uint32_t trunk = trunks_.begin[from]; trunk < trunks_.begin[from + 1]; ++trunk) {
      const std::size_t word = to * words_ + trunk / 64;
      for (unsigned table = 1; table < count; ++table)
        if (((bits_[word] ^ bits_[table * table_words_ + word]) >> (trunk % 64) & 1) != 0)
          return true;
    }
  return false;
}

}  // namespace weft
