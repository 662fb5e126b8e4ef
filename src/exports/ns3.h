// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topology text of the ns-3 model of HPCC, which ASTRA-sim's ns-3 backend reads too, and SimAI's
// variant of it. Both contain only nodes and links: the simulators route by shortest paths.
// Formats: alibaba-edu/High-Precision-Congestion-Control, aliyun/SimAI.
#pragma once

#include <string>

#include "base/result.h"
#include "exports/routed_fabric.h"
#include "fabric/formats/write.h"

namespace weft {

inline constexpr double kNvlinkDelayNs = 25;  // link of a GPU within its host; SimAI's default

struct Ns3Options {
  double delay_ns = 500;          // delay of each link
  std::string gpu_type = "H100";  // SimAI: A100, A800, H100, H800 or NONE
  double nvlink_gbps = 2880;      // for SimAI and ASTRA-sim: NVLink rate of a GPU
};

/// Nodes are hosts (several adapters are one node), then switches.
void write_ns3(const RoutedFabric& input, const Ns3Options& options, const Append& append);

/// The number of adapter ports of each host: SimAI assumes one GPU for each port. Fails with
/// kBadInput, naming two hosts, if the numbers differ, and if there are no hosts.
Result<std::uint32_t> ports_per_host(const RoutedFabric& input, std::string_view kind);

/// Nodes are, in this order: a GPU for each port of a host, an NVSwitch for each host with several
/// GPUs, leaves, and other switches. With `header` the first line has the format of SimAI,
/// otherwise that of ns-3. ports_per_host() must have succeeded.
void write_gpus(const RoutedFabric& input, const Ns3Options& options, bool header,
                const Append& append);

}  // namespace weft
