// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The links that a job uses: those on the active routes between the ports of its hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sm/sweep_report.h"

namespace weft {

struct JobTraffic {
  /// By PortId: number of ordered pairs of ports of different hosts with packets that this port
  /// sends.
  std::vector<std::uint32_t> pairs;
  std::vector<PortId> senders;             // ports with at least one pair, ascending
  std::vector<std::string> missing_hosts;  // not on the fabric, or without a LID
  std::size_t unreachable = 0;             // pairs without a route
};

/// `hosts`: names as in exports/names.h. Cost: ports of the job times its leaf switches times hops.
JobTraffic job_traffic(const Snapshot& snapshot, std::span<const std::string> hosts);

/// The CAs of these hosts, without those that are not on the fabric.
std::vector<Guid> nodes_of_hosts(const Fabric& fabric, std::span<const std::string> hosts);

}  // namespace weft
