// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Quality of routes: hop counts, balance of paths over channels, bounds of the balance, and the
// bandwidth of random matchings, shifts, all-to-all traffic and permutations. Effective bisection
// bandwidth: Hoefler et al., "Multistage switches are not crossbars", Cluster 2008.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "congestion/quality/lid_paths.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// Bandwidth of shifts by d: host i sends to host i + d, all at once. Hosts are numbered by node
/// GUID and port, in most fabrics rack by rack.
struct ShiftQuality {
  std::uint32_t measured = 0;        // shifts, with distances from 1 to hosts - 1
  double mean = 0;                   // over all or over evenly spaced distances
  double worst = 0;                  // also over shifts between groups (QualityOptions::groups)
  std::uint32_t worst_distance = 0;  // smallest distance with that bandwidth
  /// Half the width of the 99% confidence interval of the mean over all distances, if the measured
  /// distances are a sample of them; 0 if all were measured.
  double error = 0;
  double unmeasured = 0;                   // share of all distances that are not among `even`
  std::vector<std::uint32_t> distances{};  // first the evenly spaced distances
  std::vector<double> bandwidths{};        // by index in `distances`
  std::size_t even = 0;  // number of evenly spaced distances, which determine mean and error
};

/// Hosts are CA and router ports cabled to a switch, except aggregation nodes, each addressed by
/// its base LID. Paths are those of all ordered pairs of hosts on different ports that are
/// connected. Hops are cables from the first switch on, as OpenSM counts them in its dumps: between
/// hosts, the number of switches on the path.
struct Quality {
  unsigned hops_max = 0;
  double hops_mean = 0;
  std::uint64_t nonminimal = 0;  // paths with more hops than the shortest in the fabric
  /// Expected share of the paths without a failed cable, if one, two or three cables between
  /// switches, drawn at random, fail. Pairs of hosts on one switch keep their path.
  std::array<double, 3> kept{};
  std::uint64_t link_load_max = 0;  // paths over one channel between switches, one direction
  double link_load_mean = 0;        // mean over all channels between switches
  double link_load_sd = 0;
  /// No routes of the same kind have a smaller link_load_max (load_bound.h). Empty if it was not
  /// requested, if the routes lack paths, and on large fabrics.
  std::optional<std::uint64_t> link_load_bound{};
  /// The kind of routes of link_load_bound: "shortest paths" if all paths are shortest, else "any
  /// paths". If there is no bound, the reason: "not computed: .."
  std::string link_load_bound_basis{};
  /// As link_load_max, but a path counts fastest rate / rate on each channel, so that a load is the
  /// time of its flows. Equal to link_load_max if channels between switches have one rate.
  double timed_load_max = 0;
  std::optional<double> timed_load_bound{};
  /// By ChannelId: lengths from which link_load_bound and timed_load_bound follow (load_bound.h).
  std::vector<std::uint32_t> bound_lengths{};
  std::vector<std::uint32_t> timed_bound_lengths{};
  /// Mean over the flows of random matchings. The value of a flow is the share of the bandwidth of
  /// its hosts that the most loaded link of the path leaves to the flow; 0..1.
  double ebb = 0;
  double ebb_error = 0;             // half the width of the 99% confidence interval over matchings
  std::vector<double> matchings{};  // mean of each matching
  /// As `ebb`, for adaptive routes: each flow of a matching is placed, at every hop, on the least
  /// loaded port of its group.
  std::optional<double> ebb_adaptive{};
  std::optional<double> ebb_adaptive_error{};
  std::vector<double> adaptive_matchings{};
  /// Every host sends to all others at one rate: the share of its bandwidth that a host can use
  /// before a link between switches, or the slowest host, is full; 0..1.
  double alltoall = 0;
  std::optional<double> alltoall_bound{};  // upper limit for routes of the same kind
  std::optional<ShiftQuality> shifts{};    // if requested
  /// The most flows of one permutation of the hosts on a channel between switches, over all
  /// permutations and channels, on the tables' paths (permutation_bound.h). Empty if it was not
  /// requested, and on large fabrics.
  std::optional<std::uint32_t> permutation_flows{};
  /// As permutation_flows, with flows that count fastest rate / rate of the channel.
  std::optional<double> timed_permutation_flows{};
  /// Quality of the paths to all LIDs of the hosts. Empty if it was not requested; see
  /// assess_lid_paths().
  std::optional<LidPathQuality> lid_paths{};
};

/// Default limit of the flows of all measured shifts together: all shifts of 2,000 hosts.
inline constexpr std::uint64_t kShiftFlowsMost = 4'000'000;
/// Number of pairs of a switch and a host above which the worst permutation is not searched.
inline constexpr std::uint64_t kPermutationPairsMost = 10'000'000;

struct QualityOptions {
  unsigned threads = 0;
  std::uint64_t seed = 0;
  unsigned matchings = 100;  // random pairs of all hosts; one host of a pair sends to the other
  bool bound = false;        // whether to compute the three bounds
  bool shifts = false;       // whether to measure shifts
  std::uint64_t shift_flows = kShiftFlowsMost;
  /// By switch, its group in a dragonfly or dragonfly+; empty: no groups. If not all shifts are
  /// measured, some measured distances are multiples of the number of hosts of a group: all hosts
  /// of a group then send to one group, which is the worst case of shortest paths.
  std::vector<std::uint32_t> groups{};
  bool permutations = false;  // whether to search for the worst permutation
  bool lid_paths = false;     // whether to assess the paths to all LIDs
};

/// The options with all figures of traffic patterns requested. `groups`: QualityOptions::groups.
inline QualityOptions with_patterns(QualityOptions options, std::vector<std::uint32_t> groups) {
  options.shifts = options.permutations = options.lid_paths = true;
  options.groups = std::move(groups);
  return options;
}

/// Measures the routes. With fewer than two hosts all figures are 0 or empty. The result does not
/// depend on the number of threads.
Quality assess(const Fabric& fabric, const Routes& routes, const QualityOptions& options = {});

}  // namespace weft
