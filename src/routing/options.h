// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The routing options of one request, already resolved from files and GUIDs to ids of one fabric.
// Each engine uses only the options that it supports: see option_groups.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"
#include "routes/routes.h"
#include "routes/shared_lfts.h"
#include "routing/adaptive/options.h"
#include "routing/parameters.h"
#include "routing/tables/lid_matrix.h"
#include "routing/torus_2qos/config.h"

namespace weft {

struct Chain;  // routing/chain/chain.h

enum class Balance {
  kGlobal,  // minimizes the load of whole paths over the fabric
  kLocal,   // OpenSM's rule: each switch balances the number of LIDs of its ports
};

/// Result of a run with the passes of --reweight, for a run without passes.
struct BeforePasses {
  /// An engine that computes routes without passes first stores them here, and the next run of
  /// run_engine() without passes uses them.
  std::optional<Routes> routes;
  /// Whether the passes changed nothing, so that a run without passes returns equal routes.
  bool unchanged = false;
};

struct RoutingOptions {
  unsigned threads = 0;  // 0: all cores; never changes the result
  std::uint64_t seed = 0;
  unsigned vls_max = 8;  // data VLs that engines may use
  /// --replies=ignore: keep only requests free of deadlock, not replies on the request's SL.
  bool ignore_replies = false;
  Balance balance = Balance::kGlobal;
  std::vector<SwitchId> roots{};   // -a; empty: detect
  std::vector<EndportId> order{};  // -X: endports with LIDs to be routed first, in this order
  bool connect_roots = false;      // -z
  std::vector<EndportId> compute_nodes{};     // -u; empty: default of the engine
  std::vector<EndportId> io_nodes{};          // -G
  std::vector<std::uint32_t> node_weights{};  // by EndportId, relative receive load; empty: equal
  ParameterValues parameters{};               // of the engines: Engine::parameters
  /// --torus_config: the shape that torus-2QoS matches.
  std::optional<TorusConfig> torus{};

  // Inputs of the load balancing. docs/reference/routing-options.md lists what each engine uses.
  std::vector<EndportId> ignored{};          // -i: traffic to or from these is not counted; sorted
  std::vector<std::uint64_t> hop_weights{};  // -w, avoid_throttled_links: by ChannelId; empty: 1
  std::vector<std::uint8_t> port_rank{};     // -O: by ChannelId, lowest first; empty: ids
  std::vector<std::uint32_t> switch_rank{};  // -m: by SwitchId, a permutation; empty: ids
  bool port_shifting = false;
  std::uint64_t scatter_ports = 0;         // a seed; 0: off
  std::vector<EndportId> not_scattered{};  // guid_routing_order_no_scatter; sorted

  // Routes read from files
  std::optional<Lfts> lfts{};             // -U: the tables of engine file, with LIDs of this fabric
  std::optional<LidMatrix> lid_matrix{};  // -M: hop counts of candidate paths
  bool calculate_missing_routes = false;  // fill entries without a route

  /// Adaptive routing for any engine; unset: only for adaptive engines (ar_*, dfp2, kdor-*).
  std::optional<AdaptiveOptions> adaptive{};
  /// The steps of engine chain, in ids of this fabric.
  std::shared_ptr<const Chain> chain{};

  /// Multicast groups that need trees; see docs/reference/multicast.md.
  std::vector<MulticastGroup> groups{};

  /// Active tables, in this fabric's ids, and the engine that computed these tables. Only that
  /// engine uses them, to keep entries that need not change.
  SharedLfts previous{};
  std::string previous_engine{};
  /// The fabric for which that engine computed `previous` with these options; null if that fabric
  /// is unknown or had other hop weights. After the loss of a few cables of a tree, the engine
  /// recomputes few entries if the previous fabric is known.
  const Fabric* previous_fabric = nullptr;

  /// Only with --reweight. Null: nothing is stored.
  std::shared_ptr<BeforePasses> before_passes{};
  std::optional<Routes>* routes_before_passes() const {
    return before_passes ? &before_passes->routes : nullptr;
  }

  /// The options that one engine supports. The result refers to these options.
  template <class Supported>
  requires requires(const RoutingOptions& all) {
    { Supported::from(all) } -> std::same_as<Supported>;
  }
  operator Supported() const { return Supported::from(*this); }
};

}  // namespace weft
