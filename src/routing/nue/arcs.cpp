// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/arcs.h"

#include <algorithm>

#include "routing/shapes/hop_dag.h"

namespace weft::nue {
namespace {

void index_channels(const Fabric& fabric, Arcs& arcs) {
  for (std::uint32_t s = 0; s < arcs.switches; ++s)
    arcs.first_channel.push_back(fabric.first_channel(SwitchId(s)).value());
  arcs.first_channel.push_back(fabric.channel_count());
  arcs.channel_head = channel_heads(fabric);
  arcs.arc_of_channel.assign(fabric.channel_count(), arcs.count());
  for (std::uint32_t a = 0; a < arcs.count(); ++a)
    for (const std::uint32_t channel : arcs.channels_of(a)) arcs.arc_of_channel[channel] = a;
}

void measure_parts(Arcs& arcs) {
  arcs.part_size.assign(arcs.switches, 0);
  std::vector<std::uint32_t> part;
  for (std::uint32_t s = 0; s < arcs.switches; ++s) {
    if (arcs.part_size[s] != 0) continue;
    part.assign(1, s);
    arcs.part_size[s] = 1;
    for (std::size_t i = 0; i < part.size(); ++i)
      for (std::uint32_t a = arcs.begin[part[i]]; a < arcs.begin[part[i] + 1]; ++a)
        if (arcs.part_size[arcs.head[a]] == 0) {
          arcs.part_size[arcs.head[a]] = 1;
          part.push_back(arcs.head[a]);
        }
    for (const std::uint32_t member : part)
      arcs.part_size[member] = static_cast<std::uint32_t>(part.size());
  }
}

}  // namespace

Arcs::Arcs(const Fabric& fabric, const std::vector<bool>& left_out)
    : Trunks(fabric, left_out), switches(fabric.switch_count()), turn_begin{0} {
  for (std::uint32_t s = 0; s < switches; ++s)
    turn_begin.push_back(turn_begin.back() + std::size_t{degree(s)} * degree(s));
  first_turn.resize(count());
  for (std::uint32_t a = 0; a < count(); ++a)
    first_turn[a] =
        turn_begin[head[a]] + std::size_t{reverse[a] - begin[head[a]]} * degree(head[a]);
  measure_parts(*this);
  index_channels(fabric, *this);
}

std::uint32_t Arcs::degree_max() const {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < switches; ++s) most = std::max(most, degree(s));
  return most;
}

std::vector<std::uint32_t> switch_weights(const Fabric& fabric, bool include_switches) {
  std::vector<std::uint32_t> weights;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    weights.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()) +
                      (include_switches ? 1 : 0));
  return weights;
}

}  // namespace weft::nue
