// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Registrations that the subnet administration keeps between sweeps, with counts of requests and
// the notices that are not reported yet. Handlers change the registrations.
#pragma once

#include <cstdint>
#include <vector>

#include "sa/aliases.h"
#include "sa/limits/refusals.h"
#include "sa/multicast/multicast_groups.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"

namespace weft::sa {

struct State {
  /// Counts of requests, for reports and metrics.
  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t answered = 0;  // answered with good status
    std::uint64_t refused = 0;   // answered with another status
    /// No answer: no view, unassigned source LID, rate limit, wrong SM_Key, or source GID of
    /// another port.
    std::uint64_t ignored = 0;
    std::uint64_t malformed = 0;           // not of the class, or not a request
    std::uint64_t overrun = 0;             // tables refused as busy: limits of RmppOptions
    std::uint64_t dropped_over_share = 0;  // dropped because the share of the port was full
  };
  Counts counts;
  Refusals refusals;
  McGroups groups;
  Aliases aliases;
  Services services;
  Subscriptions subscriptions;
  /// Notices that are not reported yet. Handlers append notices.
  std::vector<PendingNotice> pending_notices;
};

/// Counts a refusal of the query's requester.
inline void count_refusal(State& state, const SaQuery& query, Refusal why) {
  state.refusals.count(why, guid_of(query.view.gid(query.requester)), query.request.from.lid,
                       query.now);
}

}  // namespace weft::sa
