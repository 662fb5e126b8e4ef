// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/changes/proof_stages.h"

#include <utility>

#include "verify/stages.h"

namespace weft {
namespace {

/// Copies dependencies to a graph that has none.
void carry_over(const DependencyGraph& before, const Fabric& fabric, const ChannelMatch& channels,
                DependencyGraph& graph) {
  const std::uint32_t count = fabric.channel_count();
  const auto is_same = [&](std::uint32_t id) {
    return channels.before(ChannelId(id)) != kNoChannel &&
           channels.same_channels_from(fabric.channel(ChannelId(id)).to);
  };
  for (std::uint32_t id = 0; id < count;) {
    const ChannelId held(id);
    const ChannelId old = channels.before(held);
    std::uint32_t run = 0;  // number of channels that are consecutive in both fabrics
    while (id + run < count && is_same(id + run) &&
           channels.before(ChannelId(id + run)).value() == old.value() + run)
      ++run;
    if (run > 0) {
      graph.copy_rows(held, run, before, old);
      id += run;
      continue;
    }
    ++id;
    if (old == kNoChannel) continue;
    const SwitchId to = fabric.channel(held).to;
    for (std::uint32_t k = 0; k < fabric.channels_from(to).size(); ++k) {
      const ChannelId wanted(fabric.first_channel(to).value() + k);
      if (channels.before(wanted) != kNoChannel)
        graph.set_vls(held, wanted, before.vls(old, channels.before(wanted)));
    }
  }
}

}  // namespace

bool is_one_part(const Fabric& fabric, const Common& common) {
  return common.part_switches[common.part[0]] == fabric.switch_count();
}

Dependencies carry_over_dependencies(const Dependencies& before, const Fabric& fabric,
                                     const Routes& routes, const Common& common,
                                     const ChannelMatch& channels) {
  Dependencies kept = no_dependencies(fabric, routes, common);
  carry_over(before.cas, fabric, channels, kept.cas);
  carry_over(before.switches, fabric, channels, kept.switches);
  return kept;
}

Verdict same_counts(const Verdict& before) {
  Verdict verdict;
  verdict.verified = true;
  verdict.ca_to_ca = before.ca_to_ca;
  verdict.switch_to_ca = before.switch_to_ca;
  verdict.ca_to_switch = before.ca_to_switch;
  verdict.switch_to_switch = before.switch_to_switch;
  verdict.replies_ignored = before.replies_ignored;
  return verdict;
}

Proof conclude_proof(const Fabric& fabric, const Routes& routes, const Common& common,
                     const PathSls& sls, const VerifyOptions& options, Dependencies dependencies,
                     std::vector<LidTally> tallies, Verdict verdict,
                     const std::vector<ChannelId>* begun) {
  if (options.groups.empty() && routes.mfts.empty()) {
    conclude(fabric, routes, common, sls, options, dependencies, std::move(tallies), verdict,
             begun);
  } else {
    Dependencies with_multicast{dependencies.cas.copy(), dependencies.switches.copy()};
    conclude(fabric, routes, common, sls, options, with_multicast, std::move(tallies), verdict);
  }
  return {std::move(verdict), std::move(dependencies)};
}

}  // namespace weft
