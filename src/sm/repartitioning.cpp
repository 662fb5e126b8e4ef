// Changes of partitions at run time: P_Key tables that differ are written between two sweeps, like
// trees in regrouping.cpp.
#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

bool SubnetManager::at_rest() const {
  if (stage_ != Stage::kWatching || role_.state != SmState::kMaster || !snapshot_ || !observed_)
    return false;
  if (role_.owed || resigning_ || link_changes_.is_awaiting()) return false;
  return !sweeping_ || (!heavy_reason_ && changed_switches_.empty() && babbling_ports_.empty());
}

SubnetManager::PkeyForecast SubnetManager::forecast_partitions(
    const PartitionFile& partitions) const {
  CHECK(at_rest());
  const Fabric& fabric = observed_->fabric;
  std::vector<std::string> unused;
  const PkeyPlan now = plan_pkeys(*observed_, fabric, options_, held_.pkeys(), unused);
  PartitionFile wanted = partitions;
  wanted.port_groups = options_.partitions.port_groups;
  const PkeyPlan then = plan_pkeys(*observed_, fabric, options_, held_.pkeys(), unused, &wanted);
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
  forecast.nodes.assign(nodes.begin(), nodes.end());
  for (const std::string& shortage : then.shortages())
    if (std::ranges::find(now.shortages(), shortage) == now.shortages().end())
      forecast.shortages.push_back(shortage);
  return forecast;
}

void SubnetManager::set_partitions(PartitionFile partitions, PartitionsChanged event) {
  CHECK(at_rest());
  partitions.port_groups = std::move(options_.partitions.port_groups);
  log::info("Partitions change: {}", event.what);
  occurrences_.add(std::move(event));
  options_.partitions = std::move(partitions);
  begin_at_planning("partitions were changed");
  read_tables();
}

}  // namespace weft
