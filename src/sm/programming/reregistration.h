// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ports that need ClientReregister (PortInfo). Registrations are multicast memberships,
// subscriptions and services: they are lost with the previous manager, and those of a port that is
// absent in one sweep are dropped. The host may not notice: if a cable between two switches fails,
// its own link stays ACTIVE.
#pragma once

#include <compare>
#include <set>
#include <utility>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "sm/observed.h"

namespace weft {

struct Desired;

/// A reregistration is due from the sweep in which a port is new, returns or holds another
/// MasterSMLID, until a Set with the bit succeeds.
class Reregistrations {
 public:
  /// Ports of one CA may share a GUID, and a CA may be replaced by one with the same GUIDs.
  struct Key {
    Guid port, node;
    PortNum num;
    auto operator<=>(const Key&) const = default;
  };

  /// Due for all ports: this manager became master.
  void require_all() { settled_.clear(); }
  /// Due for none of these ports in the next sweep, even after require_all(): the registrations
  /// that they made with the previous master are known.
  void inherit(std::set<Key> ports) { inherited_ = std::move(ports); }
  /// Ports for which it is not due.
  const std::set<Key>& settled() const { return settled_; }
  /// Begins a sweep: `observed` is its discovery, `desired` has the LIDs of this manager.
  void follow(const Observed& observed, const Desired& desired);
  /// Due for no port: disabled by option.
  void waive(const Observed& observed);

  /// True if it is due and the port supports it. For ports of `observed`.
  bool is_owed(const Observed& observed, PortId port) const;
  void settle(const Fabric& fabric, PortId port) { settled_.insert(key(fabric, port)); }

 private:
  static Key key(const Fabric& fabric, PortId port) {
    const Port& is = fabric.port(port);
    return {is.guid, fabric.node(is.node).node_guid, is.num};
  }

  std::set<Key> settled_;    // ports of the last sweep
  std::set<Key> inherited_;  // until the next one
};

}  // namespace weft
