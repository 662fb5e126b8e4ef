// FDR10: which ports are asked for MLNX ExtendedPortInfo, what of it is wanted, and who turned out
// not to know it. An agent may refuse what is a vendor's, or never answer: neither may cost every
// sweep its timeouts.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "ib/extended_port_info.h"
#include "ib/node_info.h"
#include "sm/observed.h"

namespace weft {

/// Values of opensm.conf's fdr10.
enum class Fdr10 : std::uint8_t { kNotAsked = 0, kOn = 1, kOff = 2 };

/// Who knows ExtendedPortInfo, from sweep to sweep.
class Fdr10Devices {
 public:
  /// True where a question about this port may be answered, and the answer could matter: FDR10 is
  /// the choice of a link that would else run at QDR.
  bool is_worth_asking(const NodeInfo& node, const PortInfo& port) const;

  void answered(const NodeInfo& node);
  /// With a bad status: this node is not asked again.
  void refused(const NodeInfo& node) { without_.insert(node.node_guid); }
  /// Neither is it after silence, nor any other of its kind, as long as none of the kind has ever
  /// answered: so a kind costs one timeout, not one a node.
  void was_silent(const NodeInfo& node);

 private:
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor, device
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  std::set<Guid> without_;
  std::set<Kind> answering_;
  std::set<Kind> silent_;
};

/// The Set that a port needs, if any: its link is trained anew by it. Ports that support FDR10 have
/// it enabled or not, as `fdr10` says, whatever their peers do.
std::optional<ExtendedPortInfo> wanted_extended(const ObservedNode& node, PortNum port,
                                                Fdr10 fdr10);

}  // namespace weft
