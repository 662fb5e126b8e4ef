// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Effective bisection bandwidth: mean over random matchings of the hosts, and over the flows of
// each, of 1 / (most flows on a channel of the path). A flow that does not arrive counts as 0.
// Source: Hoefler et al., "Multistage switches are not crossbars", Cluster 2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "congestion/block_ports.h"
#include "congestion/quality.h"
#include "fabric/fabric.h"
#include "routes/next_hops.h"
#include "routes/routes.h"

namespace weft {

/// The flows of all matchings, each on the next hops of the forwarding tables. They are followed
/// LID by LID, so that the entries for a LID and its neighbours are in the cache for all matchings.
class Matchings {
 public:
  /// `hosts`: at least two. `tasks`: as many may call follow() at once. All arguments must outlive
  /// this object.
  Matchings(const Fabric& fabric, const PortMap& map, std::span<const EndportId> hosts,
            const QualityOptions& options, std::size_t tasks);

  /// Follows the flows to a host, which has a LID of the loaded block, from all switches. The
  /// tables of the host's own switch must deliver them. Flows to other hosts do not arrive.
  void follow(std::size_t task, EndportId host, const BlockPorts& ports);

  double mean_bandwidth() const;

 private:
  /// The paths of a matching to the hosts of a task, one after the other.
  struct Paths {
    std::vector<std::uint16_t> lengths;  // by receiver; kNoPath without a path
    std::vector<std::uint8_t> hops;      // output ports
  };
  struct Part {
    std::vector<std::uint32_t> receivers;
    std::vector<Paths> paths;  // by matching
  };
  static constexpr std::uint16_t kNoPath = 0xFFFF;
  static constexpr std::uint16_t kNoSender = 0xFFFF;  // more than the switches of a subnet

  void add(SwitchId at, const Endport& to, const BlockPorts& ports, Paths& paths) const;
  std::vector<std::uint32_t> channels(std::size_t matching) const;
  double bandwidth(std::size_t matching) const;

  const Fabric& fabric_;
  const PortMap& map_;
  const std::span<const EndportId> hosts_;
  const QualityOptions& options_;
  std::vector<std::uint32_t> host_at_;               // by endport: its position in hosts_
  std::vector<std::vector<std::uint16_t>> senders_;  // by matching and host: switch of the sender
  std::vector<Part> parts_;                          // by task
};

/// Every flow is placed, at each hop, on the port of its adaptive group with the fewest flows.
/// `routes.adaptive` must not be null.
double mean_adaptive_bandwidth(const Fabric& fabric, const Routes& routes, const PortMap& map,
                               std::span<const EndportId> hosts, const QualityOptions& options);

}  // namespace weft
