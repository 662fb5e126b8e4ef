// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Network input of ASTRA-sim 2 for its backends: dimensions for the analytical one, topology text
// and logical dimensions for ns-3. The analytical backend has no cables and routes: it multiplies
// dimensions of one kind each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "exports/ns3.h"

namespace weft {

struct AstraDimension {
  std::string topology;  // Ring, FullyConnected or Switch
  std::uint32_t npus = 0;
  double gbps = 0;  // of an NPU
  double delay_ns = 0;
};

/// Inner dimensions first: the GPUs of a host (if it has several adapters), then the fabric: rings
/// if its switches have one host each and form a torus, FullyConnected if they are all connected,
/// else one Switch. Fails with kBadInput if hosts have different numbers of ports, or if there is
/// only one NPU.
Result<std::vector<AstraDimension>> astra_dimensions(const RoutedFabric& input,
                                                     const Ns3Options& options);

/// network.yml of the analytical backend. Its GB/s are 2^30 bytes.
std::string astra_network(const std::vector<AstraDimension>& dimensions);

/// The logical topology of the ns-3 backend; its product is the number of NPUs.
std::string astra_logical(const std::vector<AstraDimension>& dimensions);

}  // namespace weft
