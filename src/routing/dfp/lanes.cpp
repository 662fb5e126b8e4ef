// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/lanes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/turns.h"
#include "routing/dfp/escalation.h"
#include "routing/dfp/lane_order.h"
#include "routing/tables/pair_paths.h"

namespace weft::dfp {
namespace {

constexpr std::uint64_t kSearches = 256;  // search limit of a lane: visits for each channel

/// The lanes of pairs of switches with packets that could be part of a cycle. A pair uses the lanes
/// of the escalation if its packets close no cycle on them, else an additional lane.
class PairLanes {
 public:
  PairLanes(const Fabric& fabric, const Turns& turns, const Escalation& escalation,
            const Lfts& lfts)
      : fabric_(fabric),
        turns_(turns),
        escalation_(escalation),
        order_(turns, escalation.lanes(), escalation.dependencies(),
               kSearches * fabric.channel_count()),
        pair_paths_(fabric, lfts) {}

  /// Returns the SL for the paths of both directions: 0 for the escalation, unless `separate`, 1
  /// for the first additional lane, and so on. Empty if more than `most` additional lanes are
  /// necessary.
  std::optional<std::uint8_t> add(std::uint32_t a, std::uint32_t b, bool separate,
                                  std::size_t most) {
    paths_ = pair_paths_.between(SwitchId(a), SwitchId(b));
    if (!separate && add_to_escalation()) return std::uint8_t{0};
    std::size_t lane = 0;
    while (lane < lanes_.size() && !add_to_lane(lanes_[lane])) ++lane;
    if (lane == lanes_.size()) {
      if (lane == most) return std::nullopt;
      lanes_.emplace_back(turns_, kSearches * fabric_.channel_count());
      if (!add_to_lane(lanes_.back())) return std::nullopt;
    }
    return static_cast<std::uint8_t>(lane + 1);
  }
  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }

 private:
  bool add_to_escalation() {
    std::vector<std::vector<LaneOrder::Vertex>> paths;
    for (const auto& path : paths_) paths.push_back(escalation_.with_lanes(path));
    return order_.add_paths(paths);
  }

  bool add_to_lane(AcyclicTurns& lane) const {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (lane.add_path(paths_[i])) continue;
      while (i-- > 0) lane.remove_path(paths_[i]);
      return false;
    }
    return true;
  }

  const Fabric& fabric_;
  const Turns& turns_;
  const Escalation& escalation_;
  LaneOrder order_;
  PairPaths pair_paths_;
  std::vector<AcyclicTurns> lanes_;
  std::span<const std::vector<std::uint32_t>> paths_;  // of the pair
};

struct LaneAssignment {
  unsigned lanes = 0;
  Sl2Vl sl2vl;
  PathSl path_sl;
};

/// Assigns SL 0 to the escalation, and a further SL to each additional lane. `unused`: an
/// escalation without packets. `separate`: all pairs with packets that are not in the order of the
/// lanes use additional lanes.
std::optional<LaneAssignment> assign(const Fabric& fabric, const Turns& turns,
                                     const Escalation& unused, bool separate, unsigned available,
                                     const Lfts& lfts) {
  const unsigned base = unused.lanes();
  if (available < base) return std::nullopt;
  Escalation escalation = unused;
  escalation.add_traffic(lfts);
  const auto packets = escalation.irregular_packets(lfts, separate);
  LaneAssignment assignment{base, escalation.maps(), {}};
  if (packets.empty()) return assignment;
  const std::uint32_t switches = fabric.switch_count();
  std::vector<bool> irregular(std::size_t{switches} * switches, false);
  const auto at = [&](std::uint32_t a, std::uint32_t b) { return std::size_t{a} * switches + b; };
  for (const auto& [from, lid] : packets) {
    const SwitchId to = fabric.endport(fabric.endport_of(lid)).sw;
    irregular[at(from.value(), to.value())] = irregular[at(to.value(), from.value())] = true;
  }
  Escalation regular = unused;
  regular.add_traffic(lfts, irregular);
  PairLanes further(fabric, turns, regular, lfts);
  std::vector<std::uint8_t> sls(std::size_t{switches} * switches, 0);
  for (std::uint32_t b = 0; b < switches; ++b)
    for (std::uint32_t a = 0; a < b; ++a) {
      if (!irregular[at(a, b)]) continue;
      const auto sl = further.add(a, b, separate, available - base);
      if (!sl) return std::nullopt;
      sls[at(a, b)] = sls[at(b, a)] = *sl;
    }
  if (further.count() == 0) return assignment;
  assignment.lanes += further.count();
  for (unsigned i = 0; i < further.count(); ++i)
    assignment.sl2vl.set_everywhere(Sl(static_cast<std::uint8_t>(i + 1)),
                                    Vl(static_cast<std::uint8_t>(base + i)));
  assignment.path_sl = PathSl::by_switch_pair(switches, std::move(sls));
  return assignment;
}

Status store(std::optional<LaneAssignment> lanes, unsigned available, Routes& routes) {
  if (!lanes)
    return fail(Code::kOutOfVls, "dfp needs more than {0} virtual lanes, found {0}", available);
  routes.vls = routes.vls_needed = lanes->lanes;
  routes.sl2vl = std::move(lanes->sl2vl);
  routes.path_sl = std::move(lanes->path_sl);
  return {};
}

}  // namespace

Status assign_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                    unsigned threads, Routes& routes) {
  routes.vls = routes.vls_needed = 1;
  routes.sl2vl = Sl2Vl();
  routes.path_sl = PathSl();
  const Turns turns(fabric);
  if (is_acyclic_on_one_lane(fabric, turns, routes.lfts, threads)) return {};
  std::optional<LaneAssignment> best;
  for (const unsigned base : {2u, 3u}) {
    if (best && best->lanes <= base) break;
    auto assignment = assign(fabric, turns, Escalation(fabric, turns, groups, base), false,
                             available, routes.lfts);
    if (assignment && (!best || assignment->lanes < best->lanes)) best = std::move(assignment);
  }
  return store(std::move(best), available, routes);
}

Status assign_private_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                            DfpLanes lanes, Routes& routes) {
  const Turns turns(fabric);
  return store(assign(fabric, turns, Escalation::with_private_tables(fabric, turns, groups),
                      lanes == DfpLanes::kPrivateSeparate, available, routes.lfts),
               available, routes);
}

bool choices_are_safe(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes,
                      DfpLanes lanes) {
  const Turns turns(fabric);
  Escalation escalation = lanes == DfpLanes::kOwn
                              ? Escalation(fabric, turns, groups, routes.vls)
                              : Escalation::with_private_tables(fabric, turns, groups);
  if (routes.adaptive) escalation.add_choices(routes);
  return escalation.is_acyclic();
}

}  // namespace weft::dfp
