// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// FDR10: which ports are queried for MLNX ExtendedPortInfo, its desired value, and which devices do
// not support it. An SMA may refuse a vendor-specific attribute or not answer; neither may cost
// timeouts in every sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "ib/extended_port_info.h"
#include "ib/node_info.h"
#include "sm/observed.h"

namespace weft {

/// Values of the key fdr10 in opensm.conf.
enum class Fdr10 : std::uint8_t { kNotAsked = 0, kOn = 1, kOff = 2 };

/// Support of ExtendedPortInfo by device, kept from sweep to sweep.
class Fdr10Devices {
 public:
  /// True if the device may support ExtendedPortInfo and the answer is relevant: FDR10 applies only
  /// to a link that would otherwise run at QDR.
  bool should_query(const NodeInfo& node, const PortInfo& port) const;

  void answered(const NodeInfo& node);
  /// The node answered with an error status: it is not queried again.
  void refused(const NodeInfo& node) { without_.insert(node.node_guid); }
  /// The node did not answer: it is not queried again, nor is any other node of its device kind
  /// until one of the kind has answered. So a device kind costs one timeout, not one for each node.
  void was_silent(const NodeInfo& node);

 private:
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor, device
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  std::set<Guid> without_;
  std::set<Kind> answering_;
  std::set<Kind> silent_;
};

/// The Set that a port needs, if any; this Set retrains the link. `fdr10` applies to every port
/// that supports FDR10, whatever its peer supports.
std::optional<ExtendedPortInfo> wanted_extended(const ObservedNode& node, PortNum port,
                                                Fdr10 fdr10);

}  // namespace weft
