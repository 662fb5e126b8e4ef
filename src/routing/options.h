// What an administrator may tell the routing engines, already resolved from files and GUIDs to ids
// of one fabric.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routing/torus_2qos/config.h"

namespace weft {

enum class Balance {
  kGlobal,  // look at the load of whole paths over the fabric
  kLocal,   // OpenSM's rule: the counters of one switch
};

struct RoutingOptions {
  unsigned threads = 0;  // 0: all cores; never changes the result
  std::uint64_t seed = 0;
  unsigned vls_max = 8;  // data VLs that engines may use
  Balance balance = Balance::kGlobal;
  std::vector<SwitchId> roots{};   // -a; empty: detect
  std::vector<EndportId> order{};  // -X: endports whose LIDs are routed first, in this order
  bool connect_roots = false;      // -z
  std::vector<EndportId> compute_nodes{};  // -u; empty: all CA ports
  std::vector<EndportId> io_nodes{};       // -G
  unsigned max_reverse_hops = 0;           // -H: ftree, on ways to and from I/O nodes
  unsigned nue_vls = 1;                    // --nue_max_num_vls; 0: all that the ports have
  bool nue_include_switches = false;       // switches send and are sent as much as a host
  /// --torus_config: what torus-2QoS looks for.
  std::optional<TorusConfig> torus{};
};

}  // namespace weft
