// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of routing as one plain value: the input of the verifier, and the tables that the
// subnet manager programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "routes/adaptive.h"
#include "routes/lfts.h"
#include "routes/multicast.h"
#include "routes/path_sl.h"
#include "routes/sl2vl.h"

namespace weft {

/// One step of a routing chain.
struct RoutedStep {
  unsigned id = 0;
  std::string engine;
  unsigned topology = 0;  // number of the topology; 0: the whole fabric
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;
  std::string failed;  // reason of the failure; empty: the step succeeded
  bool operator==(const RoutedStep&) const = default;
};

struct Routes {
  std::string engine;  // engine that computed the tables
  Lfts lfts;
  /// AR groups in addition to the ports of `lfts`; no value without adaptive routing.
  std::optional<ArTables> adaptive;
  Mfts mfts;
  /// SL that packets of a multicast LID must use; 0 for LIDs that are not in the map.
  std::map<Lid, Sl> multicast_sl;
  PathSl path_sl;
  Sl2Vl sl2vl;
  unsigned vls = 1;         // data VLs in use
  unsigned vls_needed = 1;  // with fewer VLs a deadlock is possible
  /// ftree's order of compute nodes, for opensm-ftree-ca-order.dump; kNoEndport is a dummy.
  std::vector<EndportId> ca_order;
  /// Remarks about the routes for the administrator, one sentence each. Like all other members, the
  /// remarks depend only on the fabric and the options.
  std::vector<std::string> notes;
  std::vector<std::string> multicast_notes;  // the remarks in `notes` about the multicast trees
  std::vector<RoutedStep> steps;  // of a routing chain, in the order in which they were tried
  bool operator==(const Routes&) const = default;
};

/// Whether switches use the input port of packets: for the VL, by SL2VL maps by port, or for the
/// output ports, by private tables. If not, all packets of one SL at a switch have the same
/// possible paths from there.
inline bool depends_on_input(const Routes& routes) {
  return !routes.sl2vl.uniform() || (routes.adaptive && routes.adaptive->has_private_tables());
}

}  // namespace weft
