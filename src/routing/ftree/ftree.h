// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fat-tree routing by closed form: the next hop of every switch is computed from the index of a
// destination, so that no two paths of a shift permutation of a full tree share a channel, and in a
// degraded tree only the paths over missing links change. Sources: Zahavi et al., "Optimized
// InfiniBand fat-tree routing for shift all-to-all communication patterns", 2009; Zahavi, IPDPSW
// 2011 (D-mod-K); Gliksberg et al., IEEE Micro 2020 (Dmodc); opensm(8), "Fat-tree Routing
// Algorithm". Cost: O(channels * switches) byte operations and O(switches * LIDs) writes; memory in
// addition to the tables: 2 KiB a switch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

inline constexpr EngineParameter kMaxReverseHops{
    .name = "max_reverse_hops",
    .option = "-H, --max_reverse_hops",
    .most = 255,
    .about =
        "Maximum number of hops against the up/down direction on paths to and from I/O nodes "
        "(ftree)."};
inline constexpr EngineParameter kIndexFromRoots{
    .name = "quasi_ftree_indexing",
    .option = "--quasi_ftree_indexing",
    .is_flag = true,
    .about = "Number the leaves in the order of the roots' ports instead of by GUID (ftree)."};

struct FtreeOptions {
  unsigned threads = 0;
  std::span<const SwitchId> roots{};           // -a; empty: detect
  std::span<const EndportId> compute_nodes{};  // -u; empty: as for find_compute_nodes()
  std::span<const EndportId> io_nodes{};       // -G
  unsigned max_reverse_hops = 0;               // on paths to and from I/O nodes
  bool index_from_roots = false;
  std::span<const std::uint32_t> node_weights{};  // by EndportId, receive load; empty: equal
  unsigned reweight = 0;                          // kReweight

  /// run_engine() connects the roots.
  static constexpr OptionSet kSupports{Option::kRoots, Option::kConnectRoots, Option::kComputeNodes,
                                       Option::kIoNodes, Option::kNodeWeights};
  static constexpr std::array kParameters{kMaxReverseHops, kIndexFromRoots, kReweight};
  static FtreeOptions from(const RoutingOptions& all);
};

/// Fails with kUnroutable, naming switches and the rule, if the fabric is no fat tree (see
/// shapes/levels.h), or if two switches with compute nodes have no up*/down* path although
/// they are connected.
Result<Routes> route_ftree(const Fabric& fabric, const FtreeOptions& options);

/// As route_ftree(). Also sets `rank` to the ranks for goes_up() (shapes/ranks.h) by which the
/// paths are up*/down*.
Result<Routes> route_ftree_ranked(const Fabric& fabric, const FtreeOptions& options,
                                  std::vector<std::uint16_t>& rank);

}  // namespace weft
