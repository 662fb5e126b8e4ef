#include "routing/dfp/dfp.h"

#include <optional>
#include <vector>

#include "base/parallel.h"
#include "routing/dfp/lanes.h"
#include "routing/shared/destinations.h"
#include "routing/shared/lanes.h"
#include "routing/shared/spread.h"
#include "routing/shared/weighted.h"
#include "routing/topology.h"

namespace weft {
namespace {

// No way within groups is so long.
constexpr std::uint64_t kBetweenGroups = 1'000;

std::vector<bool> global_channels(const Fabric& fabric, const SwitchGroups& groups) {
  std::vector<bool> global(fabric.channel_count());
  for (std::uint32_t c = 0; c < global.size(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    global[c] = groups.of[channel.from.value()] != groups.of[channel.to.value()];
  }
  return global;
}

/// Leads the further LIDs of each port first to a group that has cables of its own to the port's
/// group: there and in the port's group they go as the first LID does, elsewhere as a switch of
/// that group does.
class Detours {
 public:
  Detours(const Fabric& fabric, const SwitchGroups& groups)
      : fabric_(fabric),
        groups_(groups),
        members_(groups.size.size()),
        beside_(groups.size.size(), std::vector<bool>(groups.size.size(), false)) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) members_[groups.of[s]].push_back(s);
    for (const Channel& channel : fabric.channels())
      beside_[groups.of[channel.from.value()]][groups.of[channel.to.value()]] = true;
  }

  void write(Lfts& lfts) const {
    for (const Endport& to : fabric_.endports()) {
      if (!to.addressed() || fabric_.is_switch(to.node)) continue;
      for (unsigned offset = 1; offset < lid_count(to); ++offset) {
        const std::uint32_t own = groups_.of[to.sw.value()];
        const auto over = group_between(own, lid_at(to, offset));
        if (!over) continue;
        const auto& there = members_[*over];
        const Lid via =
            fabric_.endport(Fabric::endport_of(SwitchId(there[to.lid.value() % there.size()]))).lid;
        if (via == kLidNone) continue;
        for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
          const std::uint32_t here = groups_.of[s];
          const Lid as = here == own || here == *over ? to.lid : via;
          lfts.set(SwitchId(s), lid_at(to, offset), lfts.port(SwitchId(s), as));
        }
      }
    }
  }

 private:
  /// One that lies beside the port's group, another for each LID.
  std::optional<std::uint32_t> group_between(std::uint32_t own, Lid lid) const {
    const auto count = static_cast<std::uint32_t>(members_.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t group = (lid.value() + i) % count;
      if (group != own && beside_[group][own]) return group;
    }
    return std::nullopt;
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  std::vector<std::vector<std::uint32_t>> members_;  // by group
  std::vector<std::vector<bool>> beside_;            // by pair of groups
};

}  // namespace

Result<Routes> route_dfp(const Fabric& fabric, const RoutingOptions& options) {
  const auto groups = find_groups(fabric);
  if (!groups)
    return fail(Code::kUnroutable,
                "the fabric is no dragonfly: no groups of switches are found that are cabled each "
                "to each other");
  const auto global = global_channels(fabric, *groups);
  std::vector<std::uint64_t> weights(global.size());
  for (std::size_t c = 0; c < weights.size(); ++c) weights[c] = global[c] ? kBetweenGroups : 1;

  Routes routes;
  routes.engine = "dfp";
  const auto order = destinations(fabric, options.order);
  routes.lfts = spread(
      fabric, order, [&](SwitchId to, HopDag& dag) { make_weighted_dag(fabric, weights, to, dag); },
      options);
  if (options.dfp_detours) Detours(fabric, *groups).write(routes.lfts);
  if (const auto status = dfp::lay_lanes(fabric, global, lanes_available(fabric, options.vls_max),
                                         options.threads, routes);
      !status)
    return forward(status);
  return routes;
}

}  // namespace weft
