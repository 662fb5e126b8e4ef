// Which ports have to be asked to register again (ClientReregister of PortInfo). Registrations are
// multicast memberships, subscriptions and services: they are lost with the manager that held them,
// and those of a port that is missing from one sweep are dropped. The host need not notice: behind
// a pulled cable between two switches its own link stays ACTIVE.
#pragma once

#include <compare>
#include <set>

#include "fabric/fabric.h"
#include "ib/ids.h"
#include "sm/observed.h"

namespace weft {

/// A port owes a reregistration from the sweep in which it is new, comes back or holds another
/// MasterSMLID, until a Set with the bit is answered well.
class Reregistrations {
 public:
  /// All ports owe: this manager becomes master.
  void require_all() { settled_.clear(); }
  /// Begins a sweep: `observed` is what it found, `master_lid` the LID of this manager.
  void follow(const Observed& observed, Lid master_lid);
  /// No port owes: the option says that nobody is asked.
  void waive(const Observed& observed);

  /// True where the port can be asked and has not answered yet. Ports of `observed`.
  bool is_owed(const Observed& observed, PortId port) const;
  void settle(const Fabric& fabric, PortId port) { settled_.insert(key(fabric, port)); }

 private:
  /// Ports of one card may share a GUID, and a card may be replaced by one with the same GUIDs.
  struct Key {
    Guid port, node;
    PortNum num;
    auto operator<=>(const Key&) const = default;
  };
  static Key key(const Fabric& fabric, PortId port) {
    const Port& is = fabric.port(port);
    return {is.guid, fabric.node(is.node).node_guid, is.num};
  }

  std::set<Key> settled_;  // of ports that were there in the last sweep
};

}  // namespace weft
