// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/lane_choice.h"

#include <algorithm>
#include <array>
#include <set>

#include "routing/deadlock/lanes.h"
#include "routing/multicast/laned_unicast.h"

namespace weft::multicast {

namespace {

constexpr unsigned kVlsMax = 15;

}  // namespace

LaneChoice LaneChooser::choose() {
  LaneChoice choice{Sl(0), std::nullopt, routes_.sl2vl, routes_.vls, {}};
  if (depends_on_input(routes_)) {
    if (!open_lane(choice) && !share_lanes(choice)) note_no_tree(choice);
    return choice;
  }
  std::set<std::uint8_t> tried{15};  // VL 15 discards packets
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    const std::uint8_t vl = routes_.sl2vl.common()[sl];
    if (!tried.insert(vl).second) continue;
    bool may_deadlock = false;
    choice.lane = try_lane(Vl(vl), may_deadlock);
    choice.sl = Sl(choice.lane ? sl : std::uint8_t{0});
    if (choice.lane || may_deadlock) return choice;
  }
  if (!open_lane(choice)) note_no_tree(choice);
  return choice;
}

void LaneChooser::note_no_tree(LaneChoice& choice) const {
  choice.notes.push_back(
      fmt::format("no lane of '{}' has a multicast tree over all hosts that closes no credit loop: "
                  "multicast and unicast packets can deadlock; {}",
                  routes_.engine,
                  free_sl() ? "provide one more VL, or use -R nue or updn"
                            : "the paths use all SLs, so use -R nue or updn"));
}

std::optional<Lane> LaneChooser::try_lane(Vl vl, bool& may_deadlock) {
  for (const TrafficSources sources : {TrafficSources::kHostsAndSwitches, TrafficSources::kHosts}) {
    const TurnSet unicast = unicast_turns(fabric_, routes_, turns_, vl, sources, options_.threads);
    may_deadlock = !unicast.acyclic();
    if (may_deadlock) continue;
    auto lane =
        make_lane(fabric_, turns_, unicast, std::nullopt, membership_.parts(), demands_, maker_);
    if (lane || all_traffic_) return lane;
  }
  return std::nullopt;
}

bool LaneChooser::open_lane(LaneChoice& choice) {
  const auto sl = free_sl();
  const std::vector<bool> used = vls_used(sl);
  const auto vl = static_cast<std::uint8_t>(std::ranges::find(used, false) - used.begin());
  if (vl >= lanes_available(fabric_, options_.vls_max) || !sl) return false;
  choice.lane = make_lane(fabric_, turns_, TurnSet(turns_), std::nullopt, membership_.parts(),
                          demands_, maker_);
  choice.sl2vl.set_everywhere(*sl, Vl(vl));
  choice.sl = *sl;
  choice.vls = std::max(routes_.vls, vl + 1u);
  choice.notes.push_back(
      fmt::format("multicast uses SL {} and VL {} exclusively: on one lane with the unicast "
                  "packets of '{}' its trees could deadlock",
                  sl->value(), vl, routes_.engine));
  return true;
}

bool LaneChooser::share_lanes(LaneChoice& choice) {
  const std::vector<bool> used = vls_used(std::nullopt);
  const auto top = std::ranges::find(used.rbegin(), used.rend(), true);
  const auto lanes = std::max(lanes_available(fabric_, options_.vls_max),
                              static_cast<unsigned>(used.rend() - top));
  laned_turns_.emplace(fabric_, lanes);
  for (const Traffic traffic :
       {Traffic{true, true}, Traffic{true, false}, Traffic{false, true}, Traffic{false, false}}) {
    if (all_traffic_ && !traffic.switches) break;
    const TurnSet unicast =
        laned_unicast_turns(fabric_, routes_, *laned_turns_, lanes, traffic, options_.threads);
    if (!unicast.acyclic()) continue;
    // The same demands as in has_multicast_lane(), so routes for which that function returned true
    // have a tree for any groups.
    const auto all = membership_.with_all_hosts(std::array{all_endports(fabric_)});
    return share_lanes(unicast, lanes, all, choice) ||
           (!all_traffic_ && share_lanes(unicast, lanes, demands_, choice));
  }
  return false;
}

bool LaneChooser::share_lanes(const TurnSet& unicast, unsigned lanes,
                              std::span<const std::vector<Demand>> demands, LaneChoice& choice) {
  const auto takes_tree = [&](const Sl2Vl& maps, Sl sl) {
    auto sl_lanes = SlLanes::find(fabric_, maps, sl, lanes);
    if (!sl_lanes) return false;
    choice.lane = make_lane(fabric_, *laned_turns_, unicast, std::move(sl_lanes),
                            membership_.parts(), demands, maker_);
    if (choice.lane) choice.sl = sl;
    return choice.lane.has_value();
  };
  std::set<std::string> tried;  // for each SL tried: its VL by map
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    std::string vls;
    for (const SlMap& map : routes_.sl2vl.maps()) vls.push_back(static_cast<char>(map[sl]));
    if (tried.insert(std::move(vls)).second && takes_tree(routes_.sl2vl, Sl(sl))) return true;
  }
  const auto sl = free_sl();
  if (!sl) return false;
  for (unsigned vl = 0; vl < lanes_available(fabric_, options_.vls_max); ++vl) {
    Sl2Vl maps = routes_.sl2vl;
    maps.set_everywhere(*sl, Vl(static_cast<std::uint8_t>(vl)));
    if (!takes_tree(maps, *sl)) continue;
    choice.sl2vl = std::move(maps);
    choice.vls = std::max(routes_.vls, vl + 1);
    choice.notes.push_back(
        fmt::format("multicast uses SL {} on VL {}: with the unicast packets of '{}' its trees "
                    "could deadlock on every other SL",
                    sl->value(), vl, routes_.engine));
    return true;
  }
  return false;
}

std::vector<bool> LaneChooser::vls_used(std::optional<Sl> except) const {
  std::vector<bool> used(kVlsMax, false);
  for (const SlMap& map : routes_.sl2vl.maps())
    for (std::size_t sl = 0; sl < map.size(); ++sl)
      if (map[sl] < kVlsMax && (!except || sl != except->value())) used[map[sl]] = true;
  return used;
}

std::optional<Sl> LaneChooser::free_sl() const {
  std::array<bool, kSlCount> used{};
  for (std::uint32_t value = 1; value <= fabric_.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) continue;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      used[routes_.path_sl.sl(SwitchId(s), fabric_.endport(owner).sw, lid).value()] = true;
  }
  const auto found = std::ranges::find(used, false);
  if (found == used.end()) return std::nullopt;
  return Sl(static_cast<std::uint8_t>(found - used.begin()));
}

}  // namespace weft::multicast
