// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Networks and jobs for the tests of src/jobs.
#pragma once

#include <string>

#include "jobs/flow_simulator.h"
#include "jobs/study.h"
#include "support/fabric_of.h"
#include "support/tiny.h"

namespace weft::jobs {

/// The network of a generated fabric with routes of the engine, AR groups included.
RoutedNetwork network_of_spec(const std::string& spec, const std::string& engine = "ftree");
/// The network of any fabric with LIDs, with routes of minhop.
RoutedNetwork network_of_tiny(const Fabric& fabric);

/// Two switches with 32 hosts each. Up to 32 ranks, placed in order, share no link.
const RoutedNetwork& network_without_shared_links();

/// The network of the whole fabric, with routes that avoid the cables of these ports.
RoutedNetwork repaired_network(const Fabric& fabric, const std::vector<PortId>& cut);

/// Servers "n0", "n1", .. with an adapter for each rail, which is cabled to the switch of that
/// rail. One cable joins the switches of neighboring rails. All links have kRailRate.
RoutedNetwork rail_network(unsigned servers, unsigned rails);
/// Bytes per second of 4x SDR.
inline constexpr double kRailRate = 1e9;

/// The job of a text without errors as in --job.
JobSpec job_of_spec(const std::string& spec);

/// Runs the job of `spec` on a network, without start-up time and latency unless `spec` gives them.
RunOutcome run_of(const RoutedNetwork& network, const std::string& spec, std::uint64_t seed = 0);

/// Bytes per second of 4x EDR, the rate of generated fabrics.
inline constexpr double kEdr = 12.5e9;

}  // namespace weft::jobs
