// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/lanes.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/torus_2qos/paths.h"

namespace weft {
namespace {

constexpr unsigned kLanesForTurns = 4;
constexpr unsigned kLanesForRings = 2;

unsigned lanes_needed(const Torus& torus) {
  if (!torus.missing_switches().empty()) return kLanesForTurns;
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    if (!torus.grid().is_line(d)) return kLanesForRings;
  return 1;
}

/// Lane by SL on a cable of a dimension of the configuration, for packets after a forbidden turn if
/// `forbidden`.
SlMap cable_map(unsigned dimension, bool forbidden, unsigned lanes) {
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl) {
    unsigned vl = sl >> dimension & 1u;
    if (forbidden) vl |= 1u << kVlTurnBit;
    vl |= (sl >> kSlQosBit) << kVlQosBit;
    map[sl] = static_cast<std::uint8_t>(vl & (lanes - 1));
  }
  return map;
}

/// Lane by SL at hosts and port 0 of switches: one lane for each level of QoS.
SlMap end_map(unsigned lanes) {
  SlMap map{};
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    map[sl] = static_cast<std::uint8_t>(lanes == kLanesForQos ? sl >> kSlQosBit : 0);
  return map;
}

Sl2Vl make_maps(const Fabric& fabric, const Torus& torus, unsigned lanes) {
  Sl2Vl result(end_map(lanes));
  std::array<std::array<SlMap, 2>, kTorusDimensions> maps;
  for (unsigned d = 0; d < kTorusDimensions; ++d)
    for (const bool forbidden : {false, true})
      maps[d][forbidden] = cable_map(torus.grid().configured(d), forbidden, lanes);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const auto channels = fabric.channels_from(sw);
    std::array<std::uint8_t, 256> dimension_of{};  // by port
    for (const Channel& channel : channels)
      dimension_of[channel.from_port.value()] =
          static_cast<std::uint8_t>(torus.pointing(channel).dimension);
    for (const Channel& channel : channels) {
      const unsigned out = dimension_of[channel.from_port.value()];
      // Begins with the highest port, which determines the size of the table.
      for (unsigned in = fabric.node(sw).port_count + 1u; in-- > 0;)
        result.set(sw, PortNum(static_cast<std::uint8_t>(in)), channel.from_port,
                   maps[out][dimension_of[in] > out]);
    }
  }
  return result;
}

PathSl make_path_sls(const Fabric& fabric, const Torus& torus, unsigned threads) {
  const std::size_t switches = fabric.switch_count();
  std::vector<std::uint8_t> table(switches * switches, 0);
  parallel_for(switches, threads, [&](std::size_t from) {
    const Paths paths(torus, torus.place_of(SwitchId(static_cast<std::uint32_t>(from))));
    const auto row = std::span(table).subspan(from * switches, switches);
    torus.grid().for_each_place([&](Place to, const Coordinates& there) {
      if (const SwitchId sw = torus.switch_at(to); sw != kNoSwitch)
        row[sw.value()] = paths.lane_bits(there);
    });
  });
  return PathSl::by_switch_pair(fabric.switch_count(), std::move(table));
}

}  // namespace

Result<Lanes> assign_lanes(const Fabric& fabric, const Torus& torus, unsigned vls_max,
                           unsigned threads) {
  const unsigned needed = lanes_needed(torus);
  if (vls_max < needed)
    return fail(Code::kOutOfVls, "torus-2QoS needs {} virtual lanes, found {}{}", needed, vls_max,
                needed == kLanesForTurns ? ": a switch of the torus is missing" : "");
  unsigned lanes = 1;
  for (const unsigned enough : {kLanesForRings, kLanesForTurns, kLanesForQos})
    if (vls_max >= enough) lanes = enough;
  return Lanes{make_path_sls(fabric, torus, threads), make_maps(fabric, torus, lanes), lanes,
               needed};
}

}  // namespace weft
