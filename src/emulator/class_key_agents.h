// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The agents of an emulated fabric for keys of management classes: they answer ClassPortInfo and
// KeyInfo, and NeighborsInfo in class 0x0C. A protected agent ignores MADs with a wrong key, except
// those of ClassPortInfo, and the protection ends when its lease has passed since such a MAD,
// unless a MAD with the right key arrives before. Other attributes of congestion control are in
// congestion_agents.h.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "emulator/model.h"
#include "emulator/walk.h"
#include "ib/gmps/class_keys.h"

namespace weft {

struct ClassKeyAgent {
  bool answers = true;
  ClassKeyInfo info;
  std::optional<TimeNs> lease_end{};                    // of the running lease
  std::uint64_t sets = 0;                               // Sets of KeyInfo that were applied
  std::map<std::uint32_t, NeighborsBlock> neighbors{};  // by block
};

namespace emulator {

class ClassKeyAgents {
 public:
  ClassKeyAgents(const Model& model, const Clock& clock) : model_(model), clock_(clock) {}

  ClassKeyAgent& agent(KeyedClass keyed, PortId port) {
    const Port& is = model_.fabric().port(port);
    return agents_[{keyed, model_.agent_port(is.node, is.num)}];
  }

  /// Removes the keys of a node that loses its power.
  void reset(NodeId node);

  /// The class of a request that these agents answer; none for other requests.
  std::optional<KeyedClass> serves(const Gmp& gmp) const;
  /// Converts a request that arrived at `at` into its response, in place. False if no response is
  /// sent.
  bool answer(KeyedClass keyed, Gmp& gmp, Place at);
  /// Whether a protected agent ignores a request of the class because of its key; such a request
  /// counts as a violation, and starts the lease.
  bool rejects(KeyedClass keyed, const Gmp& gmp, Place at);

 private:
  const Model& model_;
  const Clock& clock_;
  std::map<std::pair<KeyedClass, PortId>, ClassKeyAgent> agents_;  // by port with the agent's LID
};

}  // namespace emulator
}  // namespace weft
