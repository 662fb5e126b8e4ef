// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the topology text of the ns-3 model of HPCC, which ASTRA-sim uses too, and SimAI's variant:
//
//   6 2 5                      nodes, switches, links
//   4 5                        numbers of the switches
//   0 4 100Gbps 1000ns 0.0     a link: nodes, rate, delay, error rate
//
//   28 8 2 10 48 H100       SimAI: nodes, GPUs per server, NVSwitches, switches, links, GPU type
//
// Text after the links is ignored, as in ns-3. Delays and error rates are checked but not stored,
// because a fabric has none. Ports are numbered in the order of links; GUIDs are generated.
#pragma once

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_ns3(std::string_view head);
bool looks_like_simai(std::string_view head);

/// Nodes that are not switches are hosts; a host with several links has one adapter with several
/// ports.
Status read_ns3(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                Warnings& warnings);

/// GPUs of a server become the adapters of one host. NVSwitches and their links, which are not part
/// of the network, are left out with a warning.
Status read_simai(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                  Warnings& warnings);

}  // namespace weft
