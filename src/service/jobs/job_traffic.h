// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The links that a job uses: the links on the active routes between the ports of its hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sm/sweep_report.h"

namespace weft {

struct JobTraffic {
  /// By PortId: number of ordered pairs of ports of different hosts with a path over the channel
  /// from this port.
  std::vector<std::uint32_t> pairs;
  std::vector<PortId> senders;             // ports with at least one pair, ascending
  std::vector<std::string> missing_hosts;  // hosts not on the fabric, or without a LID
  std::size_t unreachable = 0;             // pairs without a route
};

/// The traffic of a job on these hosts, with names as in exports/names.h. Cost: number of ports of
/// the job, times number of its leaf switches, times hop count.
JobTraffic job_traffic(const Snapshot& snapshot, std::span<const std::string> hosts);

/// Node GUIDs of the CAs of these hosts that are on the fabric.
std::vector<Guid> nodes_of_hosts(const Fabric& fabric, std::span<const std::string> hosts);

}  // namespace weft
