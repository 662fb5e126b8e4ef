// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topology text of the ns-3 model of HPCC, which ASTRA-sim's ns-3 backend reads too, and SimAI's
// variant of it. Both contain nodes and links alone: their readers route by shortest paths.
// Formats: alibaba-edu/High-Precision-Congestion-Control, aliyun/SimAI.
#pragma once

#include <string>

#include "base/result.h"
#include "exports/routed_fabric.h"
#include "fabric/formats/write.h"

namespace weft {

inline constexpr double kNvlinkDelayNs = 25;  // of a GPU's link in its host: SimAI's default

struct Ns3Options {
  double delay_ns = 500;          // of each link
  std::string gpu_type = "H100";  // SimAI: A100, A800, H100, H800 or NONE
  double nvlink_gbps = 2880;      // SimAI: of a GPU
};

/// Nodes are hosts (several adapters are one node), then switches.
void write_ns3(const RoutedFabric& input, const Ns3Options& options, const Append& append);

/// The number of adapter ports that each host has: SimAI assumes a GPU for each. Fails with
/// kBadInput naming two hosts with different numbers, and without hosts.
Result<std::uint32_t> ports_per_host(const RoutedFabric& input, std::string_view kind);

/// Nodes are GPUs, one for each port of a host; an NVSwitch for each host with several; leaves;
/// other switches. `header` is SimAI's first line; else the lines are those of ns-3.
/// ports_per_host() must have passed.
void write_gpus(const RoutedFabric& input, const Ns3Options& options, bool header,
                const Append& append);

}  // namespace weft
