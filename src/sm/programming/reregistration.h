// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ports that need ClientReregister (PortInfo). Registrations are multicast memberships,
// subscriptions and services. The previous manager's registrations are lost, and those of a port
// that is absent in one sweep are dropped. The host may not detect this: if a cable between two
// switches fails, the link of the host stays ACTIVE.
#pragma once

#include <compare>
#include <set>
#include <utility>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "sm/observed.h"

namespace weft {

struct Desired;

/// A reregistration is due from the sweep in which a port is new, returns, or has another
/// MasterSMLID, until a Set with ClientReregister succeeds.
class Reregistrations {
 public:
  /// Identity of a port. Ports of one CA may have the same GUID, and a CA may be replaced by a CA
  /// with the same GUIDs.
  struct Key {
    Guid port, node;
    PortNum num;
    auto operator<=>(const Key&) const = default;
  };

  /// To be called when this manager became master: reregistrations are due for all ports.
  void require_all() { settled_.clear(); }
  /// In the next sweep no reregistration is due for these ports, even after require_all(): their
  /// registrations with the previous master are known.
  void inherit(std::set<Key> ports) { inherited_ = std::move(ports); }
  /// Ports for which no reregistration is due.
  const std::set<Key>& settled() const { return settled_; }
  /// To be called once in each sweep and update: `observed` is the last discovery, `desired` has
  /// the LIDs of this manager.
  void follow(const Observed& observed, const Desired& desired);
  /// To be called if ClientReregister is disabled by option: reregistrations are due for no port.
  void disable(const Observed& observed);

  /// True if a reregistration is due for a port of `observed`, and the port supports
  /// ClientReregister.
  bool is_due(const Observed& observed, PortId port) const;
  void settle(const Fabric& fabric, PortId port) { settled_.insert(key(fabric, port)); }

 private:
  static Key key(const Fabric& fabric, PortId port) {
    const Port& is = fabric.port(port);
    return {is.guid, fabric.node(is.node).node_guid, is.num};
  }

  std::set<Key> settled_;    // ports for which no reregistration is due
  std::set<Key> inherited_;  // until the next sweep
};

}  // namespace weft
