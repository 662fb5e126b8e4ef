// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Small fabrics built in one expression. Cables use the next free ports, and LIDs ascend.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fabric/builder.h"
#include "fabric/fabric.h"

namespace weft {

/// The ids of the first four switches of a Tiny.
inline constexpr SwitchId kS0{0}, kS1{1}, kS2{2}, kS3{3};

/// Builds fabrics for tests. Switch i has the name S{i} and GUID 0x100 + i. Host i has the name
/// H{i} and GUID 0x10000 + 16 i. The port of the host has the next GUID.
class Tiny {
 public:
  explicit Tiny(unsigned switches, std::uint8_t ports = 8);

  /// Cables the next free ports of two switches.
  Tiny& link(unsigned a, unsigned b, unsigned cables = 1);

  /// Hosts with one port each on the next free ports of a switch.
  Tiny& hosts(unsigned sw, unsigned count = 1);

  FabricBuilder& builder() { return builder_; }

  /// The fabric with LIDs: switches first, then hosts.
  Fabric build(std::uint8_t lmc = 0) const;

 private:
  PortNum take_port(unsigned sw) { return PortNum(next_port_[sw]++); }

  FabricBuilder builder_;
  std::vector<FabricBuilder::NodeIndex> switches_;
  std::vector<std::uint8_t> next_port_;
  unsigned host_count_ = 0;
};

//  S0 - S1     a host on each
//  |     |
//  S3 - S2
Fabric ring_of_four();

//   S2   S3      two hosts on each leaf, and two cables to each spine
//   || X ||
//   S0   S1
Fabric doubled_tree();

/// Two leaves S0 and S1 with `hosts` hosts each on ports 3 and above. Port 1 of each leaf is cabled
/// to S2, port 2 to S3.
///   S2   S3
///   | \ / |
///   S0   S1
Fabric two_by_two(unsigned hosts, std::uint8_t lmc = 0);

}  // namespace weft
