// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the M_Keys of the requests of a discovery. The port at the other end of a cable and its
// key are initially those in the files of earlier runs; the PortInfo of the port confirms them. If
// a port does not answer, requests are repeated with each candidate key.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ib/port_info.h"
#include "sm/discovery/discovery_state.h"
#include "sm/keys/known_keys.h"

namespace weft {

class KeyTrial {
 public:
  /// `keys` and `state` must outlive this object. Confirmed keys are stored in `keys`.
  KeyTrial(KnownKeys& keys, DiscoveryState& state) : keys_(keys), state_(state) {}

  /// Selects the key of the request.
  void bind(const DiscoveryQuery& query);
  /// Call when the request was not answered: repeats the request with the next candidate key.
  /// Returns false if there is none.
  bool try_next(DiscoveryQuery query);
  /// Call with the PortInfo of the port of an SMA. Stores the key if PortInfo contains it. Returns
  /// false if the request is repeated with the next candidate key.
  bool confirm(const DiscoveryQuery& query, const PortInfo& info);
  /// Call when the port answered the NodeInfo request of this query.
  void node_answered(const DiscoveryQuery& query, Guid port);
  /// Call for a port that is known from an earlier discovery; its key is assumed to be the known
  /// key of the port.
  void assume_known(Guid port);
  /// Call if there was no answer with any candidate key: retries of later requests use all
  /// candidates in turn.
  void guess(const DiscoveryQuery& query);
  /// Text for messages about a port that does not answer; empty if no keys are in use, and for the
  /// manager's own port.
  std::string advice(const DiscoveryQuery& query) const;

 private:
  Guid agent_of(const DiscoveryQuery& query) const;
  std::vector<Mkey> candidates(const DiscoveryQuery& query) const;

  KnownKeys& keys_;
  DiscoveryState& state_;
  std::unordered_map<Guid, Mkey>
      answered_key_;  // key of the answered NodeInfo request, by port GUID
};

}  // namespace weft
