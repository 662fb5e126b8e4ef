// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traffic between the hosts of a routed fabric for the credit simulator.
#pragma once

#include <vector>

#include "credits/credit_simulator.h"

namespace weft::credits {

/// The paths of all ordered pairs of hosts to base LIDs, on the SLs of the path records, and the
/// paths of replies on the SL of the request. Every pair must have a path.
class HostPaths {
 public:
  HostPaths(const Fabric& fabric, const Routes& routes);
  const std::vector<EndportId>& hosts() const { return hosts_; }
  /// Path of a request; `from` and `to` are different indices in hosts().
  const LanePath& request(std::size_t from, std::size_t to) const {
    return requests_[from * hosts_.size() + to];
  }
  /// Path of the reply from `to` to `from`.
  const LanePath& reply(std::size_t from, std::size_t to) const {
    return replies_[from * hosts_.size() + to];
  }
  std::size_t index_of(EndportId host) const { return index_[host.value()]; }

 private:
  std::vector<EndportId> hosts_;
  std::vector<std::size_t> index_;  // by endport
  std::vector<LanePath> requests_, replies_;
};

/// Each packet is for another host, drawn at random. With `replies` this host replies.
Traffic uniform_traffic(const HostPaths& paths, bool replies);
/// Each host sends all packets, without replies, to its partner in a random matching. If the number
/// of hosts is odd, one host sends nothing.
Traffic matched_traffic(const HostPaths& paths, std::uint64_t seed);

/// The rate of delivered packets, replies included, divided by the number of hosts, as a share of
/// the link rate, if all hosts send as fast as they can. Measured over `flits` flit times after a
/// warm-up of the same length.
double throughput(const Fabric& fabric, const HostPaths& paths, const Traffic& traffic,
                  CreditOptions options, CreditSimulator::Time flits);

}  // namespace weft::credits
