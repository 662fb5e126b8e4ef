// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traffic between the hosts of a routed fabric for the credit simulator.
#pragma once

#include <vector>

#include "credits/credit_simulator.h"

namespace weft::credits {

/// The paths of all ordered pairs of hosts, to base LIDs, on the SLs of the path records; and the
/// paths of replies, which use the SL of the request. Every pair must be routed.
class HostPaths {
 public:
  HostPaths(const Fabric& fabric, const Routes& routes);
  const std::vector<EndportId>& hosts() const { return hosts_; }
  /// By index in hosts(); `from` and `to` differ.
  const LanePath& request(std::size_t from, std::size_t to) const {
    return requests_[from * hosts_.size() + to];
  }
  /// Of `to` to `from`.
  const LanePath& reply(std::size_t from, std::size_t to) const {
    return replies_[from * hosts_.size() + to];
  }
  std::size_t index_of(EndportId host) const { return index_[host.value()]; }

 private:
  std::vector<EndportId> hosts_;
  std::vector<std::size_t> index_;  // by endport
  std::vector<LanePath> requests_, replies_;
};

/// Every packet to a host drawn anew.
Traffic uniform_traffic(const HostPaths& paths, bool replies);
/// All packets of a host to one other, its partner in a random matching.
Traffic matched_traffic(const HostPaths& paths, std::uint64_t seed);

/// The share of its link's rate at which an average host sends, if all hosts send as fast as they
/// can; measured over `flits` flit times after as many of warm-up.
double throughput(const Fabric& fabric, const HostPaths& paths, const Traffic& traffic,
                  CreditOptions options, CreditSimulator::Time flits);

}  // namespace weft::credits
