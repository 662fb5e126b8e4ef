// What the fabric loses when cables or switches die: pairs cut until the tables are rewritten,
// pairs lost for good, the bandwidth that is left, and what the repair costs. Each failure is
// played through: the fabric without the victims is routed again as the subnet manager would,
// keeping what need not change.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/verify.h"

namespace weft {

/// What dies at once: switches, and cables between switches by either channel.
struct Failure {
  std::vector<SwitchId> switches;
  std::vector<ChannelId> cables;
  bool operator==(const Failure&) const = default;
};

/// "cable 'A' (0x..) port 1 - 'B' (0x..) port 2", "switch 'A' (0x..)", joined by "; ".
std::string describe(const Fabric& fabric, const Failure& failure);

enum class Mortal : std::uint8_t { kCables, kSwitches, kBoth };

/// Every cable between switches, then every switch, one at a time.
std::vector<Failure> single_failures(const Fabric& fabric, Mortal mortal);

/// `trials` sets of `size` different victims each, drawn by seed; a set may come twice. Fails with
/// kUsage where there are fewer than `size` to draw from.
Result<std::vector<Failure>> drawn_failures(const Fabric& fabric, Mortal mortal, std::uint32_t size,
                                            std::uint32_t trials, std::uint64_t seed);

/// What routing gave on a fabric.
struct Rerouted {
  Status status;  // why nothing serves
  Routes routes;
  Verdict verdict;
  double seconds = 0;  // of routing alone
};

/// Routes a fabric on one thread. `previous` are the tables in force, in ids and LIDs of this
/// fabric.
using Router = std::function<Rerouted(const Fabric& fabric, const Routes& before, Lfts previous)>;

/// Pairs are ordered pairs of a CA port and a LID of another. Everything but `seconds` is the same
/// for any number of threads, and on any machine.
struct Loss {
  Failure failure;
  bool routed = false;           // false: no engine serves what is left, and the rest is 0
  std::uint64_t pairs_cut = 0;   // whose way led over a victim: they wait for the new tables
  std::uint64_t pairs_lost = 0;  // no way is left, or an end is gone
  double ebb = 0;                // effective bisection of the hosts that are left
  std::uint64_t link_load_max = 0;
  std::uint64_t blocks = 0;  // blocks of 64 entries that differ, of the switches that are left
  unsigned vls = 0;
  bool credit_loop = false;
  std::string engine{};
  double seconds = 0;
};

struct WhatIfOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;    // of the matchings
  unsigned matchings = 100;  // as in congestion/quality.h; the same for each failure
  /// Called after each failure, from any thread; false ends the study early.
  std::function<bool()> go_on{};
};

/// One entry for each failure, in their order; those not played through because go_on said so are
/// left out at the end. `pairs` arrive before anything fails, as Verdict::ca_to_ca counts them.
std::vector<Loss> play_through(const Fabric& fabric, const Routes& routes, std::uint64_t pairs,
                               std::span<const Failure> failures, const Router& router,
                               const WhatIfOptions& options);

/// The worst first: pairs lost, then bandwidth left, then pairs cut, then as they came.
void rank(std::vector<Loss>& losses);

}  // namespace weft
