// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets of flows that start at once, in which each host sends at most one flow and receives at most
// one: random matchings and shifts. The bandwidth of a set is the mean over its flows of the share
// that the most loaded link of the path leaves to the flow; a flow without a path counts as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "congestion/quality/block_ports.h"
#include "congestion/quality/link_rates.h"
#include "fabric/fabric.h"
#include "routes/next_hops.h"
#include "routes/routes.h"

namespace weft {

/// Positions in the list of hosts.
struct HostFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The flows of a set, in the order in which adaptive routing places them. Is called from several
/// threads.
using DrawFlows = std::function<std::vector<HostFlow>(std::size_t set)>;

/// Random matchings of `hosts` hosts: half of them send to the other half. Source: Hoefler et al.,
/// "Multistage switches are not crossbars", Cluster 2008.
DrawFlows matchings(std::size_t hosts, std::uint64_t seed);

/// The flows of all sets, each on the next hops of the forwarding tables. Paths are traced LID by
/// LID, so that the table entries for a LID and its neighbors are in the cache for all sets.
class FlowSets {
 public:
  /// `hosts`: at least two. `sets`: number of sets. `tasks`: the number of threads that may call
  /// follow() at once. All arguments must outlive this object.
  FlowSets(const Fabric& fabric, const PortMap& map, std::span<const EndportId> hosts,
           const LinkRates& rates, std::size_t sets, const DrawFlows& draw, std::size_t tasks,
           unsigned threads);

  /// Traces the flows to a host, which has a LID of the loaded block, from all switches. The table
  /// of the host's own switch must forward to the host. Hosts without this call receive no flows.
  void follow(std::size_t task, EndportId host, const BlockPorts& ports);

  /// By set: the mean of the shares of the flows; 0 for a set without flows. The share of a flow is
  /// the least, over the channels of the path, of rate of the channel / flows on the channel / rate
  /// of the slower of both hosts, at most 1.
  std::vector<double> bandwidths() const;

 private:
  /// The paths of a set to the hosts of a task, one after the other.
  struct Paths {
    std::vector<std::uint16_t> lengths;  // by receiver; kNoPath without a path
    std::vector<std::uint8_t> hops;      // output ports
  };
  struct Part {
    std::vector<std::uint32_t> receivers;
    std::vector<Paths> paths;  // by index of the set
  };
  static constexpr std::uint16_t kNoPath = 0xFFFF;
  static constexpr std::uint16_t kNoSender = 0xFFFF;  // more than the switches of a subnet

  void take(std::size_t set, std::span<const HostFlow> flows);
  void add(SwitchId at, const Endport& to, const BlockPorts& ports, Paths& paths) const;
  std::vector<std::uint32_t> channels(std::size_t set) const;
  double bandwidth(std::size_t set) const;
  template <class Load, class Share>
  double mean_share(std::size_t set, std::span<const std::uint32_t> channels,
                    const std::vector<Load>& load, Share share) const;

  const Fabric& fabric_;
  const PortMap& map_;
  const std::span<const EndportId> hosts_;
  const LinkRates& rates_;
  const unsigned threads_;
  std::vector<std::uint32_t> host_at_;               // by endport: position in the list of hosts
  std::vector<std::uint32_t> flows_;                 // by set
  std::vector<std::vector<std::uint16_t>> senders_;  // by set and host: switch of the sender
  std::vector<std::vector<std::uint32_t>> slower_;   // by set and host: the lower rate; or empty
  std::vector<Part> parts_;                          // by task
};

/// Bandwidths by set as FlowSets::bandwidths(), with each flow placed, at every hop, on the least
/// loaded port of its AR group. `routes.adaptive` must not be null.
std::vector<double> adaptive_bandwidths(const Fabric& fabric, const Routes& routes,
                                        const PortMap& map, std::span<const EndportId> hosts,
                                        const LinkRates& rates, std::size_t sets,
                                        const DrawFlows& draw, unsigned threads);

}  // namespace weft
