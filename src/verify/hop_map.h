// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data that does not depend on LIDs, for following many packets at once: the channels at each port
// of each switch, and an order of the switches. Shared by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "verify/dependencies.h"

namespace weft {

/// Numbers the channels that leave each switch, from 0, so that a next hop has 8 bits.
class HopMap {
 public:
  /// Number for ports without a channel.
  static constexpr std::uint8_t kNoHop = 0xFF;

  /// `layout`: a graph of the fabric in which packets keep their VL.
  HopMap(const Fabric& fabric, const DependencyGraph& layout);

  struct Hop {
    std::uint32_t to = 0;       // the next switch
    std::size_t first_bit = 0;  // first bit of the channel's dependencies
  };
  /// The next hops of a switch, by number.
  const Hop* hops(std::uint32_t sw) const { return hops_.data() + first_[sw]; }
  /// The number of the next hop by port, 256 entries.
  const std::uint8_t* hop_of_port(std::uint32_t sw) const { return of_port_.data() + sw * kPorts; }
  /// If the channels of a switch are on consecutive ports, the number of a channel is port - first,
  /// for the `count` ports from first. Otherwise count is 0.
  struct Ports {
    std::uint8_t first = 0;
    std::uint8_t count = 0;
  };
  Ports consecutive_ports(std::uint32_t sw) const { return consecutive_[sw]; }
  /// All switches, sorted by hop count to the nearest switch with CAs.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  static constexpr std::size_t kPorts = 256;

  std::vector<std::uint32_t> first_;  // by switch
  std::vector<Hop> hops_;
  std::vector<std::uint8_t> of_port_;
  std::vector<Ports> consecutive_;  // by switch
  std::vector<std::uint32_t> order_;
};

}  // namespace weft
