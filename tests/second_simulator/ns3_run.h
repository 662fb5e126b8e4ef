// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the messages of a schedule packet by packet in ns-3, on the nodes and links of an exported
// topology (exports/ns3.h) and the paths of Weft. Switches store each packet and then forward it,
// in the order of arrival, with unlimited queues. A message has a window of packets in flight.
// Acknowledgements return after the delay of the links and use no bandwidth. Packets have the
// headers and checksums of InfiniBand's reliable connection, and the two bytes of ns-3's
// point-to-point links.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "exports/routed_fabric.h"
#include "jobs/schedule.h"

namespace weft::jobs {

inline constexpr std::uint32_t kPacketPayload = 4096;  // bytes
inline constexpr std::uint32_t kPacketOverhead = 28;   // LRH 8, BTH 12, ICRC 4, VCRC 2, PPP 2
inline constexpr std::uint32_t kPacketWindow = 32;     // packets of a message in flight

/// Returns the end time of each job in seconds: the arrival of its last packet, or the end of its
/// last delay. `topology` is the output of write_ns3() for `fabric`, and `network` is the network
/// of `fabric` with static routes. Fails with kBadInput if the text is no topology, if two links
/// join the same nodes, or if a message has the same host as source and destination.
Result<std::vector<double>> run_in_ns3(const std::string& topology, const RoutedFabric& fabric,
                                       const RoutedNetwork& network, const Schedule& schedule);

}  // namespace weft::jobs
