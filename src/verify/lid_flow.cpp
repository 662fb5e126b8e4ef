// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/lid_flow.h"

#include "base/check.h"
#include "verify/lid_tally.h"

namespace weft {

LidFlow::LidFlow(const Fabric& fabric, const Routes& routes, const PathSls& sls)
    : fabric_(fabric),
      routes_(routes),
      sls_(sls),
      used_(lanes_of(routes, routes.path_sl.kind() == PathSl::Kind::kUniform ? 1 : 0xFFFF)),
      known_(fabric.switch_count(), 0),
      lanes_(fabric.switch_count()) {}

void LidFlow::select(Lid lid) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  const Endport& owner = fabric_.endport(owner_);
  at_ = owner.sw;
  out_ = owner.sw_port;
  of_switch_ = fabric_.is_switch(owner.node);
  CHECK(at_ != kNoSwitch);
  ++round_;
}

std::optional<SwitchId> LidFlow::end_of(std::uint32_t sw) const {
  for (std::uint32_t hops = 0; hops <= fabric_.switch_count(); ++hops) {
    const Hop hop = next(sw);
    if (hop.channel == kNoChannel) return SwitchId(sw);
    sw = hop.to.value();
  }
  return std::nullopt;
}

bool LidFlow::arrives(std::uint32_t sw) const {
  return end_of(sw) == at_ && routes_.lfts.port(at_, lid_) == out_;
}

bool LidFlow::ends_without_route(std::uint32_t sw) const {
  const auto end = end_of(sw);
  return end && routes_.lfts.port(*end, lid_) == kNoRoute;
}

LidFlow::Lanes LidFlow::own_lanes(std::uint32_t sw) const {
  Lanes lanes;
  const auto hosts = fabric_.endports_at(SwitchId(sw));
  if (!hosts.empty() && !(hosts.size() == 1 && hosts.front() == owner_))
    lanes.all = lanes_of(routes_, sls_.from_cas(SwitchId(sw), at_, lid_));
  if (of_switch_) return lanes;
  lanes.cas = lanes.all;
  lanes.all |= lanes_of(routes_, sls_.from_switch(SwitchId(sw), at_, lid_));
  return lanes;
}

LidFlow::Lanes LidFlow::lanes(std::uint32_t sw) {
  if (known_[sw] == round_) return lanes_[sw];
  Lanes lanes_here = own_lanes(sw);
  if (lanes_here != most())  // avoids visiting most of the LID's tree
    find_sender(sw, [&](std::uint32_t sender) {
      const Lanes more = lanes(sender);
      lanes_here.cas |= more.cas;
      lanes_here.all |= more.all;
      return lanes_here == most();
    });
  known_[sw] = round_;
  return lanes_[sw] = lanes_here;
}

void LidFlow::spread_lanes(std::uint32_t sw) {
  if (lanes(sw) != most()) return;
  for (Hop hop = next(sw); hop.channel != kNoChannel; hop = next(sw)) {
    sw = hop.to.value();
    if (known_[sw] == round_ && lanes_[sw] == most()) return;
    known_[sw] = round_;
    lanes_[sw] = most();
  }
}

std::uint32_t LidFlow::count_arriving() const {
  std::vector<std::uint32_t> reached{at_.value()};
  if (!arrives(at_.value())) return 0;
  for (std::size_t head = 0; head < reached.size(); ++head)
    for_each_sender(reached[head], [&](std::uint32_t sender) { reached.push_back(sender); });
  return static_cast<std::uint32_t>(reached.size() - 1);
}

LidFlow::Lanes lanes_of_wait(const Fabric& fabric, const Routes& routes, LidFlow& flow,
                             ChannelId held, ChannelId wanted, LidFlow::Lanes requested,
                             const std::function<bool(Lid)>& skips) {
  const Channel& first = fabric.channel(held);
  const Channel& second = fabric.channel(wanted);
  const auto here = routes.lfts.row(first.from);
  const auto there = routes.lfts.row(second.from);
  const std::uint8_t out = first.from_port.value(), next = second.from_port.value();
  LidFlow::Lanes found;
  for (std::size_t block = 0; block * kLftBlock < here.size(); ++block) {
    const std::uint8_t* const a = here.data() + block * kLftBlock;
    const std::uint8_t* const b = there.data() + block * kLftBlock;
    unsigned hits = 0;
    for (std::size_t i = 0; i < kLftBlock; ++i)
      hits += static_cast<unsigned>(a[i] == out) & static_cast<unsigned>(b[i] == next);
    for (std::size_t i = 0; hits > 0 && i < kLftBlock; ++i) {
      if (a[i] != out || b[i] != next) continue;
      const Lid lid(static_cast<std::uint16_t>(block * kLftBlock + i));
      const EndportId owner = fabric.endport_of(lid);
      if (owner == kNoEndport || fabric.endport(owner).sw == kNoSwitch || skips(lid)) continue;
      flow.select(lid);
      const LidFlow::Lanes lanes = flow.lanes(first.from.value());
      found.cas |= lanes.cas & requested.cas;
      found.all |= lanes.all & requested.all;
      if (found == requested) return found;
    }
  }
  return found;
}

}  // namespace weft
