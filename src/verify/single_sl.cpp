// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/single_sl.h"

#include <algorithm>
#include <array>
#include <vector>

#include "verify/each_lid.h"
#include "verify/multicast_verifier.h"

namespace weft {
namespace {

bool is_dropped_somewhere(const Routes& routes, unsigned sl) {
  return std::ranges::any_of(routes.sl2vl.maps(),
                             [&](const SlMap& map) { return map[sl] == kDropVl; });
}

/// Whether packets of two SLs have the same paths and VLs.
bool are_equal(const Routes& routes, unsigned one, unsigned other) {
  const bool same_tables =
      !routes.adaptive || !routes.adaptive->has_private_tables() ||
      routes.adaptive->selection().are_equal(Sl(static_cast<std::uint8_t>(one)),
                                             Sl(static_cast<std::uint8_t>(other)));
  return same_tables && std::ranges::all_of(routes.sl2vl.maps(), [&](const SlMap& map) {
           return map[one] == map[other];
         });
}

/// safe_single_sls() for an SL2VL map that is the same at all ports: the SL then determines only
/// the VL of a path.
std::uint16_t safe_sls_by_lane(const Fabric& fabric, const Routes& routes, const Common& common,
                               const Dependencies& unicast, const Dependencies* multicast) {
  const SlMap& map = routes.sl2vl.common();
  if (!common.acyclic_on_one_lane && !unicast.switches.is_acyclic_on_one_lane()) return 0;
  const auto is_free = [&](std::optional<unsigned> multicast_vl) {
    DependencyGraph flat(fabric, 1);
    flat.add_flat(unicast.switches);
    for (const DependencyGraph* graph : {&multicast->cas, &multicast->switches})
      flat.add_flat(*graph, multicast_vl);
    return flat.is_acyclic();
  };
  const bool on_any = multicast == nullptr || is_free(std::nullopt);
  std::array<std::optional<bool>, kDropVl> on_lane{};
  const std::uint16_t usable = sls_on_links(routes, common);
  std::uint16_t safe = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl) {
    if ((usable >> sl & 1) == 0) continue;
    if (!on_any && !on_lane[map[sl]]) on_lane[map[sl]] = is_free(map[sl]);
    if (on_any || *on_lane[map[sl]]) safe |= static_cast<std::uint16_t>(1u << sl);
  }
  return safe;
}

/// Whether routes are safe if all traffic uses one SL.
bool is_safe(const Fabric& fabric, const Routes& routes, const Common& common,
             std::span<const MulticastGroup> groups, unsigned threads, Sl sl) {
  const PathSls only(fabric, routes, sl);
  Dependencies all = no_dependencies(fabric, routes, common);
  std::vector<LidTally> tallies(lid_blocks(fabric));
  for_each_lid(
      fabric, routes, common, only, threads, all,
      [&](auto& verifier, Lid lid, std::size_t block) { verifier.trace(lid, tallies[block]); });
  if (std::ranges::any_of(tallies, [](const LidTally& tally) { return !tally.beyond.empty(); }))
    return false;
  verify_multicast(fabric, routes, groups, 0, all.cas, all.switches);
  all.cas.add(all.switches);
  return all.cas.find_cycle().empty();
}

}  // namespace

std::uint16_t sls_on_links(const Routes& routes, const Common& common) {
  const SlMap& map = routes.sl2vl.common();
  std::uint16_t sls = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    if (map[sl] < common.least_vls && map[sl] != kDropVl)
      sls |= static_cast<std::uint16_t>(1u << sl);
  return sls;
}

bool sls_select_tables(const Routes& routes) {
  if (!routes.adaptive || !routes.adaptive->has_private_tables()) return false;
  for (std::uint8_t sl = 1; sl < kSlCount; ++sl)
    if (!routes.adaptive->selection().are_equal(Sl(0), Sl(sl))) return true;
  return false;
}

std::uint16_t safe_single_sls(const Fabric& fabric, const Routes& routes, const Common& common,
                              std::span<const MulticastGroup> groups, unsigned threads,
                              const Dependencies& unicast, const Dependencies* multicast) {
  if (routes.sl2vl.uniform() && !sls_select_tables(routes))
    return safe_sls_by_lane(fabric, routes, common, unicast, multicast);
  Common all_sls = common;
  all_sls.vls = vl_count_of_maps(routes, kSlCount);
  all_sls.scarce = all_sls.vls > common.least_vls;
  std::array<int, kSlCount> result{};  // 0: not computed yet
  std::uint16_t safe = 0;
  for (unsigned sl = 0; sl < kSlCount; ++sl) {
    if (is_dropped_somewhere(routes, sl)) continue;
    bool known = false;
    for (unsigned other = 0; other < sl && !known; ++other) {
      if (result[other] == 0 || !are_equal(routes, sl, other)) continue;
      result[sl] = result[other];
      known = true;
    }
    if (!known)
      result[sl] =
          is_safe(fabric, routes, all_sls, groups, threads, Sl(static_cast<std::uint8_t>(sl))) ? 1
                                                                                               : -1;
    if (result[sl] > 0) safe |= static_cast<std::uint16_t>(1u << sl);
  }
  return safe;
}

}  // namespace weft
