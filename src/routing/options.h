// What an administrator may tell the routing engines, already resolved from files and GUIDs to ids
// of one fabric.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routes/multicast.h"
#include "routing/adaptive/options.h"
#include "routing/file/lid_matrix.h"
#include "routing/torus_2qos/config.h"

namespace weft {

struct Chain;  // routing/chain/chain.h

enum class Balance {
  kGlobal,  // look at the load of whole paths over the fabric
  kLocal,   // OpenSM's rule: the counters of one switch
};

struct RoutingOptions {
  unsigned threads = 0;  // 0: all cores; never changes the result
  std::uint64_t seed = 0;
  unsigned vls_max = 8;  // data VLs that engines may use
  /// --replies=ignore: keep only requests free of deadlock, not replies on the request's SL.
  bool ignore_replies = false;
  Balance balance = Balance::kGlobal;
  std::vector<SwitchId> roots{};   // -a; empty: detect
  std::vector<EndportId> order{};  // -X: endports whose LIDs are routed first, in this order
  bool connect_roots = false;      // -z
  std::vector<EndportId> compute_nodes{};  // -u; empty: all CA ports
  std::vector<EndportId> io_nodes{};       // -G
  unsigned lash_start_vl = 0;              // the first VL that lash uses
  bool do_mesh_analysis = false;           // lash: route meshes in dimension order
  unsigned max_reverse_hops = 0;           // -H: ftree, on ways to and from I/O nodes
  bool index_from_roots = false;           // quasi_ftree_indexing: ftree
  std::vector<std::uint32_t>
      node_weights{};                 // by EndportId, what each is sent: ftree; empty: alike
  unsigned nue_vls = 1;               // --nue_max_num_vls; 0: all that the ports have
  bool nue_include_switches = false;  // switches send and are sent as much as a host
  bool dfp_detours = false;  // dfp: LIDs but the first of a port go over an intermediate group
  /// --torus_config: what torus-2QoS looks for.
  std::optional<TorusConfig> torus{};

  // What the balance looks at. docs/reference/routing-options.md says what each means to which engine.
  std::vector<EndportId> ignored{};  // -i: what goes to or from these is not counted; sorted
  std::vector<std::uint64_t> hop_weights{};  // -w, avoid_throttled_links: by ChannelId; empty: 1
  std::vector<std::uint8_t> port_rank{};  // -O: by ChannelId, the least is tried first; empty: ids
  std::vector<std::uint32_t> switch_rank{};  // -m: by SwitchId, a permutation; empty: ids
  bool port_shifting = false;
  std::uint64_t scatter_ports = 0;         // a seed; 0: off
  std::vector<EndportId> not_scattered{};  // guid_routing_order_no_scatter; sorted

  // What files say of routes themselves
  std::optional<Lfts> lfts{};             // -U: the tables of engine file, with LIDs of this fabric
  std::optional<LidMatrix> lid_matrix{};  // -M: hops for engines file and minhop
  bool calculate_missing_routes = false;  // fill what an engine leaves open

  /// Adaptive routing, by any engine; without, by those whose name begins with ar_.
  std::optional<AdaptiveOptions> adaptive{};
  /// The steps of engine chain, in ids of this fabric.
  std::shared_ptr<const Chain> chain{};

  /// Multicast groups to have trees. docs/reference/multicast.md says what they look like.
  std::vector<MulticastGroup> groups{};

  /// Tables in force, in this fabric's ids, and the engine that made them: what need not change
  /// stays. For that engine only.
  std::optional<Lfts> previous{};
  std::string previous_engine{};
};

}  // namespace weft
