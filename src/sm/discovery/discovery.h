// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Discovery by directed routes, from the manager's own port outward. Many requests are outstanding
// at a time, and an answer may cause further requests. Discovery collects attributes; discovered.h
// checks that they are consistent. discovery_state.h lists the readers of the attributes.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "sm/discovery/discovered.h"
#include "sm/discovery/discovery_state.h"
#include "sm/discovery/fdr10.h"
#include "sm/discovery/key_trial.h"
#include "sm/discovery/node_names.h"
#include "sm/discovery/node_reader.h"
#include "sm/discovery/port_reader.h"
#include "sm/discovery/smp_client.h"
#include "sm/discovery/speed_reader.h"
#include "sm/discovery/switch_reader.h"
#include "sm/keys/known_keys.h"

namespace weft {

/// A discovery. An SmpClient sends its requests; when all are done, result() or found() returns the
/// result. A switch gets no further requests if it does not answer a request for PortInfo or
/// SwitchInfo, or refuses the Get of SwitchInfo. A switch that refuses the Set of SwitchInfo, or
/// that hides its M_Key and does not answer the Set, is queried further. Requests to a node that is
/// protected by an M_Key are repeated with each candidate key; the key in PortInfo is stored in
/// `keys`.
class Discovery final : public SmpWork {
 public:
  /// `clears_changes`: clear PortStateChange of switches, which only a master may do. Otherwise the
  /// bit is unchanged, and ObservedNode::switch_info contains the bit (sweep/clear_changes.h).
  Discovery(KnownKeys& keys, bool clears_changes);
  /// Begins with a known fabric. Queries the switches in `doubtful` (indices), and at each queried
  /// port with a link that is up and may have changed the new or known neighbor. If the neighbor of
  /// a port is known, and the port was ACTIVE and is ACTIVE, its link has not changed: a port is in
  /// INIT when its link comes up, and only a manager moves it from INIT to ARMED. The paths in
  /// `known` must be bound to their keys.
  Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
            const std::vector<std::uint32_t>& doubtful);
  Discovery(const Discovery&) = delete;  // the readers refer to state_
  Discovery& operator=(const Discovery&) = delete;

  /// Replaces descriptions of nodes that are new in this discovery by these names. `names` must
  /// outlive this object.
  void use_names(const NodeNames& names) { nodes_.use_names(names); }

  /// Begins also at these ports of the manager's CA (SmOptions::more_own_ports).
  void use_more_ports(std::vector<PortNum> ports) {
    state_.found.more_own_ports = std::move(ports);
  }

  /// Leaves these links out of the result. The neighbors of ports in AvoidedLinks::not_discovered
  /// are not queried.
  void avoid(AvoidedLinks links) { state_.found.avoided = std::move(links); }

  /// Reads ExtendedPortInfo of devices that may support FDR10. `devices` must outlive this object;
  /// null: no devices are queried.
  void query_fdr10(Fdr10Devices* devices) { speeds_.query_fdr10(devices); }

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Known switches at the other ends of links that are down; their known paths may contain these
  /// links. Without switches that were already queried when the link was found down.
  const std::set<Guid>& switches_behind_down_links() const {
    return nodes_.switches_behind_down_links();
  }
  /// The discovered fabric. Fails with kEnvironment if the manager's own port gives no valid
  /// NodeInfo, or as assemble().
  Result<Observed> result() &&;
  /// Whether a neighbor of at least one port was found or lost, so that paths may have changed.
  bool links_changed() const { return state_.links_changed; }
  /// The answers, as the start of a further discovery.
  Discovered found() && { return std::move(state_.found); }

 private:
  bool is_obsolete(const DiscoveryQuery& query) const;
  void on_failure(const DiscoveryQuery& query, const QueryFailure& why);

  DiscoveryState state_;
  KeyTrial keys_;
  NodeReader nodes_;
  SwitchReader switches_;
  SpeedReader speeds_;
  PortReader ports_;
};

}  // namespace weft
