// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The channels that the messages of a connection cross. Ids of network channels come first; ids of
// channels inside servers follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "congestion/routed_network.h"
#include "jobs/max_min.h"
#include "jobs/schedule.h"

namespace weft::jobs {

/// The rule by which a message uses one or all of the 2^LMC paths.
enum class Spread : std::uint8_t { kBase, kBySource, kRandom, kAll };
/// The rule by which a switch selects a port of an AR group.
enum class PortSelection : std::uint8_t { kStatic, kGreedy, kSplit };

struct PathOptions {
  Spread spread = Spread::kBase;
  PortSelection selection = PortSelection::kGreedy;
  /// Whether messages cross only the cable of the source and the cable of the destination. This is
  /// a reference without congestion between hosts.
  bool crossbar = false;
  std::uint64_t seed = 0;
};

/// Capacity in bytes per picosecond; a channel without a rate has the capacity of 4x EDR.
double capacity_of(const NetChannel& channel);

class Paths {
 public:
  /// The network and the schedule must outlive this object.
  Paths(const RoutedNetwork& network, const Schedule& schedule, const PathOptions& options);

  /// Number of network channels of the connection's static path. Fails with kUnroutable; the
  /// message names both hosts.
  Result<std::uint32_t> hop_count(const Connection& connection, std::uint32_t id);

  /// The path of a message, valid until the next call. Greedy selection uses at each switch the
  /// channel of the AR group that would have the lowest load relative to its capacity; among
  /// channels of equal load, the channel of the forwarding table if it is one of them. Fails as
  /// hop_count() does.
  /// Messages without a channel have an empty path.
  Result<std::span<const Hop>> of(const Connection& connection, std::uint32_t id, OpId message,
                                  const MaxMinRates& rates);

  /// Uses the routes of another network with the same hosts and channels from now on.
  void set_network(const RoutedNetwork& network);

 private:
  struct Cached {
    std::uint32_t first = kUnknown;
    std::uint32_t count = 0;
  };
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  Status load_static(const Connection& connection, std::uint32_t id);
  Status walk(const Connection& connection, std::uint32_t path);
  Status walk_greedily(const Connection& connection, std::uint32_t path, const MaxMinRates& rates);
  Status split(const Connection& connection, std::uint32_t path, double weight);
  void add_inner(const Connection& connection);
  void merge_equal_channels();
  tl::unexpected<Error> no_route(const Connection& connection) const;

  const RoutedNetwork* network_;
  PathOptions options_;
  std::uint32_t first_inner_;
  std::vector<std::uint32_t> into_host_;  // by host: the channel that ends at the host
  std::vector<Cached> cached_;            // by connection
  std::vector<Hop> pool_;
  std::vector<Hop> path_;
  std::vector<std::uint32_t> route_;
  std::vector<double> amount_;  // by node, for split()
  std::vector<std::pair<std::uint32_t, double>> here_, there_;
};

}  // namespace weft::jobs
