#include "sm/observe.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "ib/modifiers.h"
#include "sm/directed.h"

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
  ask(AttributeId::kNodeInfo, 0, kOwnNode);
}

Discovery::Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
                     const std::vector<std::uint32_t>& doubtful)
    : keys_(keys), clears_changes_(clears_changes), found_(std::move(known)), starts_known_(true) {
  queried_.assign(found_.nodes.size(), false);
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n)
    by_guid_.emplace(found_.nodes[n].seen.info.node_guid, n);
  for (const std::uint32_t n : doubtful) requery_switch(n);
}

std::uint64_t Discovery::cookie_of(const Question& question) {
  return question.node | std::uint64_t{question.extended} << kExtendedShift |
         std::uint64_t{question.port} << kPortShift |
         static_cast<std::uint64_t>(question.attribute) << kAttributeShift |
         std::uint64_t{question.set} << kSetShift |
         std::uint64_t{question.attempt} << kAttemptShift;
}

Discovery::Question Discovery::question_of(std::uint64_t cookie) {
  return {static_cast<AttributeId>(static_cast<std::uint16_t>(cookie >> kAttributeShift)),
          static_cast<std::uint32_t>(cookie & ((std::uint64_t{1} << kExtendedShift) - 1)),
          static_cast<std::uint8_t>(cookie >> kPortShift),
          (cookie >> kSetShift & 1) != 0,
          static_cast<std::uint8_t>(cookie >> kAttemptShift),
          (cookie >> kExtendedShift & 1) != 0};
}

std::uint32_t Discovery::modifier_of(const Question& question) {
  if (question.attribute == AttributeId::kMlnxExtendedPortInfo) return question.port;
  return question.attribute == AttributeId::kPortInfo
             ? modifier::port_info(PortNum(question.port), question.extended)
             : 0;
}

DirectedPath Discovery::path_of(const Question& question) const {
  if (question.port == kOwnNode) return {};
  const ObservedNode& seen = found_.nodes[question.node].seen;
  if (question.attribute != AttributeId::kNodeInfo) return seen.path(PortNum(question.port));
  return longer(seen.path(PortNum(question.port)), PortNum(question.port));
}

std::string Discovery::near_port(const Question& question) const {
  return fmt::format("{} port {}", describe(found_.nodes[question.node]), question.port);
}

void Discovery::ask(AttributeId attribute, std::uint32_t node, std::uint8_t port) {
  questions_.push_back({attribute, node, port, false, 0, false});
}

bool Discovery::is_pointless(const Question& question) const {
  if (question.port == kOwnNode) return false;
  const DiscoveredNode& about = found_.nodes[question.node];
  if (!about.silent.empty()) return true;
  return question.attribute == AttributeId::kMlnxExtendedPortInfo &&
         !fdr10_->is_worth_asking(about.seen.info, about.seen.ports[question.port]);
}

bool Discovery::next(Smp& request, std::uint64_t& cookie) {
  while (!questions_.empty() && is_pointless(questions_.front())) questions_.pop_front();
  if (questions_.empty()) return false;
  Question question = questions_.front();
  questions_.pop_front();
  if (question.extended && node(question.node).seen.refuses_extended_speeds)
    question.extended = false;
  request = directed_request(question.set ? Method::kSet : Method::kGet, question.attribute,
                             modifier_of(question), path_of(question), Mkey(0));
  if (!is_second_read(question)) take_key(question);
  if (question.set) request.data = encode(node(question.node).seen.switch_info);
  cookie = cookie_of(question);
  return true;
}

void Discovery::answered(std::uint64_t cookie, const Smp& answer) {
  const Question question = question_of(cookie);
  if (answer.status != mad_status::kGood) {
    const std::string what = status_text(answer.status);
    if (question.extended &&
        on_no_extended_speeds(question, what, answer.status == mad_status::kInvalidField))
      return;
    return on_bad(question, what, false);
  }
  if (is_second_read(question)) return on_extended_speeds(question, answer);
  switch (question.attribute) {
    case AttributeId::kNodeInfo:
      return on_node_info(question, answer);
    case AttributeId::kPortInfo:
      return on_port_info(question, answer);
    case AttributeId::kSwitchInfo:
      return on_switch_info(question, answer);
    case AttributeId::kMlnxExtendedPortInfo:
      return on_extended_port_info(question, answer);
    default:
      return on_description(node(question.node), answer);
  }
}

void Discovery::on_description(DiscoveredNode& node, const Smp& answer) {
  std::string text = decode_node_description(answer.data)->text;
  (node.is_renamed ? node.seen.own_description : node.description) = std::move(text);
}

void Discovery::failed(std::uint64_t cookie, const Error& why) {
  const Question question = question_of(cookie);
  if (is_second_read(question)) {
    on_no_extended_speeds(question, why.message, false);
    return;
  }
  if (try_next_key(question)) return;
  on_bad(question, why.message, true);
}

// ---- M_Keys: the port behind a cable and its key are first taken from the files of earlier runs,
// and confirmed by the PortInfo of the port.

/// True for the PortInfo that contains the SMA's key.
bool Discovery::is_agent_port(const Question& question) const {
  if (question.attribute != AttributeId::kPortInfo) return false;
  return found_.nodes[question.node].seen.info.type != NodeType::kSwitch || question.port == 0;
}

Guid Discovery::agent_of(const Question& question) const {
  return found_.nodes[question.node].port_guids[question.port];
}

std::vector<Mkey> Discovery::keys_for(const Question& question) const {
  if (question.attribute == AttributeId::kNodeInfo) {
    if (question.port == kOwnNode) return keys_.candidates(CableEnd{});
    return keys_.candidates({agent_of(question), PortNum(question.port)});
  }
  if (!is_agent_port(question)) return {};
  const auto heard = answered_key_.find(agent_of(question));
  return keys_.candidates(agent_of(question),
                          heard == answered_key_.end() ? Mkey(0) : heard->second);
}

void Discovery::take_key(const Question& question) {
  if (!keys_.in_use()) return;
  const auto keys = keys_for(question);
  if (question.attempt < keys.size()) keys_.bind(path_of(question), keys[question.attempt]);
}

bool Discovery::try_next_key(Question question) {
  if (!keys_.in_use() || question.attempt + std::size_t{1} >= keys_for(question).size())
    return false;
  ++question.attempt;
  questions_.push_back(question);
  return true;
}

/// True once the key of the port is known, or known to be hidden. At protection level 0 every Get
/// returns the key; at level 1 a Get without the right key returns 0; from level 2 on it gets no
/// answer.
bool Discovery::on_agent_port_info(const Question& question, const PortInfo& info) {
  if (!hides_key(info)) {
    keys_.learn(agent_of(question), path_of(question), info.mkey);
    return true;
  }
  return !try_next_key(question);
}

/// Advice for a port that does not answer while keys are in use.
std::string Discovery::locked_out(const Question& question) const {
  if (!keys_.in_use() || question.port == kOwnNode) return {};
  const auto far = keys_.neighbor({agent_of(question), PortNum(question.port)});
  const std::string neighbor =
      far ? fmt::format(" (port GUID 0x{:016x} was there)", far->guid.value()) : std::string();
  return neighbor +
         "; if it is alive, it is protected by an unknown M_Key: it answers once its "
         "lease period has expired, or when its key is in the file guid2mkey";
}

/// `silent`: it did not answer at all, so it gets no more requests.
void Discovery::on_bad(const Question& question, const std::string& what, bool silent) {
  if (found_.nodes.empty()) {
    own_failure_ = what;
    return;
  }
  switch (question.attribute) {
    case AttributeId::kNodeInfo:
      warn(fmt::format("the node behind {} {}: left out{}", near_port(question), what,
                       silent ? locked_out(question) : ", and asked again later"));
      if (silent) keys_.guess(path_of(question), keys_for(question));
      return ask_later(question, near_port(question), silent);
    case AttributeId::kPortInfo:
      if (silent && node(question.node).seen.info.type == NodeType::kSwitch)
        return silence(question, what + " any more", true);
      warn(fmt::format("{} {} when asked for PortInfo: taken as down{}", near_port(question), what,
                       silent ? "" : ", and asked again later"));
      ask_later(question, near_port(question), silent);
      if (question.port == 0 && node(question.node).seen.info.type == NodeType::kSwitch)
        ask(AttributeId::kSwitchInfo, question.node);
      return;
    case AttributeId::kSwitchInfo:
      if (!question.set) return silence(question, what + " when asked for SwitchInfo", silent);
      if (silent && shows_no_key(node(question.node))) {
        warn(fmt::format("{} refuses settings: {}", describe(node(question.node)),
                         unlock_advice(node(question.node).seen.ports[0])));
        return ask_ports(question.node);
      }
      if (silent) return silence(question, what + " when asked for SwitchInfo", true);
      warn(fmt::format("{} {} when PortStateChange is cleared", describe(node(question.node)),
                       what));
      return ask_ports(question.node);
    case AttributeId::kMlnxExtendedPortInfo:
      return on_no_extended_port_info(question, silent);
    default:
      warn(
          fmt::format("{} {} when asked for its description", describe(node(question.node)), what));
      if (silent) ask_later(question, describe(node(question.node)), true);
      return;
  }
}

void Discovery::ask_later(const Question& question, std::string name, bool silent) {
  found_.silent.push_back(
      {path_of(question), question.attribute, modifier_of(question), std::move(name), !silent});
}

void Discovery::silence(const Question& question, const std::string& what, bool silent) {
  DiscoveredNode& lost = node(question.node);
  if (!lost.silent.empty()) return;
  lost.silent = what;
  ask_later(question, describe(lost), silent);
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
  ask(AttributeId::kNodeDescription, index);
  if (is_switch) ask(AttributeId::kPortInfo, index);  // the key, before anything is set
  return index;
}

void Discovery::on_switch_info(const Question& question, const Smp& answer) {
  SwitchInfo& info = node(question.node).seen.switch_info;
  info = *decode_switch_info(answer.data);
  if (question.set || !clears_changes_ || !info.port_state_change) return ask_ports(question.node);
  questions_.push_back({AttributeId::kSwitchInfo, question.node, 0, true, 0, false});
}

void Discovery::on_extended_port_info(const Question& question, const Smp& answer) {
  ObservedNode& seen = node(question.node).seen;
  fdr10_->answered(seen.info);
  if (seen.extended.empty()) seen.extended.resize(seen.ports.size());
  seen.extended[question.port] = *decode_extended_port_info(answer.data);
}

/// No warning: the attribute is not in the specification.
void Discovery::on_no_extended_port_info(const Question& question, bool silent) {
  const DiscoveredNode& about = node(question.node);
  if (silent)
    fdr10_->was_silent(about.seen.info);
  else
    fdr10_->refused(about.seen.info);
  log::debug("{} does not support ExtendedPortInfo, which FDR10 needs{}", describe(about),
             silent ? ": no answer" : "");
}

void Discovery::ask_ports(std::uint32_t node_index) {
  const ObservedNode& seen = node(node_index).seen;
  for (std::size_t p = 1; p < seen.ports.size(); ++p) {
    const auto port = static_cast<std::uint8_t>(p);
    questions_.push_back({AttributeId::kPortInfo, node_index, port, false, 0,
                          seen.takes_extended_speeds(PortNum(port))});
  }
}

// ---- SMSupportExtendedSpeeds: only devices with IsExtendedSpeedsSupported support bit 31 of the
// modifier; others may treat it as part of the port number. So port 0 of a switch and CA ports are
// first read without it. Such answers may lack the extended speeds; then the CA is read once more
// with the bit.

/// True if an answer without the bit may lack extended speeds, and the link may run at one of them.
/// The switch port at the other end has been read.
bool Discovery::may_hide_extended_speeds(const Question& question, const PortInfo& info) const {
  const DiscoveredNode& about = found_.nodes[question.node];
  const auto shows = [](const PortInfo& port) {
    return port.link_speed_ext_supported != 0 || port.link_speed_ext2_supported != 0;
  };
  if (question.extended || about.seen.info.type == NodeType::kSwitch || shows(info) ||
      !about.seen.takes_extended_speeds(PortNum(question.port)))
    return false;
  if (about.reached_from.empty() || !about.reached_from[question.port].known()) return true;
  const Neighbor& near = about.reached_from[question.port];
  const ObservedNode& other = found_.nodes[near.node].seen;
  return other.info.type != NodeType::kSwitch || other.refuses_extended_speeds ||
         shows(other.ports[near.port]);
}

/// The answer without the bit is kept in any case.
bool Discovery::is_second_read(const Question& question) const {
  return question.extended && found_.nodes[question.node].seen.info.type != NodeType::kSwitch;
}

void Discovery::on_extended_speeds(const Question& question, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info) {
    on_no_extended_speeds(question, "answers with invalid data", false);
    return;
  }
  PortInfo& seen = node(question.node).seen.ports[question.port];
  const Mkey mkey = seen.mkey;
  seen = *info;
  seen.mkey = mkey;
  ask_for_fdr10(question);
}

/// True if the failure is fully handled. `invalid`: the device does not support the modifier.
bool Discovery::on_no_extended_speeds(Question question, const std::string& what, bool invalid) {
  DiscoveredNode& about = node(question.node);
  if (invalid && !std::exchange(about.seen.refuses_extended_speeds, true))
    log::debug("{} {} to PortInfo with SMSupportExtendedSpeeds: read without it", describe(about),
               what);
  if (is_second_read(question)) {
    if (!invalid)
      warn(fmt::format("{} {} when asked for extended speeds: taken as without",
                       near_port(question), what));
    ask_for_fdr10(question);
    return true;
  }
  if (!invalid) return false;
  question.extended = false;
  questions_.push_back(question);
  return true;
}

void Discovery::ask_for_fdr10(const Question& question) {
  const ObservedNode& seen = node(question.node).seen;
  if (fdr10_ != nullptr && question.port != 0 &&
      fdr10_->is_worth_asking(seen.info, seen.ports[question.port]))
    ask(AttributeId::kMlnxExtendedPortInfo, question.node, question.port);
}

void Discovery::requery_switch(std::uint32_t index) {
  if (queried_[index]) return;
  queried_[index] = true;
  node(index).seen.asked[0] = false;
  const Guid agent = node(index).port_guids[0];
  answered_key_.try_emplace(agent, keys_.of(agent));
  ask(AttributeId::kPortInfo, index);  // port 0, and then the others as for a new switch
}

/// True if the link of the port is the same as before.
bool Discovery::is_as_before(const Question& question, const PortInfo& before) const {
  const DiscoveredNode& near = found_.nodes[question.node];
  return near.neighbors[question.port].known() && before.state == PortState::kActive &&
         near.seen.ports[question.port].state == PortState::kActive;
}

/// The neighbor of the port is gone, or may have changed.
void Discovery::forget_neighbor(const Question& question) {
  const Neighbor far = std::exchange(node(question.node).neighbors[question.port], {});
  if (!far.known()) return;
  DiscoveredNode& other = node(far.node);
  if (other.seen.info.type == NodeType::kSwitch) {
    if (queried_[far.node]) return;  // its own PortInfo is read
    other.neighbors[far.port] = {};
    // If the link is up, the neighbor is discovered again at once.
    if (!link_is_up(node(question.node).seen.ports[question.port]))
      in_doubt_.insert(other.seen.info.node_guid);
    return;
  }
  other.seen.asked[far.port] = false;
  other.seen.paths[far.port] = {};
  // The manager's own port is known without discovery.
  if (far.node == 0 && far.port == found_.own_port) ask(AttributeId::kPortInfo, far.node, far.port);
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
void Discovery::record_neighbor(std::uint32_t index, const NodeInfo& info,
                                const Question& question) {
  DiscoveredNode& met = node(index);
  const std::uint8_t port = info.local_port.value();
  if (info.type == NodeType::kSwitch || met.seen.paths[port].count > 0) return;
  if (index == 0 && found_.nodes.size() > 1 && port == found_.own_port) return;
  met.port_guids[port] = info.port_guid;
  met.seen.paths[port] = path_of(question);
  if (question.port != kOwnNode) {
    met.reached_from.resize(met.seen.ports.size());
    met.reached_from[port] = {question.node, question.port};
  }
  ask(AttributeId::kPortInfo, index, port);
}

void Discovery::on_node_info(const Question& question, const Smp& answer) {
  const bool own = question.port == kOwnNode;
  const auto info = decode_node_info(answer.data);
  if (!info || !is_sane(*info)) return on_bad(question, "answers with invalid NodeInfo", false);
  const DirectedPath path = path_of(question);
  const auto known = by_guid_.find(info->node_guid);
  const bool is_new = known == by_guid_.end();
  if (!is_new && !is_same_node(known->second, *info)) {
    warn(fmt::format("GUID 0x{:016x} is claimed by {} and by another node behind {}: left out",
                     info->node_guid.value(), describe(node(known->second)), near_port(question)));
    found_.shared_guids.push_back(found_.warnings.back());
    return;
  }
  const std::uint32_t index = is_new ? add_node(*info, path) : known->second;
  if (info->type == NodeType::kSwitch) requery_switch(index);
  const std::uint8_t port = info->local_port.value();
  if (own) found_.own_port = info->type == NodeType::kSwitch ? std::uint8_t{0} : port;
  if (keys_.in_use()) {
    const auto keys = keys_for(question);
    answered_key_.try_emplace(info->port_guid,
                              keys[std::min<std::size_t>(question.attempt, keys.size() - 1)]);
  }
  record_neighbor(index, *info, question);
  if (own) return;
  node(question.node).neighbors[question.port] = {index, port};
}

void Discovery::on_port_info(const Question& question, const Smp& answer) {
  const auto info = decode_port_info(answer.data);
  if (!info)
    return on_bad(question, fmt::format("answers with invalid data ({})", info.error().message),
                  false);
  if (is_agent_port(question) && !on_agent_port_info(question, *info)) return;
  ObservedNode& seen = node(question.node).seen;
  if (question.port == 0 && seen.info.type == NodeType::kSwitch && !seen.asked[0])
    ask(AttributeId::kSwitchInfo, question.node);
  const PortInfo before = std::exchange(seen.ports[question.port], *info);
  seen.asked[question.port] = true;
  if (!seen.extended.empty()) seen.extended[question.port] = {};
  if (may_hide_extended_speeds(question, *info))
    questions_.push_back({AttributeId::kPortInfo, question.node, question.port, false, 0, true});
  else
    ask_for_fdr10(question);
  // CAs do not forward: paths leave only the manager's own CA, and only by the manager's port.
  const bool leads_on = seen.info.type == NodeType::kSwitch
                            ? question.port != 0
                            : question.node == 0 && question.port == found_.own_port;
  if (!leads_on || is_as_before(question, before)) return;
  forget_neighbor(question);
  if (!link_is_up(*info)) return;
  if (seen.path().count >= kHopsMax)
    return warn(fmt::format("{} is {} hops away: nodes behind port {} cannot be reached",
                            describe(node(question.node)), seen.path().count, question.port));
  ask(AttributeId::kNodeInfo, question.node, question.port);
}

Result<Observed> Discovery::result() && {
  if (found_.nodes.empty())
    return fail(Code::kEnvironment, "the own port {}",
                own_failure_.empty() ? "was not read" : own_failure_);
  if (starts_known_) compute_paths(found_);
  return assemble(std::move(found_));
}

}  // namespace weft
