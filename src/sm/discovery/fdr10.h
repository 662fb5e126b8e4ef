// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// FDR10: the ports that are queried for MLNX ExtendedPortInfo, the value to be set, and the devices
// that do not support the attribute. An SMA may refuse a vendor-specific attribute or not answer.
// Such devices must not cause timeouts in every sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "ib/extended_port_info.h"
#include "ib/node_info.h"
#include "sm/observed.h"

namespace weft {

/// Values of the key fdr10 in opensm.conf. kIgnore: FDR10 is neither read nor set.
enum class Fdr10 : std::uint8_t { kIgnore = 0, kOn = 1, kOff = 2 };

/// The devices that do not support ExtendedPortInfo, stored from sweep to sweep.
class Fdr10Devices {
 public:
  /// Whether the device may support ExtendedPortInfo and FDR10 is relevant for the port: without
  /// FDR10, the link would run at QDR.
  bool should_query(const NodeInfo& node, const PortInfo& port) const;

  void answered(const NodeInfo& node);
  /// Call if the node answered with an error status; it is not queried again.
  void refused(const NodeInfo& node) { without_.insert(node.node_guid); }
  /// Call if the node did not answer: it is not queried again. If no node of its device kind has
  /// answered, no node of the kind is queried until one answers. So a device kind causes the
  /// timeouts of the requests already sent, not one for each node.
  void note_silence(const NodeInfo& node);

 private:
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor id, device id
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  std::set<Guid> without_;
  std::set<Kind> answering_;
  std::set<Kind> silent_;
};

/// The content of the Set for a port; empty if no Set is necessary. The Set retrains the link.
/// `fdr10` applies to every port that supports FDR10, even if its peer does not.
std::optional<ExtendedPortInfo> wanted_extended_port_info(const ObservedNode& node, PortNum port,
                                                          Fdr10 fdr10);

}  // namespace weft
