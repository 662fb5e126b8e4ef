#include "routing/nue/arcs.h"

#include <algorithm>

namespace weft::nue {
namespace {

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

Arcs make_arcs(const Fabric& fabric, const std::vector<bool>& left_out) {
  Arcs arcs;
  arcs.switches = fabric.switch_count();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;  // head, channel
  for (std::uint32_t s = 0; s < arcs.switches; ++s) {
    arcs.begin.push_back(arcs.count());
    out.clear();
    std::uint32_t id = fabric.first_channel(SwitchId(s)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
      if (left_out.empty() || !left_out[id]) out.emplace_back(channel.to.value(), id);
      ++id;
    }
    std::ranges::sort(out);
    for (const auto& [to, channel] : out) {
      if (arcs.count() == arcs.begin[s] || arcs.head.back() != to) {
        arcs.head.push_back(to);
        arcs.tail.push_back(s);
        arcs.channel_begin.push_back(static_cast<std::uint32_t>(arcs.channels.size()));
      }
      arcs.channels.push_back(channel);
    }
  }
  arcs.begin.push_back(arcs.count());
  arcs.channel_begin.push_back(static_cast<std::uint32_t>(arcs.channels.size()));
  arcs.reverse.resize(arcs.count());
  arcs.turn_begin.assign(1, 0);
  for (std::uint32_t s = 0; s < arcs.switches; ++s) {
    for (std::uint32_t a = arcs.begin[s]; a < arcs.begin[s + 1]; ++a) {
      const auto first = arcs.head.begin() + arcs.begin[arcs.head[a]];
      const auto last = arcs.head.begin() + arcs.begin[arcs.head[a] + 1];
      arcs.reverse[a] =
          static_cast<std::uint32_t>(std::lower_bound(first, last, s) - arcs.head.begin());
    }
    arcs.turn_begin.push_back(arcs.turn_begin.back() +
                              std::size_t{arcs.degree(s)} * arcs.degree(s));
  }
  measure_parts(arcs);
  return arcs;
}

std::vector<std::uint32_t> switch_weights(const Fabric& fabric, bool include_switches) {
  std::vector<std::uint32_t> weights;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    weights.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()) +
                      (include_switches ? 1 : 0));
  return weights;
}

}  // namespace weft::nue
