// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Networks and jobs for the tests of src/jobs.
#pragma once

#include <string>

#include "jobs/flow_simulator.h"
#include "jobs/study.h"
#include "support/fabric_of.h"
#include "support/tiny.h"

namespace weft::jobs {

RoutedNetwork network_of_spec(const std::string& spec, const std::string& engine = "ftree");
RoutedNetwork network_of_tiny(const Fabric& fabric);

/// One switch with 32 hosts in use: all send and receive at full rate, whatever the others do.
const RoutedNetwork& one_switch();

/// The network of the whole fabric, with routes that do without the cables of these ports.
RoutedNetwork repaired_network(const Fabric& fabric, const std::vector<PortId>& cut);

/// Servers "n0", "n1", .. with as many adapters as rails, each on the switch of its rail; one cable
/// between neighbouring switches. All links have kRailRate.
RoutedNetwork rail_network(unsigned servers, unsigned rails);
/// Bytes per second of 4x SDR.
inline constexpr double kRailRate = 1e9;

JobSpec job_of_spec(const std::string& spec);

/// The only job of a SPEC on a network, without start-up and latency unless the SPEC gives them.
RunOutcome run_of(const RoutedNetwork& network, const std::string& spec, std::uint64_t seed = 0);

/// Bytes per second of 4x EDR, the rate of generated fabrics.
inline constexpr double kEdr = 12.5e9;

}  // namespace weft::jobs
