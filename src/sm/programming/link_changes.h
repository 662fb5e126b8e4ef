// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NeighborMTU and OperationalVLs of links in use. The two ends of a link cannot change at the same
// moment: in the meantime one end may send packets that the other end discards, and mismatched flow
// control may retrain the link. So these values are set only in INIT, in which no data passes. A
// link in use that needs other values is taken down first (PortState = Down), as by OpenSM, and
// gets the values when it comes up. With LiveLinks::kWait it keeps its values until it retrains for
// another reason.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sm/observed.h"
#include "sm/qos/lanes.h"

namespace weft {

/// Values for both ends of a link, as PortInfo codes.
struct LinkParameters {
  std::uint8_t neighbor_mtu = 0;
  std::uint8_t operational_vls = 0;
  bool operator==(const LinkParameters&) const = default;
};

/// The values that both ends support, within `limit`. With LiveLinks::kWait a port in use keeps its
/// values.
LinkParameters link_parameters(const Observed& observed, const Fabric& fabric, PortId port,
                               VlLimit limit);

/// The values of all ports by PortId. Links in use get new values, too, whatever `limit.live_links`
/// is. Computed on several threads, because it accesses memory throughout the observation.
std::vector<LinkParameters> all_link_parameters(const Observed& observed, const Fabric& fabric,
                                                VlLimit limit, unsigned threads);

/// True if data may pass; in INIT only SMPs are sent.
inline bool is_in_use(const PortInfo& info) { return info.state >= PortState::kArmed; }

/// True if the port is in use with values other than `wanted`; 0 in `held` or `wanted` means no
/// value, which equals all values.
bool differs(const PortInfo& held, const LinkParameters& wanted);

/// Links that the manager has taken down, kept from sweep to sweep: the number of times, and
/// whether the link has come up again.
class LinkChanges {
 public:
  /// Limit for a device that never accepts the values: its link must not be taken down in every
  /// sweep.
  static constexpr unsigned kTimesMax = 2;
  /// Sweeps and updates after which a link that stays down is no longer awaited.
  static constexpr unsigned kSweepsMax = 10;

  /// To be called once in each sweep and update. Links that came up, or stayed down for kSweepsMax
  /// calls, are no longer awaited.
  void follow(const Observed& observed);
  /// Ports to set to Down: the end of each link closer to the manager, because the answer of this
  /// end does not cross the link. Appends to `notes` the first links that keep their values, with
  /// the reason, and the number of the others. `wanted`: from all_link_parameters().
  std::vector<PortId> to_take_down(const Observed& observed, const Fabric& fabric,
                                   std::span<const LinkParameters> wanted, LiveLinks live_links,
                                   unsigned threads, std::vector<std::string>& notes);
  /// Records that the link was, or may have been, taken down from this port.
  void taken_down(const Observed& observed, PortId port);
  /// True if a link that was taken down has not come up again, and has been down for less than
  /// kSweepsMax sweeps.
  bool is_awaiting() const;
  void forget_all() { links_.clear(); }

 private:
  struct End {
    Guid node;
    PortNum port;
    auto operator<=>(const End&) const = default;
  };
  struct Link {
    unsigned times = 0;   // how often the link was taken down
    unsigned sweeps = 0;  // sweeps in which the link has not come up
    bool awaited = false;
  };
  static End end_of(const Fabric& fabric, PortId port) {
    return {fabric.node(fabric.port(port).node).node_guid, fabric.port(port).num};
  }

  std::map<End, Link> links_;  // by the end that was set to Down
};

}  // namespace weft
