// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A reference for the verifier, for unicast tables on links that have all VLs of the routes. It
// follows every packet of every source separately, hop by hop, over each port that adaptive routing
// may select, by the table of its input port and SL. It is slow, but short enough to be compared
// with the definitions.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

struct PlainVerdict {
  ReachCount ca_to_ca, switch_to_ca, ca_to_switch, switch_to_switch;
  std::uint64_t loops = 0;
  std::uint64_t dependencies = 0;  // by packets between CAs
  bool has_credit_loop = false;    // by packets between CAs
  bool has_any_credit_loop = false;
  std::uint16_t single_sls = 0;
  std::uint64_t broken_walks = 0;  // sum of BrokenSwitch::walks
  /// In order of LID, for each LID first the dropped packets, and of switch.
  std::vector<std::tuple<EndportId, Lid, WalkEnd>> failures;
};

PlainVerdict plain_verify(const Fabric& fabric, const Routes& routes, bool ignore_replies);

}  // namespace weft
