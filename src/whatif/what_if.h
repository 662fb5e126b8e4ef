// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Consequences of failures of cables or switches: pairs cut until the tables are reprogrammed,
// pairs without any path, remaining bandwidth, and forwarding-table blocks to rewrite. For each
// failure the remaining fabric is routed again as the subnet manager would route it: entries that
// need not change are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/quality/quality.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

/// Simultaneous failures of switches and of cables between switches; a cable is given by either of
/// its channels.
struct Failure {
  std::vector<SwitchId> switches;
  std::vector<ChannelId> cables;
  bool operator==(const Failure&) const = default;
};

/// A failure as text: "cable 'A' (0x..) port 1 - 'B' (0x..) port 2", "switch 'A' (0x..)"; parts are
/// separated by "; ".
std::string describe(const Fabric& fabric, const Failure& failure);

enum class FailureKind : std::uint8_t { kCables, kSwitches, kBoth };

/// Failures of the elements of a kind, one at a time: of every cable between switches, then of
/// every switch. No switch fails if the fabric has only one switch.
std::vector<Failure> single_failures(const Fabric& fabric, FailureKind kind);

/// `trials` random sets of `size` different elements; a set may occur twice. Fails with kUsage if
/// there are fewer than `size` elements, or if `kind` includes switches and the fabric has at most
/// `size` switches, so that all could fail.
Result<std::vector<Failure>> drawn_failures(const Fabric& fabric, FailureKind kind,
                                            std::uint32_t size, std::uint32_t trials,
                                            std::uint64_t seed);

/// Result of routing a fabric.
struct Rerouted {
  Status status;  // the reason if no engine can route the fabric
  Routes routes;
  Verdict verdict;
  double seconds = 0;  // time of routing only
};

/// Routes a fabric on one thread. `before`: the routes before the failure; `previous`: their
/// tables, in the ids and LIDs of this fabric.
using Router = std::function<Rerouted(const Fabric& fabric, const Routes& before, Lfts previous)>;

/// Pairs are ordered pairs of a CA port and a LID of another CA port, as in Verdict::ca_to_ca.
/// Aggregation nodes count in pairs, because they need paths too, but not in the other figures.
/// Everything but `seconds` is the same for any number of threads and on any machine.
struct Loss {
  Failure failure;
  bool routed =
      false;  // false: no engine can route the fabric; only `failure` and pairs_cut are valid
  std::uint64_t pairs_cut = 0;   // pairs with a path over a failed element
  std::uint64_t pairs_lost = 0;  // pairs without a path, or with a failed end
  double ebb = 0;                // effective bisection bandwidth of the remaining hosts
  double alltoall = 0;           // Quality::alltoall of the remaining hosts
  double shift_worst = 0;        // bandwidth of the worst shift, if WhatIfOptions::shifts
  std::uint64_t link_load_max = 0;
  std::uint64_t blocks = 0;  // blocks of 64 entries to rewrite on the remaining switches
  unsigned vls = 0;
  bool credit_loop = false;
  std::string engine{};
  double seconds = 0;
};

struct WhatIfOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;    // seed of the random matchings
  unsigned matchings = 100;  // the same matchings for each failure
  bool shifts = false;       // whether to measure shifts, with shift_options()
  /// Called after each failure, from any thread; false ends the study early.
  std::function<bool()> go_on{};
};

/// The figures to measure on `hosts` hosts before and after a failure. The shifts have as many
/// flows as the matchings have senders and receivers.
QualityOptions shift_options(const WhatIfOptions& options, std::size_t hosts);

/// One entry per failure, in the order of `failures`. If go_on returned false, the entries end
/// before the first failure that was not simulated. `pairs`: reachable pairs before any failure, as
/// in Verdict::ca_to_ca.
std::vector<Loss> simulate_failures(const Fabric& fabric, const Routes& routes, std::uint64_t pairs,
                                    std::span<const Failure> failures, const Router& router,
                                    const WhatIfOptions& options);

/// Sorts the worst failures first: failures after which no engine can route the fabric, then by
/// pairs lost, remaining bandwidth, pairs cut, original order.
void sort_worst_first(std::vector<Loss>& losses);

}  // namespace weft
