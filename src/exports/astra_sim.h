// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Network input of ASTRA-sim 2: dimensions for its analytical backend, and logical dimensions for
// its ns-3 backend, for which write_gpus() writes the topology. The analytical backend has no
// cables and routes: a network is a product of dimensions, each of one kind.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "exports/ns3.h"

namespace weft {

struct AstraDimension {
  std::string topology;  // Ring, FullyConnected or Switch
  std::uint32_t npus = 0;
  double gbps = 0;  // rate of an NPU
  double delay_ns = 0;
};

/// Returns the dimensions, inner dimensions first. Hosts with several ports: a Switch of the GPUs
/// of a host, then a Switch of the hosts. Hosts with one port: FullyConnected or rings if each
/// switch has one host and the switches are all cabled to each other or form a torus; otherwise one
/// Switch. Fails with kBadInput if there are no hosts, if hosts have different numbers of ports, or
/// if there is only one NPU.
Result<std::vector<AstraDimension>> astra_dimensions(const RoutedFabric& input,
                                                     const Ns3Options& options);

/// Content of network.yml for the analytical backend, for which a GB/s is 2^30 bytes per second.
std::string astra_network(const std::vector<AstraDimension>& dimensions);

/// The logical topology of the ns-3 backend; its product is the number of NPUs.
std::string astra_logical(const std::vector<AstraDimension>& dimensions);

}  // namespace weft
