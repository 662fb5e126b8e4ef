// NeighborMTU and OperationalVLs of links in use. The two ends of a link cannot change at the same
// moment: until both have, one may send packets that the other discards, and flow control that does
// not fit may make the link train anew. So they are set in INIT only, where no data passes. A link
// in use that should have others is taken down first (PortState = Down), as OpenSM does, and gets
// them when it comes up; or it keeps what it has until it trains anew for another reason.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sm/lanes.h"
#include "sm/observed.h"

namespace weft {

/// What both ends of a link should have, as codes of PortInfo.
struct LinkParameters {
  std::uint8_t neighbor_mtu = 0;
  std::uint8_t operational_vls = 0;
  bool operator==(const LinkParameters&) const = default;
};

/// What both ends can do, within `limit`; with LiveLinks::kWait a port in use keeps what it has.
LinkParameters link_parameters(const Observed& observed, const Fabric& fabric, PortId port,
                               VlLimit limit);

/// Data may pass: in INIT only SMPs do.
inline bool is_in_use(const PortInfo& info) { return info.state >= PortState::kArmed; }

/// True where the port is in use with other values than these; 0 is none, of both.
bool differs(const PortInfo& held, const LinkParameters& wanted);

/// The links that are taken down, kept from sweep to sweep: how often, and which are not back yet.
class LinkChanges {
 public:
  /// A device that never takes the values must not lose its link in every sweep.
  static constexpr unsigned kTimesMax = 2;
  /// A link that does not come back is not waited for any longer.
  static constexpr unsigned kSweepsMax = 10;

  /// Begins a sweep: links that came up, or have not for long, are not awaited any more.
  void follow(const Observed& observed);
  /// The ports in use whose link has to be taken down: of a link the end nearer to the manager,
  /// whose answer does not cross it. `told` gets what stays as it is, and why.
  std::vector<PortId> to_take_down(const Observed& observed, const Fabric& fabric, VlLimit limit,
                                   std::vector<std::string>& told);
  /// The link was taken down from this port, or may have been.
  void taken_down(const Observed& observed, PortId port);
  /// A link that was taken down has not been seen up again.
  bool is_awaiting() const;
  void forget_all() { links_.clear(); }

 private:
  struct End {
    Guid node;
    PortNum port;
    auto operator<=>(const End&) const = default;
  };
  struct Link {
    unsigned times = 0;   // that it was taken down
    unsigned sweeps = 0;  // that it was awaited in vain
    bool awaited = false;
  };
  static End end_of(const Fabric& fabric, PortId port) {
    return {fabric.node(fabric.port(port).node).node_guid, fabric.port(port).num};
  }

  std::map<End, Link> links_;  // by the end from which they were taken down
};

}  // namespace weft
