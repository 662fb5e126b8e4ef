// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/discovery.h"

#include <utility>

#include "sm/discovery/directed.h"

namespace weft {

Discovery::Discovery(KnownKeys& keys, bool clears_changes)
    : keys_(keys, state_),
      nodes_(state_, keys_),
      switches_(state_, clears_changes),
      speeds_(state_),
      ports_(state_, keys_, nodes_, speeds_) {
  keys.forget_paths();
  state_.ask(AttributeId::kNodeInfo, 0, DiscoveryQuery::kOwnNode);
}

Discovery::Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
                     const std::vector<std::uint32_t>& doubtful)
    : state_{std::move(known), {}},
      keys_(keys, state_),
      nodes_(state_, keys_),
      switches_(state_, clears_changes),
      speeds_(state_),
      ports_(state_, keys_, nodes_, speeds_) {
  for (const std::uint32_t n : doubtful) nodes_.read_again(n);
}

bool Discovery::is_obsolete(const DiscoveryQuery& query) const {
  if (query.port == DiscoveryQuery::kOwnNode) return false;
  return !state_.node(query.node).silent.empty() || speeds_.is_obsolete(query);
}

bool Discovery::next(Smp& request, std::uint64_t& cookie) {
  auto& queries = state_.queries;
  while (!queries.empty() && is_obsolete(queries.front())) queries.pop_front();
  if (queries.empty()) return false;
  DiscoveryQuery query = queries.front();
  queries.pop_front();
  if (query.extended && state_.node(query.node).seen.refuses_extended_speeds)
    query.extended = false;
  fill_directed_request(request, query.set ? Method::kSet : Method::kGet, query.attribute,
                        query.modifier(), state_.path_of(query));
  if (!speeds_.is_second_read(query)) keys_.bind(query);
  if (query.set) request.data = encode(state_.node(query.node).seen.switch_info);
  cookie = query.cookie();
  return true;
}

void Discovery::answered(std::uint64_t cookie, const Smp& answer) {
  const DiscoveryQuery query = DiscoveryQuery::of_cookie(cookie);
  if (answer.status != mad_status::kGood) {
    const std::string what = status_text(answer.status);
    const bool invalid = answer.status == mad_status::kInvalidField;
    if (query.extended && speeds_.on_no_extended_speeds(query, what, invalid)) return;
    return on_failure(query, {what, false});
  }
  if (speeds_.is_second_read(query)) return speeds_.on_extended_speeds(query, answer);
  switch (query.attribute) {
    case AttributeId::kNodeInfo:
      return nodes_.on_node_info(query, answer);
    case AttributeId::kPortInfo:
      return ports_.on_port_info(query, answer);
    case AttributeId::kSwitchInfo:
      return switches_.on_switch_info(query, answer);
    case AttributeId::kMlnxExtendedPortInfo:
      return speeds_.on_extended_port_info(query, answer);
    default:
      return nodes_.on_description(query, answer);
  }
}

void Discovery::failed(std::uint64_t cookie, const Error& why) {
  const DiscoveryQuery query = DiscoveryQuery::of_cookie(cookie);
  if (speeds_.is_second_read(query)) {
    speeds_.on_no_extended_speeds(query, why.message, false);
    return;
  }
  if (keys_.try_next(query)) return;
  on_failure(query, {why.message, true});
}

void Discovery::on_failure(const DiscoveryQuery& query, const QueryFailure& why) {
  switch (query.attribute) {
    case AttributeId::kNodeInfo:
      return nodes_.on_no_node_info(query, why);
    case AttributeId::kPortInfo:
      return ports_.on_no_port_info(query, why);
    case AttributeId::kSwitchInfo:
      return switches_.on_no_switch_info(query, why);
    case AttributeId::kMlnxExtendedPortInfo:
      return speeds_.on_no_extended_port_info(query, why);
    default:
      return nodes_.on_no_description(query, why);
  }
}

Result<Observed> Discovery::result() && {
  Discovered& found = state_.found;
  if (found.nodes.empty())
    return fail(Code::kEnvironment, "the port of the manager {}",
                nodes_.own_failure().empty() ? "was not read: its NodeInfo was not answered"
                                             : nodes_.own_failure());
  return assemble(std::move(found));
}

}  // namespace weft
