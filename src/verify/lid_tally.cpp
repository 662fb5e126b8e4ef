#include "verify/lid_tally.h"

#include <algorithm>

namespace weft {
namespace {

void add(ReachCount& sum, const ReachCount& more) {
  sum.pairs += more.pairs;
  sum.arrived += more.arrived;
}

void name_failures(const Fabric& fabric, Lid lid, EndportId owner, std::span<const LidEnd> ends,
                   std::size_t failures_max, LidTally& tally) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (ends[s].end == WalkEnd::kArrived) continue;
    ++tally.broken[ends[s].where];
    if (tally.failures.size() >= failures_max) continue;
    const auto hosts = fabric.endports_at(SwitchId(s));
    const auto other = std::ranges::find_if(hosts, [&](EndportId id) { return id != owner; });
    const EndportId source = other == hosts.end() ? Fabric::endport_of(SwitchId(s)) : *other;
    tally.failures.push_back({source, lid, ends[s].end, ends[s].where});
  }
}

}  // namespace

void count_ends(const Fabric& fabric, Lid lid, std::span<const LidEnd> ends, const Common& common,
                const std::function<bool(const Endport& source)>& dropped, std::size_t failures_max,
                LidTally& tally) {
  const EndportId owner_id = fabric.endport_of(lid);
  const Endport& owner = fabric.endport(owner_id);
  const bool for_ca = !fabric.is_switch(owner.node);
  ReachCount cas{common.cas - (for_ca ? 1u : 0u), 0};
  ReachCount switches{fabric.switch_count() - (for_ca ? 0u : 1u), 0};
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    tally.loops += ends[s].end == WalkEnd::kLoop ? 1 : 0;
    if (ends[s].end != WalkEnd::kArrived) continue;
    const SwitchId sw(s);
    const EndportId own = Fabric::endport_of(sw);
    if (own != owner_id && !(common.drops && dropped(fabric.endport(own)))) ++switches.arrived;
    const auto hosts = fabric.endports_at(sw);
    if (!common.drops) {
      cas.arrived += hosts.size() - (owner.sw == sw && for_ca ? 1u : 0u);
      continue;
    }
    for (const EndportId host : hosts)
      cas.arrived += host != owner_id && !dropped(fabric.endport(host)) ? 1u : 0u;
  }
  if (owner.sw == kNoSwitch && fabric.port(owner.port).peer != kNoPort)
    ++cas.arrived;  // its one neighbour
  add(for_ca ? tally.ca_to_ca : tally.ca_to_switch, cas);
  add(for_ca ? tally.switch_to_ca : tally.switch_to_switch, switches);
  if (for_ca && owner.sw != kNoSwitch)
    name_failures(fabric, lid, owner_id, ends, failures_max, tally);
}

}  // namespace weft
