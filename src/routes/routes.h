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

/// One step of engine chain, in the order in which they were tried.
struct RoutedStep {
  unsigned id = 0;
  std::string engine;
  unsigned topology = 0;  // 0: the whole fabric
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;
  std::string failed;  // reason of the failure; empty: the step succeeded
  bool operator==(const RoutedStep&) const = default;
};

struct Routes {
  std::string engine;  // the engine that computed them
  Lfts lfts;
  /// AR groups beside the ports of `lfts`; nothing without adaptive routing.
  std::optional<ArTables> adaptive;
  Mfts mfts;
  /// SL that a multicast LID's packets must use; 0 if the LID is not in it.
  std::map<Lid, Sl> multicast_sl;
  PathSl path_sl;
  Sl2Vl sl2vl;
  unsigned vls = 1;         // data VLs in use
  unsigned vls_needed = 1;  // fewer could deadlock; the others spread load
  /// ftree's order of compute nodes, for opensm-ftree-ca-order.dump; kNoEndport is a dummy.
  std::vector<EndportId> ca_order;
  /// Remarks for the administrator about usable routes, one sentence each. They follow from the
  /// fabric and the options like everything else here.
  std::vector<std::string> notes;
  std::vector<RoutedStep> steps;  // of engine chain
  bool operator==(const Routes&) const = default;
};

}  // namespace weft
