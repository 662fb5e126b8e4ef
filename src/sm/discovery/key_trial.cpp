// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/key_trial.h"

#include <algorithm>

namespace weft {

Guid KeyTrial::agent_of(const DiscoveryQuery& query) const {
  return state_.node(query.node).port_guids[query.port];
}

std::vector<Mkey> KeyTrial::candidates(const DiscoveryQuery& query) const {
  if (query.attribute == AttributeId::kNodeInfo) {
    if (query.port == DiscoveryQuery::kOwnNode) return keys_.candidates(CableEnd{});
    return keys_.candidates({agent_of(query), PortNum(query.port)});
  }
  if (!state_.is_agent_port(query)) return {};
  const auto answered_key = answered_key_.find(agent_of(query));
  return keys_.candidates(agent_of(query),
                          answered_key == answered_key_.end() ? Mkey(0) : answered_key->second);
}

void KeyTrial::bind(const DiscoveryQuery& query) {
  if (!keys_.in_use()) return;
  const auto keys = candidates(query);
  if (query.attempt < keys.size()) keys_.bind(state_.path_of(query), keys[query.attempt]);
}

bool KeyTrial::try_next(DiscoveryQuery query) {
  if (!keys_.in_use() || query.attempt + std::size_t{1} >= candidates(query).size()) return false;
  ++query.attempt;
  state_.queries.push_back(query);
  return true;
}

/// At protection level 0, every Get returns the key. At level 1, a Get without the correct key
/// returns 0. From level 2 on, such a Get is not answered.
bool KeyTrial::confirm(const DiscoveryQuery& query, const PortInfo& info) {
  if (!hides_key(info)) {
    keys_.learn(agent_of(query), state_.path_of(query), info.mkey);
    return true;
  }
  return !try_next(query);
}

void KeyTrial::node_answered(const DiscoveryQuery& query, Guid port) {
  if (!keys_.in_use()) return;
  const auto keys = candidates(query);
  answered_key_.try_emplace(port, keys[std::min<std::size_t>(query.attempt, keys.size() - 1)]);
}

void KeyTrial::assume_known(Guid port) { answered_key_.try_emplace(port, keys_.of(port)); }

void KeyTrial::guess(const DiscoveryQuery& query) {
  keys_.guess(state_.path_of(query), candidates(query));
}

std::string KeyTrial::advice(const DiscoveryQuery& query) const {
  if (!keys_.in_use() || query.port == DiscoveryQuery::kOwnNode) return {};
  const auto far = keys_.neighbor({agent_of(query), PortNum(query.port)});
  const std::string neighbor =
      far ? fmt::format(" (known port GUID 0x{:016x})", far->guid.value()) : std::string();
  return neighbor +
         "; if the port is up, an unknown M_Key may protect it: the port answers after its "
         "lease period, or if the file guid2mkey has its key";
}

}  // namespace weft
