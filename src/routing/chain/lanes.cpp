// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/chain/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/check.h"
#include "routing/chain/lane_stack.h"
#include "routing/chain/pairs.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

using LaneMask = std::uint16_t;  // a bit for each SL or VL of a step

class Layout {
 public:
  Layout(const Fabric& fabric, const PlacedSteps& steps, const Owners& owners, const Lfts& lfts,
         bool ignore_replies)
      : fabric_(fabric),
        steps_(steps),
        step_count_(static_cast<std::uint8_t>(steps.size())),
        pairs_(fabric, owners, lfts, ignore_replies),
        turns_(fabric),
        stack_(turns_),
        first_(steps.size(), 0),
        lane_of_(steps.size()),
        sl_of_step_(steps.size()) {
    CHECK(steps.size() <= kChainStepsMost);
  }

  Result<ChainLanes> make() {
    reserve_vls();
    if (!put_steps() || !put_pairs())
      return fail(Code::kOutOfVls, "the steps need more than {} VLs", LaneStack::kLanesMax);
    if (!obstacle_.empty()) return fail(Code::kUnroutable, "{}", obstacle_);
    if (const unsigned sls = number_sls(); sls > kSlCount)
      return fail(Code::kOutOfVls, "the paths of the steps need {} SLs, found {}", sls, kSlCount);
    ChainLanes lanes;
    lanes.vls = std::max(1u, stack_.count());
    lanes.fixed_vls = std::ranges::none_of(steps_, changes_vl);
    lanes.sl_of = table();
    lanes.sl2vl = maps();
    return lanes;
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;

  static bool changes_vl(const PlacedStep& step) { return !step.routes.sl2vl.uniform(); }

  /// The SL that the engine of a step assigned to packets between two switches of the step.
  Sl own_sl(std::uint8_t place, SwitchId from, const Endport& to) const {
    const PlacedStep& step = steps_[place];
    return step.routes.path_sl.sl(step.at(from), step.at(to.sw), lid_at(to, step.step->path_bit));
  }
  Vl own_vl(std::uint8_t place, Sl sl) const {
    return Vl(steps_[place].routes.sl2vl.common()[sl.value()]);
  }

  /// Reserves VLs for steps with packets that change the VL on the path.
  void reserve_vls() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!changes_vl(steps_[i])) continue;
      std::vector<bool> channels(fabric_.channel_count(), false);
      for (std::uint32_t c = 0; c < fabric_.channel_count(); ++c) {
        const Channel& channel = fabric_.channel(ChannelId(c));
        channels[c] = steps_[i].has(channel.from) && steps_[i].has(channel.to);
      }
      first_[i] = stack_.reserve(channels, steps_[i].routes.vls);
    }
  }

  /// VLs of requests from endports at `from`: to CAs at `to`, and to CAs at `to` and port 0 of
  /// `to`.
  struct Vls {
    LaneMask to_cas = 0, to_all = 0;
  };
  Vls vls_of(std::uint8_t place, SwitchId from, SwitchId to) const {
    Vls vls;
    pairs_.each_lid(from, to, [&](const Endport& endport, Lid) {
      const auto vl =
          static_cast<LaneMask>(1u << own_vl(place, own_sl(place, from, endport)).value());
      vls.to_all |= vl;
      if (!fabric_.is_switch(endport.node)) vls.to_cas |= vl;
    });
    return vls;
  }

  /// Calls body(vls, channels) for each path of a pair that one step with fixed VLs routes.
  template <class Body>
  void each_path(std::uint8_t place, SwitchId from, SwitchId to, const Body& body) {
    const Vls replies = pairs_.one_direction() ? Vls{} : vls_of(place, to, from);
    pairs_.each_lid(from, to, [&](const Endport& endport, Lid lid) {
      const auto request =
          static_cast<LaneMask>(1u << own_vl(place, own_sl(place, from, endport)).value());
      const LaneMask reply = fabric_.is_switch(endport.node) ? replies.to_cas : replies.to_all;
      pairs_.find_path(from, to, lid, path_);
      body(static_cast<LaneMask>(request | reply), std::span<const std::uint32_t>(path_));
    });
  }
  template <class Body>
  void each_direction(SwitchId a, SwitchId b, const Body& body) {
    body(a, b);
    if (!pairs_.one_direction()) body(b, a);
  }

  /// Assigns lanes to whole steps. Pairs on lanes with cycles are assigned individually later.
  bool put_steps() {
    for (std::uint8_t place = 0; place < step_count_; ++place) {
      if (changes_vl(steps_[place])) continue;
      std::vector<TurnSet> lanes(steps_[place].routes.vls, TurnSet(turns_));
      pairs_.each([&](SwitchId a, SwitchId b) {
        if (pairs_.step_of(a, b) != place) return;
        each_direction(a, b, [&](SwitchId from, SwitchId to) {
          each_path(place, from, to, [&](LaneMask vls, std::span<const std::uint32_t> path) {
            for (; vls != 0; vls &= static_cast<LaneMask>(vls - 1))
              for (std::size_t i = 0; i + 1 < path.size(); ++i)
                lanes[static_cast<unsigned>(std::countr_zero(vls))].add(path[i], path[i + 1]);
          });
        });
      });
      LaneMask cyclic = 0;
      for (unsigned vl = 0; vl < lanes.size(); ++vl)
        if (!lanes[vl].acyclic()) cyclic |= static_cast<LaneMask>(1u << vl);
      if (cyclic != 0) split_pairs(place, cyclic);
      lane_of_[place].assign(lanes.size(), kNone);
      for (unsigned vl = 0; vl < lanes.size(); ++vl) {
        if ((cyclic >> vl & 1) != 0) continue;
        const auto lane = stack_.put(lanes[vl]);
        if (!lane) return false;
        lane_of_[place][vl] = static_cast<std::uint8_t>(*lane);
      }
    }
    return true;
  }

  void split_pairs(std::uint8_t place, LaneMask cyclic) {
    pairs_.each([&](SwitchId a, SwitchId b) {
      if (pairs_.step_of(a, b) != place) return;
      LaneMask used = 0;
      each_direction(a, b,
                     [&](SwitchId from, SwitchId to) { used |= vls_of(place, from, to).to_all; });
      if ((used & cyclic) != 0) pairs_.split_pair(a, b);
    });
  }

  /// Assigns a lane to each pair that several steps route or that split_pairs() split. All paths of
  /// both directions of a pair are on this lane.
  bool put_pairs() {
    pair_lane_.assign(std::size_t{fabric_.switch_count()} * fabric_.switch_count(), 0);
    bool fits = true;
    std::vector<LaneStack::Turn> turns;
    pairs_.each([&](SwitchId a, SwitchId b) {
      if (!fits || pairs_.step_of(a, b) != ChainPairs::kSeveral) return;
      turns.clear();
      each_direction(a, b, [&](SwitchId from, SwitchId to) {
        pairs_.each_lid(from, to, [&](const Endport&, Lid lid) {
          pairs_.find_path(from, to, lid, path_);
          for (std::size_t i = 0; i + 1 < path_.size(); ++i)
            turns.emplace_back(path_[i], path_[i + 1]);
        });
      });
      std::ranges::sort(turns);
      turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
      const auto lane = stack_.put(std::span<const LaneStack::Turn>(turns));
      if (lane) {
        pair_lane_[pairs_.index(a.value(), b.value())] = static_cast<std::uint8_t>(*lane);
      } else if (stack_.count() < LaneStack::kLanesMax) {
        obstacle_ = fmt::format("the paths between {} and {} contain a credit loop on one lane",
                                describe(fabric_.node(a)), describe(fabric_.node(b)));
      } else {
        fits = false;
      }
    });
    return fits;
  }

  /// Numbers the SLs: SL i maps to lane i; higher SLs belong to steps that change the VL. Returns
  /// the number of SLs.
  unsigned number_sls() {
    plain_sls_ = stack_.count();
    unsigned used = plain_sls_;
    std::vector<unsigned> end(steps_.size(), 0);
    for (std::uint8_t place = 0; place < step_count_; ++place) {
      if (!changes_vl(steps_[place])) continue;
      LaneMask named = 0;
      pairs_.each([&](SwitchId a, SwitchId b) {
        if (pairs_.step_of(a, b) != place) return;
        each_direction(a, b, [&](SwitchId from, SwitchId to) {
          pairs_.each_lid(from, to, [&](const Endport& endport, Lid) {
            named |= static_cast<LaneMask>(1u << own_sl(place, from, endport).value());
          });
        });
      });
      unsigned next = plain_sls_;
      for (std::uint8_t other = 0; other < place; ++other)
        if (end[other] > next && share_a_switch(other, place)) next = end[other];
      sl_of_step_[place].fill(0);
      for (; named != 0; named &= static_cast<LaneMask>(named - 1))
        sl_of_step_[place][static_cast<unsigned>(std::countr_zero(named))] =
            static_cast<std::uint8_t>(std::min(next++, 0xFFu));
      end[place] = next;
      used = std::max(used, next);
    }
    return used;
  }

  bool share_a_switch(std::uint8_t a, std::uint8_t b) const {
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (steps_[a].has(SwitchId(s)) && steps_[b].has(SwitchId(s))) return true;
    return false;
  }

  std::vector<std::uint8_t> table() {
    const std::size_t stride = std::size_t{fabric_.lid_top().value()} + 1;
    std::vector<std::uint8_t> result(fabric_.switch_count() * stride, 0);
    pairs_.each([&](SwitchId a, SwitchId b) {
      const std::uint8_t place = pairs_.step_of(a, b);
      each_direction(a, b, [&](SwitchId from, SwitchId to) {
        pairs_.each_lid(from, to, [&](const Endport& endport, Lid lid) {
          std::uint8_t& sl = result[from.value() * stride + lid.value()];
          if (place == ChainPairs::kSeveral) {
            sl = pair_lane_[pairs_.index(from.value(), to.value())];
          } else if (const Sl own = own_sl(place, from, endport); changes_vl(steps_[place])) {
            sl = sl_of_step_[place][own.value()];
          } else {
            sl = lane_of_[place][own_vl(place, own).value()];
          }
        });
      });
    });
    return result;
  }

  Sl2Vl maps() const {
    SlMap common = modulo_map(std::max(1u, plain_sls_));
    for (std::size_t i = steps_.size(); i-- > 0;)
      if (changes_vl(steps_[i])) set_sls(i, steps_[i].routes.sl2vl.common(), common);
    Sl2Vl result(common);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!changes_vl(steps_[i])) continue;
      for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
        if (steps_[i].has(SwitchId(s))) set_ports(i, SwitchId(s), result);
    }
    return result;
  }

  void set_sls(std::size_t place, const SlMap& own, SlMap& map) const {
    for (std::size_t sl = 0; sl < own.size(); ++sl)
      if (const std::uint8_t named = sl_of_step_[place][sl]; named >= plain_sls_)
        map[named] = static_cast<std::uint8_t>(first_[place] + own[sl]);
  }

  void set_ports(std::size_t place, SwitchId sw, Sl2Vl& maps) const {
    const PlacedStep& step = steps_[place];
    const auto ports = fabric_.ports(sw);
    for (const Port& in : ports)
      for (const Port& out : ports) {
        const bool cabled = (in.num == PortNum(0) || in.peer != kNoPort) && out.peer != kNoPort;
        if (!cabled || in.num == out.num) continue;
        const SlMap before = maps.map(sw, in.num, out.num);
        SlMap map = before;
        set_sls(place, step.routes.sl2vl.map(step.at(sw), in.num, out.num), map);
        if (map != before) maps.set(sw, in.num, out.num, map);
      }
  }

  const Fabric& fabric_;
  const PlacedSteps& steps_;
  const std::uint8_t step_count_;
  ChainPairs pairs_;
  const Turns turns_;
  LaneStack stack_;
  std::vector<unsigned> first_;                     // by step that changes the VL: first VL
  std::vector<std::vector<std::uint8_t>> lane_of_;  // by step and VL of its engine
  std::vector<std::uint8_t> pair_lane_;             // by pair that several steps route
  std::vector<std::array<std::uint8_t, kSlCount>> sl_of_step_;  // by step and SL of its engine
  unsigned plain_sls_ = 0;
  std::string obstacle_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

Result<ChainLanes> assign_lanes(const Fabric& fabric, const PlacedSteps& steps,
                                const Owners& owners, const Lfts& lfts, bool ignore_replies) {
  return Layout(fabric, steps, owners, lfts, ignore_replies).make();
}

}  // namespace weft
