// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/private_tables/private_verifier.h"

#include <utility>

#include "base/check.h"
#include "verify/choices/worst_end.h"

namespace weft {
namespace {

/// Combines the ends of packets of several endports. The order of the endports has no effect on the
/// kind of the result.
void combine(LidEnd& worst, const LidEnd& other) {
  const bool is_first = worst.end == WalkEnd::kArrived || other.end < worst.end;
  if (other.end == WalkEnd::kLoop || (worst.end != WalkEnd::kLoop && is_first))
    worst = {true, other.end, other.where};
}

}  // namespace

PrivateVerifier::PrivateVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                                 const PathSls& sls, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      adaptive_(*routes.adaptive),
      common_(common),
      sls_(sls),
      dependencies_(dependencies),
      walk_(fabric, routes, common, sls),
      ends_(fabric.switch_count()),
      state_ends_(fabric.switch_count() * std::size_t{adaptive_.table_count()}),
      open_(state_ends_.size(), 0),
      choices_(state_ends_.size()) {
  CHECK(adaptive_.has_private_tables());
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    std::uint8_t first = 0;
    while (!adaptive_.selection().are_equal(Sl(first), Sl(sl))) ++first;
    first_like_[sl] = Sl(first);
  }
}

void PrivateVerifier::verify(Lid lid, std::size_t failures_max, LidTally& tally) {
  if (!load(lid)) return;
  find_ends();
  count_ends(
      fabric_, lid_, ends_, common_,
      [&](const Endport& source) {
        return walk_.where_dropped(source, fabric_.endport(owner_).sw, lid_, each_step());
      },
      failures_max, tally);
  walk_.add_traffic(lid_, owner_, dependencies_, tally, each_step());
}

void PrivateVerifier::trace(Lid lid, LidTally& tally) {
  if (load(lid)) walk_.add_traffic(lid_, owner_, dependencies_, tally, each_step());
}

bool PrivateVerifier::load(Lid lid) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  return owner_ != kNoEndport;
}

/// Finds the worst end of the packets of each switch. Packets of SLs with the same tables have the
/// same ends.
void PrivateVerifier::find_ends() {
  const Endport& owner = fabric_.endport(owner_);
  for (std::uint32_t s = 0; s < ends_.size(); ++s)
    ends_[s] = {true, WalkEnd::kArrived, SwitchId(s)};
  std::array<bool, kSlCount> is_done{};
  const auto add = [&](SwitchId sw, PortNum in, const Endport& source, Sl first) {
    const PathSls::Mask sls =
        owner.sw == kNoSwitch ? PathSls::Mask{1} : sls_.from_endport(source, owner.sw, lid_);
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      if ((sls >> sl & 1) == 0 || first_like_[sl] != first) continue;
      const std::uint32_t start = state(sw, table_of(sw, in, first));
      if (!state_ends_[start].known) find_end(start, first);
      const LidEnd& end = state_ends_[start];
      if (end.end != WalkEnd::kArrived) combine(ends_[sw.value()], end);
    }
  };
  for (std::size_t sl = 0; sl < kSlCount; ++sl) {
    const Sl first = first_like_[sl];
    if (std::exchange(is_done[first.value()], true)) continue;
    for (LidEnd& end : state_ends_) end.known = false;
    for (std::uint32_t s = 0; s < ends_.size(); ++s) {
      const Endport& own = fabric_.endport(Fabric::endport_of(SwitchId(s)));
      add(SwitchId(s), PortNum(0), own, first);
      for (const EndportId host : fabric_.endports_at(SwitchId(s)))
        add(SwitchId(s), fabric_.endport(host).sw_port, fabric_.endport(host), first);
    }
  }
}

/// The end at a state is the worst end of all selections.
void PrivateVerifier::find_end(std::uint32_t start, Sl sl) {
  struct Graph {
    PrivateVerifier& verifier;
    Sl sl;
    void enter(std::uint32_t state) const {
      verifier.choices_[state].clear();
      verifier.for_each_step(
          at(state), state % verifier.adaptive_.table_count(),
          [&](const Step& found) { verifier.choices_[state].push_back({found}); });
    }
    const std::vector<Choice>& choices(std::uint32_t state) const {
      return verifier.choices_[state];
    }
    std::uint32_t next(const Choice& choice) const {
      const Channel& channel = verifier.fabric_.channel(choice.step.channel);
      return verifier.state(channel.to, verifier.table_of(channel.to, channel.to_port, sl));
    }
    SwitchId at(std::uint32_t state) const {
      return SwitchId(state / verifier.adaptive_.table_count());
    }
    void finish(std::uint32_t /*state*/) const {}
  };
  find_worst_end(start, Graph{*this, sl}, state_ends_, open_);
}

}  // namespace weft
