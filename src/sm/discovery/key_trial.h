// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The M_Keys that the requests of a discovery carry. The port behind a cable and its key are first
// taken from the files of earlier runs, and confirmed by the PortInfo of the port. If a port does
// not answer, requests are repeated with each candidate key.
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
  /// Both must outlive this. Keys that are confirmed are stored in `keys`.
  KeyTrial(KnownKeys& keys, DiscoveryState& state) : keys_(keys), state_(state) {}

  /// Selects the key that the request will carry.
  void bind(const DiscoveryQuery& query);
  /// To be called when the request got no answer: repeats it with the next candidate key. False if
  /// there is none.
  bool try_next(DiscoveryQuery query);
  /// To be called with the PortInfo of an SMA's own port. True if the key of the port is known, or
  /// known to be hidden; otherwise the request is repeated with the next candidate key.
  bool confirm(const DiscoveryQuery& query, const PortInfo& info);
  /// To be called when the port answered NodeInfo with the key of the request.
  void node_answered(const DiscoveryQuery& query, Guid port);
  /// The port is known from an earlier discovery and still has the same key.
  void assume_known(Guid port);
  /// No candidate key led to an answer: retries of later requests use all candidates in turn.
  void guess(const DiscoveryQuery& query);
  /// Advice for a port that does not answer while keys are in use; otherwise empty.
  std::string advice(const DiscoveryQuery& query) const;

 private:
  Guid agent_of(const DiscoveryQuery& query) const;
  std::vector<Mkey> candidates(const DiscoveryQuery& query) const;

  KnownKeys& keys_;
  DiscoveryState& state_;
  std::unordered_map<Guid, Mkey>
      answered_key_;  // by port GUID: the key that its NodeInfo request carried
};

}  // namespace weft
