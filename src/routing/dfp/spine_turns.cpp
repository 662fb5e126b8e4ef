// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/spine_turns.h"

#include <vector>

#include "fabric/aggregation.h"
#include "routes/next_hops.h"
#include "routing/shapes/arrival_leaves.h"
#include "routing/tables/destinations.h"

namespace weft::dfp {
namespace {

class Separator {
 public:
  Separator(const Fabric& fabric, const SwitchGroups& groups, Lfts& lfts)
      : fabric_(fabric),
        groups_(groups),
        lfts_(lfts),
        ports_(fabric),
        leaf_(leaf_switches(fabric)),
        arrival_leaf_(arrival_leaves(fabric, groups)) {}

  void run() {
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const SwitchId spine(s);
      if (is_leaf(spine)) continue;
      for (const Endport& to : fabric_.endports()) {
        if (!to.addressed() || spine == to.sw) continue;
        const bool leaves_group = groups_.of[s] != groups_.of[to.sw.value()];
        if (!leaves_group && is_leaf(to.sw)) continue;
        for (unsigned i = 0; i < lid_count(to); ++i) {
          const SwitchId leaf = next(spine, lid_at(to, i));
          if (leaf == kNoSwitch || !is_leaf(leaf) || leaf == to.sw) continue;
          if (leaves_group) {
            reroute_leaving(spine, leaf, to, lid_at(to, i));
          } else {
            reroute_arriving(spine, to, lid_at(to, i));
          }
        }
      }
    }
  }

 private:
  bool is_leaf(SwitchId sw) const { return leaf_[sw.value()]; }
  SwitchId next(SwitchId at, Lid lid) const { return ports_.hop(at, lfts_.port(at, lid)).to; }
  /// Hops to the switch of the endport; kNone if the path passes through `avoided`, or does not end
  /// at that switch.
  std::size_t hops(SwitchId from, const Endport& to, Lid lid, SwitchId avoided) const {
    std::size_t count = 0;
    for (SwitchId at = from; at != to.sw; at = next(at, lid), ++count)
      if (at == kNoSwitch || at == avoided || count > fabric_.switch_count()) return kNone;
    return count;
  }

  void reroute_leaving(SwitchId spine, SwitchId leaf, const Endport& to, Lid lid) {
    if (leaf != arrival_leaf_[groups_.of[spine.value()]]) return;
    const std::size_t length = hops(leaf, to, lid, spine);
    std::vector<PortNum> others;
    for (const Channel& channel : fabric_.channels_from(spine))
      if (channel.to != leaf && is_leaf(channel.to) &&
          groups_.of[channel.to.value()] == groups_.of[spine.value()] &&
          hops(channel.to, to, lid, spine) == length)
        others.push_back(channel.from_port);
    if (length != kNone && !others.empty())
      lfts_.set(spine, lid, others[lid.value() % others.size()]);
  }

  void reroute_arriving(SwitchId spine, const Endport& to, Lid lid) {
    const SwitchId leaf = arrival_leaf_[groups_.of[spine.value()]];
    if (leaf == kNoSwitch || next(leaf, lid) != to.sw) return;
    for (const Channel& channel : fabric_.channels_from(spine))
      if (channel.to == leaf) return lfts_.set(spine, lid, channel.from_port);
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const Fabric& fabric_;
  const SwitchGroups& groups_;
  Lfts& lfts_;
  const PortMap ports_;
  const std::vector<bool> leaf_;        // by switch
  std::vector<SwitchId> arrival_leaf_;  // by group
};

}  // namespace

void separate_spine_turns(const Fabric& fabric, const SwitchGroups& groups, Lfts& lfts) {
  if (groups.plus) Separator(fabric, groups, lfts).run();
}

}  // namespace weft::dfp
