// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/pkey_forecast.h"

#include <algorithm>
#include <set>
#include <span>

namespace weft {

PkeyForecast forecast_pkeys(const Observed& observed, const SmOptions& options,
                            const HeldPkeys& held, const AliasGuids& aliases,
                            const PartitionFile& partitions) {
  const Fabric& fabric = observed.fabric;
  std::vector<std::string> unused;
  const PkeyPlan now = plan_pkeys(observed, fabric, options, held, aliases, unused);
  PartitionFile wanted = partitions;
  wanted.port_groups = options.partitions.port_groups;
  const PkeyPlan then = plan_pkeys(observed, fabric, options, held, aliases, unused, &wanted);
  PkeyForecast forecast;
  std::set<Guid> nodes;
  const auto table = [](const PkeyPlan& plan, PortId port) {
    return plan.programs(port) ? plan.table(port) : std::span<const Pkey>();
  };
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    if (std::ranges::equal(table(now, PortId(p)), table(then, PortId(p)))) continue;
    nodes.insert(fabric.node(fabric.port(PortId(p)).node).node_guid);
    if (fabric.endport_at(PortId(p)) != kNoEndport) ++forecast.ports;
  }
  for (const Guid vport : observed.vports.guids())
    if (!std::ranges::equal(now.vport_table(vport), then.vport_table(vport))) ++forecast.ports;
  forecast.nodes.assign(nodes.begin(), nodes.end());
  for (const std::string& shortage : then.shortages())
    if (std::ranges::find(now.shortages(), shortage) == now.shortages().end())
      forecast.shortages.push_back(shortage);
  return forecast;
}

}  // namespace weft
