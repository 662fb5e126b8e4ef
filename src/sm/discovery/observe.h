// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Discovery by directed routes from the manager's own port outward, pipelined: an answer may lead
// to further requests. It collects attributes; discovered.h checks that they are consistent. The
// readers of the attributes are listed in discovery_state.h.
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

/// To be stepped with an SmpClient until it is done; then the caller takes the result. A node that
/// stops answering gets no further requests. Requests to a node protected by an M_Key are repeated
/// with each candidate key; the key in its PortInfo is stored in `keys`.
class Discovery final : public SmpWork {
 public:
  /// `clears_changes`: clears PortStateChange of switches, which only a master may do. Otherwise
  /// the bit stays set and is recorded in SwitchInfo (see sweep/clear_changes.h).
  Discovery(KnownKeys& keys, bool clears_changes);
  /// Begins with a known fabric and queries only the switches in `doubtful` (by index) and new
  /// nodes behind their ports. A link with a port that was ACTIVE and is ACTIVE has not been down
  /// in between, because only a manager sets a port to ACTIVE. The paths in `known` must be bound
  /// to their keys.
  Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
            const std::vector<std::uint32_t>& doubtful);
  Discovery(const Discovery&) = delete;  // the readers refer to state_
  Discovery& operator=(const Discovery&) = delete;

  /// Replaces node descriptions by these names. `names` must outlive this.
  void use_names(const NodeNames& names) { nodes_.use_names(names); }

  /// Begins at these ports of the manager's CA also (SmOptions::more_own_ports).
  void use_more_ports(std::vector<PortNum> ports) {
    state_.found.more_own_ports = std::move(ports);
  }

  /// Leaves these links out.
  void avoid(AvoidedLinks links) { state_.found.avoided = std::move(links); }

  /// Reads FDR10 from devices that may support it. `devices` must outlive this; null: none are
  /// queried.
  void query_fdr10(Fdr10Devices* devices) { speeds_.query_fdr10(devices); }

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Switches at the other end of links found down: their known paths may contain these links.
  const std::set<Guid>& in_doubt() const { return nodes_.in_doubt(); }
  /// The fabric as found. Fails with kEnvironment if the manager's own port does not answer.
  Result<Observed> result() &&;
  /// A neighbor of at least one port was found or lost: paths may have changed.
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
