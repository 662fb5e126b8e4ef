// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/observe.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ib/modifiers.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr std::uint64_t kExtendedShift = 31;
constexpr std::uint64_t kPortShift = 32;
constexpr std::uint64_t kAttributeShift = 40;
constexpr std::uint64_t kSetShift = 56;
constexpr std::uint64_t kAttemptShift = 57;

/// Checks numbers that no valid node can report.
bool is_sane(const NodeInfo& info) {
  if (info.port_count == 0 || info.port_count == 255) return false;
  if (info.node_guid == Guid(0) || info.port_guid == Guid(0)) return false;
  if (info.local_port.value() > info.port_count) return false;
  return info.type == NodeType::kSwitch || info.local_port != PortNum(0);
}

bool shows_no_key(const DiscoveredNode& node) {
  return !node.seen.ports.empty() && node.seen.asked[0] && hides_key(node.seen.ports[0]);
}

}  // namespace

Discovery::Discovery(KnownKeys& keys, bool clears_changes)
    : keys_(keys), clears_changes_(clears_changes) {
  keys_.forget_paths();
  enqueue(AttributeId::kNodeInfo, 0, kOwnNode);
}

Discovery::Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
                     const std::vector<std::uint32_t>& doubtful)
    : keys_(keys), clears_changes_(clears_changes), found_(std::move(known)), starts_known_(true) {
  queried_.assign(found_.nodes.size(), false);
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n)
    by_guid_.emplace(found_.nodes[n].seen.info.node_guid, n);
  for (const std::uint32_t n : doubtful) requery_switch(n);
}

std::uint64_t Discovery::cookie_of(const Query& query) {
  return query.node | std::uint64_t{query.extended} << kExtendedShift |
         std::uint64_t{query.port} << kPortShift |
         static_cast<std::uint64_t>(query.attribute) << kAttributeShift |
         std::uint64_t{query.set} << kSetShift | std::uint64_t{query.attempt} << kAttemptShift;
}

Discovery::Query Discovery::query_of(std::uint64_t cookie) {
  return {static_cast<AttributeId>(static_cast<std::uint16_t>(cookie >> kAttributeShift)),
          static_cast<std::uint32_t>(cookie & ((std::uint64_t{1} << kExtendedShift) - 1)),
          static_cast<std::uint8_t>(cookie >> kPortShift),
          (cookie >> kSetShift & 1) != 0,
          static_cast<std::uint8_t>(cookie >> kAttemptShift),
          (cookie >> kExtendedShift & 1) != 0};
}

std::uint32_t Discovery::modifier_of(const Query& query) {
  if (query.attribute == AttributeId::kMlnxExtendedPortInfo) return query.port;
  return query.attribute == AttributeId::kPortInfo
             ? modifier::port_info(PortNum(query.port), query.extended)
             : 0;
}

DirectedPath Discovery::path_of(const Query& query) const {
  if (query.port == kOwnNode) return {};
  const ObservedNode& seen = found_.nodes[query.node].seen;
  if (query.attribute != AttributeId::kNodeInfo) return seen.path(PortNum(query.port));
  return longer(seen.path(PortNum(query.port)), PortNum(query.port));
}

std::string Discovery::near_port(const Query& query) const {
  return fmt::format("{} port {}", describe(found_.nodes[query.node]), query.port);
}

void Discovery::enqueue(AttributeId attribute, std::uint32_t node, std::uint8_t port) {
  queries_.push_back({attribute, node, port, false, 0, false});
}

bool Discovery::is_pointless(const Query& query) const {
  if (query.port == kOwnNode) return false;
  const DiscoveredNode& about = found_.nodes[query.node];
  if (!about.silent.empty()) return true;
  return query.attribute == AttributeId::kMlnxExtendedPortInfo &&
         !fdr10_->is_worth_asking(about.seen.info, about.seen.ports[query.port]);
}

bool Discovery::next(Smp& request, std::uint64_t& cookie) {
  while (!queries_.empty() && is_pointless(queries_.front())) queries_.pop_front();
  if (queries_.empty()) return false;
  Query query = queries_.front();
  queries_.pop_front();
  if (query.extended && node(query.node).seen.refuses_extended_speeds) query.extended = false;
  request = directed_request(query.set ? Method::kSet : Method::kGet, query.attribute,
                             modifier_of(query), path_of(query));
  if (!is_second_read(query)) take_key(query);
  if (query.set) request.data = encode(node(query.node).seen.switch_info);
  cookie = cookie_of(query);
  return true;
}

void Discovery::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query = query_of(cookie);
  if (answer.status != mad_status::kGood) {
    const std::string what = status_text(answer.status);
    if (query.extended &&
        on_no_extended_speeds(query, what, answer.status == mad_status::kInvalidField))
      return;
    return on_bad(query, what, false);
  }
  if (is_second_read(query)) return on_extended_speeds(query, answer);
  switch (query.attribute) {
    case AttributeId::kNodeInfo:
      return on_node_info(query, answer);
    case AttributeId::kPortInfo:
      return on_port_info(query, answer);
    case AttributeId::kSwitchInfo:
      return on_switch_info(query, answer);
    case AttributeId::kMlnxExtendedPortInfo:
      return on_extended_port_info(query, answer);
    default:
      return on_description(node(query.node), answer);
  }
}

void Discovery::on_description(DiscoveredNode& node, const Smp& answer) {
  std::string text = decode_node_description(answer.data)->text;
  (node.is_renamed ? node.seen.own_description : node.description) = std::move(text);
}

void Discovery::failed(std::uint64_t cookie, const Error& why) {
  const Query query = query_of(cookie);
  if (is_second_read(query)) {
    on_no_extended_speeds(query, why.message, false);
    return;
  }
  if (try_next_key(query)) return;
  on_bad(query, why.message, true);
}

// ---- M_Keys: the port behind a cable and its key are first taken from the files of earlier runs,
// and confirmed by the PortInfo of the port.

/// True for the PortInfo that contains the SMA's key.
bool Discovery::is_agent_port(const Query& query) const {
  if (query.attribute != AttributeId::kPortInfo) return false;
  return found_.nodes[query.node].seen.info.type != NodeType::kSwitch || query.port == 0;
}

Guid Discovery::agent_of(const Query& query) const {
  return found_.nodes[query.node].port_guids[query.port];
}

std::vector<Mkey> Discovery::keys_for(const Query& query) const {
  if (query.attribute == AttributeId::kNodeInfo) {
    if (query.port == kOwnNode) return keys_.candidates(CableEnd{});
    return keys_.candidates({agent_of(query), PortNum(query.port)});
  }
  if (!is_agent_port(query)) return {};
  const auto answered_key = answered_key_.find(agent_of(query));
  return keys_.candidates(agent_of(query),
                          answered_key == answered_key_.end() ? Mkey(0) : answered_key->second);
}

void Discovery::take_key(const Query& query) {
  if (!keys_.in_use()) return;
  const auto keys = keys_for(query);
  if (query.attempt < keys.size()) keys_.bind(path_of(query), keys[query.attempt]);
}

bool Discovery::try_next_key(Query query) {
  if (!keys_.in_use() || query.attempt + std::size_t{1} >= keys_for(query).size()) return false;
  ++query.attempt;
  queries_.push_back(query);
  return true;
}

/// True once the key of the port is known, or known to be hidden. At protection level 0 every Get
/// returns the key; at level 1 a Get without the right key returns 0; from level 2 on it gets no
/// answer.
bool Discovery::on_agent_port_info(const Query& query, const PortInfo& info) {
  if (!hides_key(info)) {
    keys_.learn(agent_of(query), path_of(query), info.mkey);
    return true;
  }
  return !try_next_key(query);
}

/// Advice for a port that does not answer while keys are in use.
std::string Discovery::locked_out(const Query& query) const {
  if (!keys_.in_use() || query.port == kOwnNode) return {};
  const auto far = keys_.neighbor({agent_of(query), PortNum(query.port)});
  const std::string neighbor =
      far ? fmt::format(" (port GUID 0x{:016x} was there)", far->guid.value()) : std::string();
  return neighbor +
         "; if it is alive, it is protected by an unknown M_Key: it answers once its "
         "lease period has expired, or when its key is in the file guid2mkey";
}

/// `silent`: it did not answer at all, so it gets no more requests.
void Discovery::on_bad(const Query& query, const std::string& what, bool silent) {
  if (found_.nodes.empty()) {
    own_failure_ = what;
    return;
  }
  switch (query.attribute) {
    case AttributeId::kNodeInfo:
      warn(fmt::format("the node behind {} {}: left out{}", near_port(query), what,
                       silent ? locked_out(query) : ", and retried later"));
      if (silent) keys_.guess(path_of(query), keys_for(query));
      return retry_later(query, near_port(query), silent);
    case AttributeId::kPortInfo:
      if (silent && node(query.node).seen.info.type == NodeType::kSwitch)
        return silence(query, what + " any more", true);
      warn(fmt::format("{} {} to PortInfo: treated as down{}", near_port(query), what,
                       silent ? "" : ", and retried later"));
      retry_later(query, near_port(query), silent);
      if (query.port == 0 && node(query.node).seen.info.type == NodeType::kSwitch)
        enqueue(AttributeId::kSwitchInfo, query.node);
      return;
    case AttributeId::kSwitchInfo:
      if (!query.set) return silence(query, what + " to SwitchInfo", silent);
      if (silent && shows_no_key(node(query.node))) {
        warn(fmt::format("{} refuses settings: {}", describe(node(query.node)),
                         unlock_advice(node(query.node).seen.ports[0])));
        return query_ports(query.node);
      }
      if (silent) return silence(query, what + " to SwitchInfo", true);
      warn(fmt::format("{} {} when PortStateChange is cleared", describe(node(query.node)), what));
      return query_ports(query.node);
    case AttributeId::kMlnxExtendedPortInfo:
      return on_no_extended_port_info(query, silent);
    default:
      warn(fmt::format("{} {} to NodeDescription", describe(node(query.node)), what));
      if (silent) retry_later(query, describe(node(query.node)), true);
      return;
  }
}

void Discovery::retry_later(const Query& query, std::string name, bool silent) {
  found_.silent.push_back(
      {path_of(query), query.attribute, modifier_of(query), std::move(name), !silent});
}

void Discovery::silence(const Query& query, const std::string& what, bool silent) {
  DiscoveredNode& lost = node(query.node);
  if (!lost.silent.empty()) return;
  lost.silent = what;
  retry_later(query, describe(lost), silent);
}

std::uint32_t Discovery::add_node(const NodeInfo& info, const DirectedPath& path) {
  const auto index = static_cast<std::uint32_t>(found_.nodes.size());
  by_guid_.emplace(info.node_guid, index);
  queried_.push_back(true);
  const std::size_t ports = std::size_t{info.port_count} + 1;
  const bool is_switch = info.type == NodeType::kSwitch;
  DiscoveredNode draft;
  draft.seen.info = info;
  draft.seen.ports.resize(ports);
  draft.seen.asked.resize(ports, false);
  draft.seen.paths.resize(is_switch ? 1 : ports);
  draft.seen.paths[0] = path;
  draft.neighbors.resize(ports);
  draft.port_guids.resize(ports, info.port_guid);  // one for all ports of a switch
  if (names_ != nullptr)
    if (const auto named = names_->find(info.node_guid); named != names_->end()) {
      draft.description = named->second;
      draft.is_renamed = true;
    }
  found_.nodes.push_back(std::move(draft));
  enqueue(AttributeId::kNodeDescription, index);
  if (is_switch) enqueue(AttributeId::kPortInfo, index);  // the key, before anything is set
  return index;
}

void Discovery::on_switch_info(const Query& query, const Smp& answer) {
  SwitchInfo& info = node(query.node).seen.switch_info;
  info = *decode_switch_info(answer.data);
  if (query.set || !clears_changes_ || !info.port_state_change) return query_ports(query.node);
  queries_.push_back({AttributeId::kSwitchInfo, query.node, 0, true, 0, false});
}

void Discovery::on_extended_port_info(const Query& query, const Smp& answer) {
  ObservedNode& seen = node(query.node).seen;
  fdr10_->answered(seen.info);
  if (seen.extended.empty()) seen.extended.resize(seen.ports.size());
  seen.extended[query.port] = *decode_extended_port_info(answer.data);
}

/// No warning: the attribute is not in the specification.
void Discovery::on_no_extended_port_info(const Query& query, bool silent) {
  const DiscoveredNode& about = node(query.node);
  if (silent)
    fdr10_->was_silent(about.seen.info);
  else
    fdr10_->refused(about.seen.info);
  log::debug("{} does not support ExtendedPortInfo, which FDR10 needs{}", describe(about),
             silent ? ": no answer" : "");
}

void Discovery::query_ports(std::uint32_t node_index) {
  const ObservedNode& seen = node(node_index).seen;
  for (std::size_t p = 1; p < seen.ports.size(); ++p) {
    const auto port = static_cast<std::uint8_t>(p);
    queries_.push_back({AttributeId::kPortInfo, node_index, port, false, 0,
                        seen.takes_extended_speeds(PortNum(port))});
  }
}

// ---- SMSupportExtendedSpeeds: only devices with IsExtendedSpeedsSupported support bit 31 of the
// modifier; others may treat it as part of the port number. So port 0 of a switch and CA ports are
// first read without it. Such answers may lack the extended speeds; then the CA is read once more
// with the bit.

/// True if an answer without the bit may lack extended speeds, and the link may run at one of them.
/// The switch port at the other end has been read.
bool Discovery::may_hide_extended_speeds(const Query& query, const PortInfo& info) const {
  const DiscoveredNode& about = found_.nodes[query.node];
  const auto shows = [](const PortInfo& port) {
    return port.link_speed_ext_supported != 0 || port.link_speed_ext2_supported != 0;
  };
  if (query.extended || about.seen.info.type == NodeType::kSwitch || shows(info) ||
      !about.seen.takes_extended_speeds(PortNum(query.port)))
    return false;
  if (about.reached_from.empty() || !about.reached_from[query.port].known()) return true;
  const Neighbor& near = about.reached_from[query.port];
  const ObservedNode& other = found_.nodes[near.node].seen;
  return other.info.type != NodeType::kSwitch || other.refuses_extended_speeds ||
         shows(other.ports[near.port]);
}

/// The answer without the bit is kept in any case.
bool Discovery::is_second_read(const Query& query) const {
  return query.extended && found_.nodes[query.node].seen.info.type != NodeType::kSwitch;
}

void Discovery::on_extended_speeds(const Query& query, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info) {
    on_no_extended_speeds(query, "answers with invalid data", false);
    return;
  }
  PortInfo& seen = node(query.node).seen.ports[query.port];
  const Mkey mkey = seen.mkey;
  seen = *info;
  seen.mkey = mkey;
  query_fdr10(query);
}

/// True if the failure is fully handled. `invalid`: the device does not support the modifier.
bool Discovery::on_no_extended_speeds(Query query, const std::string& what, bool invalid) {
  DiscoveredNode& about = node(query.node);
  if (invalid && !std::exchange(about.seen.refuses_extended_speeds, true))
    log::debug("{} {} to PortInfo with SMSupportExtendedSpeeds: read without it", describe(about),
               what);
  if (is_second_read(query)) {
    if (!invalid)
      warn(fmt::format("{} {} to PortInfo with extended speeds: treated as without",
                       near_port(query), what));
    query_fdr10(query);
    return true;
  }
  if (!invalid) return false;
  query.extended = false;
  queries_.push_back(query);
  return true;
}

void Discovery::query_fdr10(const Query& query) {
  const ObservedNode& seen = node(query.node).seen;
  if (fdr10_ != nullptr && query.port != 0 &&
      fdr10_->is_worth_asking(seen.info, seen.ports[query.port]))
    enqueue(AttributeId::kMlnxExtendedPortInfo, query.node, query.port);
}

void Discovery::requery_switch(std::uint32_t index) {
  if (queried_[index]) return;
  queried_[index] = true;
  node(index).seen.asked[0] = false;
  const Guid agent = node(index).port_guids[0];
  answered_key_.try_emplace(agent, keys_.of(agent));
  enqueue(AttributeId::kPortInfo, index);  // port 0, and then the others as for a new switch
}

/// True if the link of the port is the same as before.
bool Discovery::is_as_before(const Query& query, const PortInfo& before) const {
  const DiscoveredNode& near = found_.nodes[query.node];
  return near.neighbors[query.port].known() && before.state == PortState::kActive &&
         near.seen.ports[query.port].state == PortState::kActive;
}

/// The neighbor of the port is gone, or may have changed.
void Discovery::forget_neighbor(const Query& query) {
  const Neighbor far = std::exchange(node(query.node).neighbors[query.port], {});
  if (!far.known()) return;
  DiscoveredNode& other = node(far.node);
  if (other.seen.info.type == NodeType::kSwitch) {
    if (queried_[far.node]) return;  // its own PortInfo is read
    other.neighbors[far.port] = {};
    // If the link is up, the neighbor is discovered again at once.
    if (!link_is_up(node(query.node).seen.ports[query.port]))
      in_doubt_.insert(other.seen.info.node_guid);
    return;
  }
  other.seen.asked[far.port] = false;
  other.seen.paths[far.port] = {};
  // The manager's own port is known without discovery.
  if (far.node == 0 && far.port == found_.own_port)
    enqueue(AttributeId::kPortInfo, far.node, far.port);
}

/// False if the answer shows that another node uses the same GUID.
bool Discovery::is_same_node(std::uint32_t index, const NodeInfo& info) const {
  const DiscoveredNode& known = found_.nodes[index];
  const NodeInfo& first = known.seen.info;
  if (first.type != info.type || first.port_count != info.port_count ||
      first.system_guid != info.system_guid)
    return false;
  if (info.type == NodeType::kSwitch) return first.port_guid == info.port_guid;
  const std::uint8_t port = info.local_port.value();
  const bool met = known.seen.paths[port].count > 0 || (index == 0 && port == found_.own_port);
  return !met || known.port_guids[port] == info.port_guid;
}

/// The ports of a CA are discovered one by one, each with its own GUID, path and SMA.
void Discovery::record_neighbor(std::uint32_t index, const NodeInfo& info, const Query& query) {
  DiscoveredNode& met = node(index);
  const std::uint8_t port = info.local_port.value();
  if (info.type == NodeType::kSwitch || met.seen.paths[port].count > 0) return;
  if (index == 0 && found_.nodes.size() > 1 && port == found_.own_port) return;
  met.port_guids[port] = info.port_guid;
  met.seen.paths[port] = path_of(query);
  if (query.port != kOwnNode) {
    met.reached_from.resize(met.seen.ports.size());
    met.reached_from[port] = {query.node, query.port};
  }
  enqueue(AttributeId::kPortInfo, index, port);
}

void Discovery::on_node_info(const Query& query, const Smp& answer) {
  const bool own = query.port == kOwnNode;
  const auto info = decode_node_info(answer.data);
  if (!info || !is_sane(*info)) return on_bad(query, "answers with invalid NodeInfo", false);
  const DirectedPath path = path_of(query);
  const auto known = by_guid_.find(info->node_guid);
  const bool is_new = known == by_guid_.end();
  if (!is_new && !is_same_node(known->second, *info)) {
    warn(fmt::format("GUID 0x{:016x} is claimed by {} and by another node behind {}: left out",
                     info->node_guid.value(), describe(node(known->second)), near_port(query)));
    found_.shared_guids.push_back(found_.warnings.back());
    return;
  }
  const std::uint32_t index = is_new ? add_node(*info, path) : known->second;
  if (info->type == NodeType::kSwitch) requery_switch(index);
  const std::uint8_t port = info->local_port.value();
  if (own) found_.own_port = info->type == NodeType::kSwitch ? std::uint8_t{0} : port;
  if (keys_.in_use()) {
    const auto keys = keys_for(query);
    answered_key_.try_emplace(info->port_guid,
                              keys[std::min<std::size_t>(query.attempt, keys.size() - 1)]);
  }
  record_neighbor(index, *info, query);
  if (own) return;
  node(query.node).neighbors[query.port] = {index, port};
}

void Discovery::on_port_info(const Query& query, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info)
    return on_bad(query, fmt::format("answers with invalid data ({})", info.error().message),
                  false);
  if (is_agent_port(query) && !on_agent_port_info(query, *info)) return;
  ObservedNode& seen = node(query.node).seen;
  if (query.port == 0 && seen.info.type == NodeType::kSwitch && !seen.asked[0])
    enqueue(AttributeId::kSwitchInfo, query.node);
  const PortInfo before = std::exchange(seen.ports[query.port], *info);
  seen.asked[query.port] = true;
  if (!seen.extended.empty()) seen.extended[query.port] = {};
  if (may_hide_extended_speeds(query, *info))
    queries_.push_back({AttributeId::kPortInfo, query.node, query.port, false, 0, true});
  else
    query_fdr10(query);
  // CAs do not forward: paths leave only the manager's own CA, and only by the manager's port.
  const bool leads_on = seen.info.type == NodeType::kSwitch
                            ? query.port != 0
                            : query.node == 0 && query.port == found_.own_port;
  if (!leads_on || is_as_before(query, before)) return;
  forget_neighbor(query);
  if (!link_is_up(*info)) return;
  if (seen.path().count >= kHopsMax)
    return warn(fmt::format("{} is {} hops away: nodes behind port {} cannot be reached",
                            describe(node(query.node)), seen.path().count, query.port));
  enqueue(AttributeId::kNodeInfo, query.node, query.port);
}

Result<Observed> Discovery::result() && {
  if (found_.nodes.empty())
    return fail(Code::kEnvironment, "the own port {}",
                own_failure_.empty() ? "was not read" : own_failure_);
  if (starts_known_) compute_paths(found_);
  return assemble(std::move(found_));
}

}  // namespace weft
