// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the kinds of packets that may hold one channel and wait for another, over all LIDs, for
// adaptive routes with all packets on the VLs of one SL.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/changes/adaptive_lid.h"

namespace weft {

/// One bit for each LID that an endport at a switch owns, by block of LIDs.
struct LidSets {
  std::vector<std::uint64_t> of_cas, of_switches;
};
LidSets assigned_lids(const Fabric& fabric, std::size_t blocks);

/// For channels that end or start at one switch. All arguments must outlive the object.
class WaitingKinds {
 public:
  WaitingKinds(const Fabric& fabric, const Routes& routes, const LidSets& lids)
      : fabric_(fabric), routes_(routes), lids_(lids), packets_(fabric, routes) {}

  /// The requested kinds of packets that may hold one channel and wait for the other.
  AdaptiveLid::Kinds find(ChannelId held, ChannelId wanted, AdaptiveLid::Kinds requested);
  /// Frees memory. To be called before find() is called for the channels of another switch.
  void forget() { lids_over_.clear(); }

 private:
  using LidSet = std::vector<std::uint64_t>;
  const LidSet& lids_over(ChannelId channel);
  void add_kinds(Lid lid, ChannelId held, ChannelId wanted, AdaptiveLid::Kinds requested,
                 AdaptiveLid::Kinds& found);
  void find_among(const LidSet& lids, ChannelId held, ChannelId wanted,
                  AdaptiveLid::Kinds requested, AdaptiveLid::Kinds& found);

  const Fabric& fabric_;
  const Routes& routes_;
  const LidSets& lids_;
  AdaptiveLid packets_;
  std::map<ChannelId, LidSet> lids_over_;  // LIDs with packets that may be sent over a channel
  Lid last_ = kLidNone;                    // LID that was found for the previous turn
};

}  // namespace weft
