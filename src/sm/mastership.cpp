// Mastership: the election after each discovery and before any Set, handover, takeover, and polling
// as standby. The state machine is in election.h.
#include "sm/mastership.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/log.h"
#include "ib/notice.h"
#include "sm/discovery/directed.h"
#include "sm/subnet_manager.h"
#include "sm/traps/responder.h"

namespace weft {

SmState SubnetManager::state() const { return stopped() ? SmState::kNotActive : role_.state; }

/// With the SM_Key, as in OpenSM, which ignores managers that do not send it: both would become
/// master.
SmInfo SubnetManager::own_info() const {
  const std::uint8_t priority =
      resigning_ ? 0 : options_.sm_priority;  // prevents a HANDOVER back to us
  const SmState state = handover_acknowledged_ ? SmState::kStandby : role_.state;
  return {role_.own_guid.value_or(Guid(0)), SmKey(options_.sm_key), activity_count_, priority,
          state};
}

std::vector<KnownManager> SubnetManager::known_managers() const {
  std::vector<KnownManager> managers{
      {desired_->fabric.endport(observed_->self_endport).lid, own_info()}};
  for (const OtherManager& other : role_.others) {
    if (other.silent) continue;
    const auto endport = desired_->fabric.find_endport(other.info.guid);
    if (endport) managers.push_back({desired_->fabric.endport(*endport).lid, other.info});
  }
  return managers;
}

Contender SubnetManager::own_contender() const {
  return {options_.sm_priority, role_.own_guid.value_or(Guid(0)), own_lid(), role_.state};
}

Lid SubnetManager::own_lid() const {
  if (!observed_) return kLidNone;
  return observed_->nodes[observed_->self.value()].ports[observed_->self_port.value()].lid;
}

/// One second, or the time of a request with all its retries, whichever is longer.
TimeNs SubnetManager::patience() const {
  return std::max<TimeNs>(std::chrono::seconds(1),
                          options_.transaction_timeout * (options_.transaction_retries + 1));
}

// ---- Own port

void SubnetManager::begin_introduction() {
  role_.talk = std::make_unique<OneSmp>(
      directed_request(Method::kGet, AttributeId::kNodeInfo, 0, {}, Mkey(0)));
  stage_ = Stage::kIntroduction;
}

/// If the own port does not answer, discovery reports it.
void SubnetManager::finish_introduction() {
  if (role_.talk->answer())
    if (const auto info = decode_node_info(role_.talk->answer()->data))
      role_.own_guid = info->port_guid;
  role_.talk.reset();
  stage_ = Stage::kWatching;
  role_.introduce_at = clock_.now() + kRetryAfter;
  if (!role_.own_guid) return;
  // IsSM was set before, so SMInfo requests may have arrived already. They need an answer, since
  // not every manager retries: OpenSM on ibsim, which has no timeouts, waits without end.
  for (const Smp& request : std::exchange(role_.early, {})) on_sm_request(request);
}

// ---- Election

void SubnetManager::query_managers() {
  if (options_.ignore_other_sm) return become_master();
  role_.inquiry = std::make_unique<ManagerInquiry>(*observed_, Mkey(0));
  stage_ = Stage::kQueryingManagers;
}

/// A manager with another SM_Key, not hidden as 0, is not trusted and gets no HANDOVER. One that is
/// master already is handled separately.
void SubnetManager::store_managers() {
  for (const std::string& silent : role_.inquiry->silent())
    log::info("no subnet manager answers at {}", silent);
  notice_managers(role_.inquiry->found());
  role_.inquiry.reset();
}

/// Reports managers that appeared, disappeared or changed; `now` becomes the current list.
void SubnetManager::notice_managers(std::vector<OtherManager> now) {
  using What = ManagerNoticed::What;
  const auto report = [&](What what, const OtherManager& other) {
    constexpr std::array<std::string_view, 3> kWords{"another subnet manager", "does not answer",
                                                     "the other subnet manager"};
    const auto how = static_cast<std::size_t>(what);
    const std::string manager = fmt::format("{}, port GUID 0x{:016x}, LID {}, priority {}, {}",
                                            other.name, other.info.guid.value(), other.lid.value(),
                                            other.info.priority, name(other.info.state));
    if (what == What::kGone) {
      log::info("the subnet manager at {} {}", manager, kWords[how]);
    } else {
      log::info("{}: {}", kWords[how], manager);
    }
    occurrences_.add(ManagerNoticed{what, other.node, other.description, other.port, other.lid,
                                    other.info.priority, other.info.state});
  };
  const auto same = [](const OtherManager& a, const OtherManager& b) {
    return a.info.guid == b.info.guid;
  };
  for (const OtherManager& other : now) {
    if (other.silent) continue;
    const auto before = std::ranges::find_if(
        role_.others, [&](const OtherManager& old) { return !old.silent && same(old, other); });
    if (before == role_.others.end()) {
      report(What::kAppeared, other);
    } else if (before->info.state != other.info.state || before->lid != other.lid ||
               before->info.priority != other.info.priority || before->node != other.node) {
      report(What::kChanged, other);
    }
  }
  for (const OtherManager& old : role_.others)
    if (!old.silent && std::ranges::none_of(now, [&](const OtherManager& other) {
          return !other.silent && same(old, other);
        }))
      report(What::kGone, old);
  role_.others = std::move(now);
}

bool SubnetManager::is_trusted(const SmInfo& info) const {
  return info.key == SmKey(0) || info.key == SmKey(options_.sm_key);
}

void SubnetManager::finish_manager_query() {
  store_managers();
  std::vector<Contender> contenders;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < role_.others.size(); ++i) {
    const OtherManager& other = role_.others[i];
    log::debug("subnet manager at {}: {}, priority {}", other.name, name(other.info.state),
               other.info.priority);
    if (is_trusted(other.info)) {
      if (refuses(other.info.guid)) continue;
      contenders.push_back(contender(other));
      index.push_back(i);
      continue;
    }
    warn(fmt::format("the subnet manager at {} has another SM_Key and is not trusted", other.name));
    if (other.info.state == SmState::kMaster && role_.state != SmState::kMaster)
      return abandon_sweep(
          {Code::kEnvironment,
           fmt::format("{} is master with another SM_Key: refusing to become a second master",
                       other.name)});
  }
  const ElectionResult result = elect(own_contender(), contenders);
  if (result.standing == Standing::kLead) return become_master();
  act_on_standing(result.standing, role_.others[index[result.other]]);
}

void SubnetManager::act_on_standing(Standing standing, const OtherManager& other) {
  if (standing == Standing::kFollow) {
    enter(*next_state(role_.state, SmEvent::kHigherRank));
    report_.error = fmt::format("standby: {} is {}", other.name,
                                other.info.state == SmState::kMaster ? "master" : "of higher rank");
    stage_ = Stage::kWatching;
    return follow(other);
  }
  if (standing == Standing::kHandOver) return begin_handover(other);
  succeed_another_master();
  send_priority_trap(other);  // it may have discovered the fabric before IsSM was set
  if (role_.waits >= std::max(1u, options_.polling_retry_number)) {
    log::error("{} is also master and sends no HANDOVER: staying master", other.name);
    return become_master();
  }
  ++role_.waits;
  log::warn("{} is also master: waiting for its HANDOVER", other.name);
  role_.until = clock_.now() + options_.sminfo_polling_timeout;
  stage_ = Stage::kAwaitingHandover;
}

bool SubnetManager::refuses(Guid guid) const {
  return role_.refused_by == guid && clock_.now() < role_.refused_until;
}

/// Work of a master after the election: reading and programming tables.
void SubnetManager::become_master() {
  role_.waits = 0;
  enter(*next_state(role_.state, SmEvent::kNoHigherRank));
  if (clears_changes_) return read_tables();
  role_.clearing = std::make_unique<ChangeClearing>(*observed_, Mkey(0));
  stage_ = Stage::kClearing;
}

void SubnetManager::finish_clearing() {
  const std::string change = role_.clearing->change();
  for (const std::string& warning : role_.clearing->warnings()) warn(warning);
  role_.clearing.reset();
  if (change.empty()) return read_tables();
  log::info("{} after discovery: discovering again", change);
  ++report_.restarts;
  begin_discovery();
}

void SubnetManager::enter(SmState state) {
  const SmState before = role_.state;
  role_.state = state;
  if (state == before) return;
  log::info("Entering {} state", name(state));
  occurrences_.add(StateEntered{before, state});
  role_.successor.reset();
  role_.polls_missed = 0;
  if (state == SmState::kStandby) role_.was_standby = true;
  if (state != SmState::kMaster) return lose_mastership();
  succeed_another_master();
  if (routing_changed_) cache_.forget_all();
  routing_changed_ = false;
  doubts_settled_ = client_.counts().doubtful_sets();
  if (role_.was_standby) lids_.reset();
}

/// Another manager was master until now, perhaps at the same time, and may have changed any table.
void SubnetManager::succeed_another_master() {
  first_as_master_ = true;
  held_.forget_all();
  reregistrations_.require_all();
  link_changes_.forget_all();
}

void SubnetManager::lose_mastership() {
  heavy_reason_.reset();
  heavy_in_time_.reset();
  retry_at_ = TimeNs::max();
  snapshot_.reset();
}

// ---- Standby

void SubnetManager::follow(const OtherManager& leader) {
  const bool another = !role_.leader || role_.leader->info.guid != leader.info.guid;
  role_.leader = leader;
  role_.polls_missed = 0;
  if (another) hint_from_now_on();
  role_.next_poll = clock_.now() + options_.sminfo_polling_timeout;
  log::info("standby: {} with priority {} is {}", leader.name, leader.info.priority,
            leader.info.state == SmState::kMaster ? "master" : "of higher rank");
  hint();
}

void SubnetManager::stand_by(TimeNs deadline) {
  if (clock_.now() < role_.next_poll) return client_.wait(std::min(deadline, role_.next_poll));
  role_.next_poll = clock_.now() + options_.sminfo_polling_timeout;
  role_.talk = std::make_unique<OneSmp>(role_.leader->request);
  stage_ = Stage::kPolling;
}

/// The master counts as alive if it answers as master or discovering.
void SubnetManager::finish_poll() {
  stage_ = Stage::kWatching;
  const auto talk = std::move(role_.talk);
  if (role_.state != SmState::kStandby || !role_.leader) return;  // the state changed meanwhile
  std::optional<SmInfo> info;
  if (talk->answer())
    if (const auto decoded = decode_sm_info(talk->answer()->data)) info = *decoded;
  if (info && (info->state == SmState::kMaster || info->state == SmState::kDiscovering)) {
    role_.leader->info = *info;
    role_.polls_missed = 0;
    std::vector<OtherManager> now = role_.others;
    for (OtherManager& other : now)
      if (other.info.guid == info->guid) other.info = *info;
    notice_managers(std::move(now));
    return hint();
  }
  ++role_.polls_missed;
  log::debug("poll {} of {} failed: {}", role_.polls_missed, role_.leader->name,
             info ? name(info->state) : talk->failure());
  if (role_.polls_missed < options_.polling_retry_number) return;
  enter(*next_state(role_.state, SmEvent::kMasterSilent));
  request_heavy_sweep(fmt::format("the master at {} does not answer", role_.leader->name));
}

void SubnetManager::hint_from_now_on() {
  role_.next_hint = clock_.now();
  role_.hint_pause = options_.sminfo_polling_timeout;
}

/// A master of lower priority gets trap 144 repeatedly, at growing intervals: it may ignore one
/// during its sweep. Not at equal priority: there an OpenSM stays master regardless of GUIDs.
void SubnetManager::hint() {
  const OtherManager& leader = *role_.leader;
  if (leader.info.state != SmState::kMaster || clock_.now() < role_.next_hint) return;
  if (leader.info.priority >= options_.sm_priority || !send_priority_trap(leader)) return;
  role_.next_hint = clock_.now() + role_.hint_pause;
  role_.hint_pause = std::min<TimeNs>(role_.hint_pause * 2, kHintPauseMax);
}

/// Sends trap 144 (priority change), since a master may query for managers only on an event. False
/// if either has no LID yet.
bool SubnetManager::send_priority_trap(const OtherManager& master) {
  if (own_lid() == kLidNone || master.lid == kLidNone) return false;
  const NodeType type = observed_->nodes[observed_->self.value()].info.type;
  const auto sent = client_.send(priority_trap(own_lid(), master.lid, type));
  if (!sent) log::warn("trap 144 to LID {}: {}", master.lid.value(), sent.error().message);
  return true;
}

void SubnetManager::priority_changed() {
  role_.refused_by.reset();
  hint_from_now_on();
  if (role_.state == SmState::kMaster) request_heavy_sweep("own priority changed");
  if (role_.state == SmState::kStandby && role_.leader) hint();
}

// ---- Handover

void SubnetManager::begin_handover(const OtherManager& successor) {
  log::info("handing over to {}, priority {}", successor.name, successor.info.priority);
  role_.successor = successor;
  Smp request = successor.request;
  request.method = Method::kSet;
  request.modifier = static_cast<std::uint32_t>(SmCommand::kHandover);
  request.data = encode(own_info());
  role_.talk = std::make_unique<OneSmp>(request);
  stage_ = Stage::kHandingOver;
}

void SubnetManager::finish_handover_request() {
  const auto talk = std::move(role_.talk);
  if (!role_.successor) {  // ACKNOWLEDGE arrived before the response
    stage_ = Stage::kWatching;
    return;
  }
  if (!talk->answer()) return handover_failed(talk->failure());
  // An OpenSM that finds another master waits until its next poll before it sweeps.
  handover_acknowledged_ = resigning_;
  role_.until = clock_.now() + patience();
  role_.next_successor_poll = clock_.now() + kLookInterval;
  stage_ = Stage::kAwaitingHandover;
}

/// OpenSM 3.3 takes over without an ACKNOWLEDGE: a successor in state MASTER counts as
/// acknowledged.
void SubnetManager::begin_successor_poll() {
  role_.next_successor_poll = clock_.now() + kLookInterval;
  role_.talk = std::make_unique<OneSmp>(role_.successor->request);
  stage_ = Stage::kPollingSuccessor;
}

void SubnetManager::finish_successor_poll() {
  const auto talk = std::move(role_.talk);
  stage_ = role_.successor ? Stage::kAwaitingHandover : Stage::kWatching;
  if (!role_.successor || !talk->answer()) return;
  const auto info = decode_sm_info(talk->answer()->data);
  if (!info || info->state != SmState::kMaster) return;
  OtherManager successor = *role_.successor;
  successor.info = *info;
  enter(*next_state(role_.state, SmEvent::kAcknowledge));
  stage_ = Stage::kWatching;
  follow(successor);
}

/// A successor that does not acknowledge gets no HANDOVER for a while.
void SubnetManager::handover_failed(const std::string& why) {
  log::error("handover to {} failed: {}", role_.successor->name, why);
  role_.refused_by = role_.successor->info.guid;
  role_.refused_until =
      clock_.now() + options_.sminfo_polling_timeout * std::max(1u, options_.polling_retry_number);
  role_.successor.reset();
  handover_acknowledged_ = false;
  if (resigning_) return hand_over_to_next_successor();
  begin_discovery();
}

/// Waits for the ACKNOWLEDGE of a successor, or for the HANDOVER of another master.
void SubnetManager::await_handover(TimeNs deadline) {
  if (clock_.now() < role_.until) {
    if (role_.successor && clock_.now() >= role_.next_successor_poll) return begin_successor_poll();
    const TimeNs next =
        role_.successor ? std::min(role_.next_successor_poll, role_.until) : role_.until;
    return client_.wait(std::min(deadline, next));
  }
  if (role_.successor) return handover_failed("no acknowledgement");
  begin_discovery();
}

// ---- Takeover

void SubnetManager::begin_acknowledgement() {
  Smp request = *role_.owed;
  role_.owed.reset();
  request.data = encode(own_info());
  role_.talk = std::make_unique<OneSmp>(request);
  stage_ = Stage::kAcknowledging;
}

void SubnetManager::finish_acknowledgement() {
  if (!role_.talk->answer())
    log::warn("ACKNOWLEDGE to {} failed: {}", role_.predecessor, role_.talk->failure());
  role_.talk.reset();
  stage_ = Stage::kWatching;
}

/// LIDs held by ports come from the previous master and take precedence; our file is older, and
/// applies to ports without a LID. -x reverses that.
void SubnetManager::adopt_lids() {
  if (!role_.was_standby) return;
  if (options_.honor_guid2lid_file || options_.reassign_lids) return;
  std::set<Guid> adopted;
  const Fabric& fabric = observed_->fabric;
  for (const Endport& endport : fabric.endports()) {
    const Guid guid = fabric.port(endport.port).guid;
    if (endport.lid != kLidNone && adopted.insert(guid).second)
      (*lids_)[guid] = {endport.lid, endport.lmc};
  }
}

// ---- Requests of other managers

void SubnetManager::on_sm_request(const Smp& request) {
  if (!role_.own_guid) {
    if (role_.early.size() < kEarlyMax) role_.early.push_back(request);
    return;
  }
  ++activity_count_;
  Smp answer = answer_to(request, Method::kGetResp);
  if (request.attribute != AttributeId::kSmInfo) {
    answer.status = mad_status::kMethodAttributeUnsupported;
  } else if (request.method == Method::kSet) {
    if (const Status done = on_sm_command(request); !done) {
      log::warn("SMInfo command {} refused: {}", request.modifier, done.error().message);
      answer.status = mad_status::kInvalidField;
    }
  }
  if (request.attribute == AttributeId::kSmInfo) answer.data = encode(own_info());
  const auto sent = client_.send(answer);
  if (!sent) log::warn("answer to LID {}: {}", request.slid.value(), sent.error().message);
}

Status SubnetManager::on_sm_command(const Smp& request) {
  const auto sender = decode_sm_info(request.data);
  if (!sender) return fail(sender.error().code, "{}", sender.error().message);
  if (sender->key != SmKey(options_.sm_key))
    return fail(Code::kBadInput, "0x{:016x} has another SM_Key", sender->guid.value());
  const auto event = event_of(request.modifier);
  if (!event) return fail(Code::kBadInput, "unknown command");
  const bool acknowledges = *event == SmEvent::kAcknowledge;
  if (!acknowledges && sender->state != SmState::kMaster)
    return fail(Code::kBadInput, "0x{:016x} sends commands as {}, expected MASTER",
                sender->guid.value(), name(sender->state));
  const auto next = next_state(role_.state, *event);
  // OpenSM hands over also to DISCOVERING managers, and becomes standby whatever the answer.
  if (*event == SmEvent::kHandover && role_.state == SmState::kDiscovering)
    role_.was_standby = true;
  if (!next)
    return fail(Code::kBadInput, "0x{:016x}: invalid in state {}", sender->guid.value(),
                name(role_.state));
  if (acknowledges && role_.state == SmState::kMaster &&
      (!role_.successor || role_.successor->info.guid != sender->guid))
    return fail(Code::kBadInput, "0x{:016x} acknowledges without a HANDOVER", sender->guid.value());
  carry_out(*event, *next, request, *sender);
  return {};
}

void SubnetManager::carry_out(SmEvent event, SmState next, const Smp& request,
                              const SmInfo& sender) {
  const std::string sender_guid = fmt::format("0x{:016x}", sender.guid.value());
  const bool idle = stage_ == Stage::kAwaitingHandover;
  const auto successor = role_.successor;
  const bool was_master = role_.state == SmState::kMaster;
  log::info("SMInfo command {} from {}", request.modifier, sender_guid);
  enter(next);
  if (idle) stage_ = Stage::kWatching;
  switch (event) {
    case SmEvent::kHandover:
      if (was_master) succeed_another_master();
      role_.owed = back_to_sender(request, Method::kSet, AttributeId::kSmInfo,
                                  static_cast<std::uint32_t>(SmCommand::kAcknowledge));
      role_.predecessor = sender_guid;
      role_.waits = 0;
      role_.successor.reset();
      return request_heavy_sweep("HANDOVER from " + sender_guid);
    case SmEvent::kAcknowledge:
      if (!was_master) return;
      return follow({successor->name, successor->request, successor->lid, sender});
    case SmEvent::kDiscover:
      return request_heavy_sweep("DISCOVER from " + sender_guid);
    case SmEvent::kStandby:
      return follow({sender_guid, back_to_sender(request, Method::kGet, AttributeId::kSmInfo, 0),
                     request.slid, sender});
    default:
      return;
  }
}

void SubnetManager::finish_talk() {
  switch (stage_) {
    case Stage::kIntroduction:
      return finish_introduction();
    case Stage::kPolling:
      return finish_poll();
    case Stage::kHandingOver:
      return finish_handover_request();
    case Stage::kPollingSuccessor:
      return finish_successor_poll();
    case Stage::kDisablingPort:
      return finish_disabling_port();
    default:
      return finish_acknowledgement();
  }
}

// ---- Master between heavy sweeps

/// Other managers may have become master or changed their priority without a trap.
void SubnetManager::requery_managers() {
  if (options_.ignore_other_sm || role_.others.empty()) return;
  role_.inquiry = std::make_unique<ManagerInquiry>(role_.others);
  stage_ = Stage::kRequeryingManagers;
}

void SubnetManager::finish_manager_requery() {
  if (resigning_) return collect_successors();
  stage_ = Stage::kWatching;
  const auto managers = role_.inquiry->found();
  role_.inquiry.reset();
  std::vector<OtherManager> now = role_.others;  // silent ones are queried again
  for (OtherManager& other : now) {
    const auto answer = std::ranges::find(managers, other.name, &OtherManager::name);
    other.silent = answer == managers.end();
    if (!other.silent) other.info = answer->info;
  }
  notice_managers(std::move(now));
  std::vector<Contender> contenders;
  for (const OtherManager& other : managers)
    if (is_trusted(other.info) && !refuses(other.info.guid)) contenders.push_back(contender(other));
  const ElectionResult result = elect(own_contender(), contenders);
  if (result.standing != Standing::kLead)
    request_heavy_sweep("another subnet manager is master or has a higher rank");
}

}  // namespace weft
