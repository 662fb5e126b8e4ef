// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/mastership.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/discovery/directed.h"

namespace weft {

std::uint8_t Mastership::own_priority() const {
  const SmOptions& options = sm_.options;
  if (sm_.handover_requested) return 0;
  return sm_.state == SmState::kMaster ? std::max(options.sm_priority, options.master_sm_priority)
                                       : options.sm_priority;
}

SmInfo Mastership::own_info(SmKey key) const {
  const std::uint8_t priority = stopping_ ? 0 : own_priority();  // prevents a HANDOVER back
  const SmState state = handover_acknowledged_ ? SmState::kStandby : sm_.state;
  return {own_guid_.value_or(Guid(0)), key, activity_count_, priority, state};
}

std::vector<KnownManager> Mastership::known_managers(const Fabric& fabric, EndportId self) const {
  std::vector<KnownManager> managers{{fabric.endport(self).lid, own_info(peers_.own_key())}};
  for (const OtherManager& other : managers_.all()) {
    if (other.silent) continue;
    const auto endport = fabric.find_endport(other.info.guid);
    if (endport) managers.push_back({fabric.endport(*endport).lid, other.info});
  }
  return managers;
}

Contender Mastership::own_contender() const {
  return {own_priority(), own_guid_.value_or(Guid(0)), sm_.memory.own_lid(), sm_.state};
}

void Mastership::send(const Smp& request, Stage stage) {
  transaction_ = std::make_unique<OneSmp>(request);
  stage_ = stage;
}

Mastership::Outcome Mastership::step(TimeNs deadline) {
  if (stage_ == Stage::kAwaitingHandover) return await_handover(deadline);
  const bool inquires = stage_ == Stage::kElection || stage_ == Stage::kRequery;
  SmpWork& work = inquires ? static_cast<SmpWork&>(*inquiry_) : *transaction_;
  return sm_.client.step(work, deadline) ? Outcome::kOngoing : finish();
}

Mastership::Outcome Mastership::finish() {
  switch (stage_) {
    case Stage::kReadingOwnGuid:
      return finish_reading_own_guid();
    case Stage::kElection:
      return finish_election();
    case Stage::kHandingOver:
      return finish_handover_request();
    case Stage::kPollingSuccessor:
      return finish_successor_poll();
    case Stage::kRequery:
      return finish_requery();
    case Stage::kPolling:
      return finish_poll();
    case Stage::kAcknowledging:
      return finish_acknowledgement();
    case Stage::kIdle:
    case Stage::kAwaitingHandover:
      return Outcome::kIdle;
  }
  return Outcome::kIdle;
}

bool Mastership::attend(TimeNs deadline) {
  if (!own_guid_ && sm_.now() >= own_guid_read_at_) {
    send(directed_request(Method::kGet, AttributeId::kNodeInfo, 0, {}), Stage::kReadingOwnGuid);
  } else if (sm_.state == SmState::kNotActive) {
    sm_.client.wait(deadline);
  } else if (sm_.state == SmState::kStandby && sm_.now() < standby_.next_poll()) {
    sm_.client.wait(std::min(deadline, standby_.next_poll()));
  } else if (sm_.state == SmState::kStandby) {
    send(standby_.begin_poll(), Stage::kPolling);
  } else if (pending_acknowledgement_) {
    Smp request = *std::exchange(pending_acknowledgement_, std::nullopt);
    request.data = encode(own_info(peers_.own_key()));
    send(request, Stage::kAcknowledging);
  } else {
    return false;
  }
  return true;
}

/// If the own port does not answer, the discovery reports the failure.
Mastership::Outcome Mastership::finish_reading_own_guid() {
  if (transaction_->answer())
    if (const auto info = decode_node_info(transaction_->answer()->data))
      own_guid_ = info->port_guid;
  transaction_.reset();
  stage_ = Stage::kIdle;
  own_guid_read_at_ = sm_.now() + kRetryAfter;
  if (!own_guid_) return Outcome::kIdle;
  // IsSM was set before, so SMInfo requests may have arrived already. They must be answered,
  // because not every manager retries: OpenSM on ibsim, which has no timeouts, waits without end.
  for (const Smp& request : std::exchange(early_, {})) on_request(request);
  return Outcome::kIdle;
}

// ---- Election

Mastership::Outcome Mastership::begin_election() {
  const Observed& observed = *sm_.memory.observed;
  const Guid guid =
      observed.fabric.port(observed.fabric.port_id(observed.self, observed.self_port)).guid;
  if (own_guid_ && *own_guid_ != guid) {
    // One of two answers of the own port was corrupted. Other managers ignore an SMInfo with a
    // wrong GUID.
    sm_.warn(fmt::format("the own port's GUID is 0x{:016x}, was 0x{:016x}: discovering again",
                         guid.value(), own_guid_->value()));
    own_guid_ = guid;
    return Outcome::kRediscover;
  }
  if (sm_.options.ignore_other_sm) return be_master();
  inquiry_ = std::make_unique<ManagerInquiry>(*sm_.memory.observed);
  stage_ = Stage::kElection;
  return Outcome::kOngoing;
}

/// Whether the manager takes part in the election. After a failed handover, the successor is
/// excluded for a time. A master hands over only to managers that send its SM_Key, and to a standby
/// only if `may_succeed` permits it; it ignores a master of lower rank that sent no HANDOVER. A
/// discovering manager also follows a manager that sends SM_Key 0.
bool Mastership::takes_part(const OtherManager& other) const {
  if (!peers_.exclusion(other).empty() || peers_.has_another_key(other.info)) return false;
  if (refuses(other.info.guid)) return false;
  if (sm_.state != SmState::kMaster) return true;
  if (!peers_.shows_key(other.info)) return false;
  if (other.info.state == SmState::kStandby && sm_.may_succeed &&
      outranks(contender(other), own_contender()) && !sm_.may_succeed(other.info.guid))
    return false;
  return !masters_without_handover_.contains(other.info.guid) ||
         outranks(contender(other), own_contender());
}

/// Reports a manager that does not take part in the election.
void Mastership::report_ignored(const OtherManager& other) {
  if (const std::string why = peers_.exclusion(other); !why.empty())
    return sm_.warn(fmt::format("the subnet manager at {} is ignored: {}", other.name, why));
  if (peers_.has_another_key(other.info))
    return sm_.warn(
        fmt::format("the subnet manager at {} has another SM_Key and is not trusted", other.name));
  const bool needs_handover =
      other.info.state == SmState::kMaster ||
      (other.info.state == SmState::kStandby && outranks(contender(other), own_contender()));
  if (!peers_.shows_key(other.info) && needs_handover)
    sm_.warn(
        fmt::format("the subnet manager at {} is {} with priority {} and sends no SM_Key: no "
                    "handover; allowed_sm_guids of both managers must have both ports",
                    other.name, name(other.info.state), other.info.priority));
}

Mastership::Outcome Mastership::finish_election() {
  const auto inquiry = std::move(inquiry_);
  stage_ = Stage::kIdle;
  for (const std::string& silent : inquiry->silent())
    log::info("no valid SMInfo from a port with IsSM: {}", silent);
  managers_.update(inquiry->found(), sm_.occurrences);
  std::vector<Contender> contenders;
  std::vector<OtherManager> others;  // by index of the contender
  for (const OtherManager& other : managers_.all()) {
    if (other.info.state != SmState::kMaster) masters_without_handover_.erase(other.info.guid);
    log::debug("subnet manager at {}: {}, priority {}", other.name, name(other.info.state),
               other.info.priority);
    if (takes_part(other)) {
      contenders.push_back(contender(other));
      others.push_back(other);
      continue;
    }
    report_ignored(other);
    const bool is_other_master = peers_.exclusion(other).empty() &&
                                 peers_.has_another_key(other.info) &&
                                 other.info.state == SmState::kMaster;
    if (!is_other_master || sm_.state == SmState::kMaster) continue;
    refusal_ = {Code::kEnvironment,
                fmt::format("{} is master with another SM_Key: refusing to become a second master",
                            other.name)};
    return Outcome::kRefused;
  }
  const ElectionResult result = elect(own_contender(), contenders);
  if (result.standing == Standing::kBeMaster) return be_master();
  return act_on_standing(result.standing, others[result.other]);
}

Mastership::Outcome Mastership::act_on_standing(Standing standing, const OtherManager& other) {
  if (standing == Standing::kFollow) {
    enter(*next_state(sm_.state, SmEvent::kHigherRank));
    sm_.report.error =
        fmt::format("standby: {} is {}", other.name,
                    other.info.state == SmState::kMaster ? "master" : "of higher rank");
    standby_.follow(other);
    return Outcome::kIdle;
  }
  if (standing == Standing::kHandOver) return begin_handover(other);
  sm_.memory.succeed_another_master();
  // The other manager may have read this port before IsSM was set.
  send_priority_trap(sm_, other);
  if (waits_ >= std::max(1u, sm_.options.polling_retry_number)) {
    log::error("{} is also master and sends no HANDOVER: staying master", other.name);
    masters_without_handover_.insert(other.info.guid);
    return be_master();
  }
  ++waits_;
  log::warn("{} is also master: waiting for its HANDOVER", other.name);
  until_ = sm_.now() + sm_.options.sminfo_polling_timeout;
  stage_ = Stage::kAwaitingHandover;
  return Outcome::kOngoing;
}

Mastership::Outcome Mastership::be_master() {
  waits_ = 0;
  enter(*next_state(sm_.state, SmEvent::kNoHigherRank));
  return Outcome::kMaster;
}

void Mastership::enter(SmState state) {
  const SmState before = sm_.state;
  sm_.state = state;
  if (state == before) return;
  log::info("Entering {} state", name(state));
  sm_.occurrences.add(StateEntered{before, state});
  successor_.reset();
  handover_acknowledged_ = false;
  standby_.forget_missed_polls();
  if (state == SmState::kStandby) sm_.memory.was_standby = true;
  if (state != SmState::kMaster) {
    sm_.schedule.lose_mastership();
    sm_.memory.proof.reset();
    sm_.memory.snapshot.reset();
    sm_.result = {};
    return;
  }
  sm_.handover_requested = false;
  sm_.memory.succeed_another_master();
  if (sm_.memory.routing_changed) sm_.memory.cache.forget_all();
  sm_.memory.routing_changed = false;
  sm_.schedule.doubtful_sets.settle(sm_.client.counts());
  if (sm_.memory.was_standby) sm_.memory.forget_files();
}

// ---- Standby

Mastership::Outcome Mastership::finish_poll() {
  stage_ = Stage::kIdle;
  const auto transaction = std::move(transaction_);
  const auto& polled = standby_.polled_manager();
  // The state may have changed during the poll.
  if (sm_.state != SmState::kStandby || !polled) return Outcome::kIdle;
  std::optional<SmInfo> info;
  if (transaction->answer())
    if (const auto decoded = decode_sm_info(transaction->answer()->data)) info = *decoded;
  if (info && (info->state == SmState::kMaster || info->state == SmState::kDiscovering)) {
    standby_.on_alive(*info);
    managers_.update(*info, sm_.occurrences);
    standby_.send_trap_if_due();
    return Outcome::kIdle;
  }
  if (!standby_.on_missed_poll(info ? fmt::format("found SMInfo state {}, expected MASTER or "
                                                  "DISCOVERING",
                                                  name(info->state))
                                    : transaction->failure()))
    return Outcome::kIdle;
  enter(*next_state(sm_.state, SmEvent::kMasterSilent));
  sm_.request_heavy_sweep(
      fmt::format("the master at {} does not answer polls, or is no longer master", polled->name));
  return Outcome::kIdle;
}

void Mastership::priority_changed() {
  sm_.handover_requested = false;
  refused_by_.reset();
  masters_without_handover_.clear();
  standby_.make_trap_due();
  if (sm_.state == SmState::kMaster) sm_.request_heavy_sweep("own priority changed");
  if (sm_.state == SmState::kStandby && standby_.polled_manager()) standby_.send_trap_if_due();
}

// ---- Master between heavy sweeps

void Mastership::requery_managers() {
  if (is_alone()) return;
  inquiry_ = std::make_unique<ManagerInquiry>(managers_.all());
  stage_ = Stage::kRequery;
}

void Mastership::query_manager(Guid port) {
  if (sm_.state != SmState::kMaster || sm_.options.ignore_other_sm || !sm_.memory.observed) return;
  std::vector<OtherManager> asked = managers_.all();
  if (std::ranges::find(asked, port, &OtherManager::port_guid) == asked.end())
    if (const auto endport = sm_.memory.observed->fabric.find_endport(port))
      if (auto other = manager_at(*sm_.memory.observed, *endport))
        asked.push_back(std::move(*other));
  if (asked.empty()) return;
  inquiry_ = std::make_unique<ManagerInquiry>(std::move(asked));
  stage_ = Stage::kRequery;
}

Mastership::Outcome Mastership::finish_requery() {
  if (stopping_ || sm_.handover_requested) return collect_successors();
  stage_ = Stage::kIdle;
  const auto managers = inquiry_->found();
  inquiry_.reset();
  managers_.update_silent(managers, sm_.occurrences);
  std::vector<Contender> contenders;
  for (const OtherManager& other : managers) {
    if (other.info.state != SmState::kMaster) masters_without_handover_.erase(other.info.guid);
    if (takes_part(other)) contenders.push_back(contender(other));
  }
  const ElectionResult result = elect(own_contender(), contenders);
  if (result.standing != Standing::kBeMaster)
    sm_.request_heavy_sweep("another subnet manager is master or has a higher rank");
  return Outcome::kIdle;
}

Mastership::Outcome Mastership::finish_acknowledgement() {
  if (!transaction_->answer())
    log::warn("ACKNOWLEDGE to {} failed: {}", predecessor_, transaction_->failure());
  transaction_.reset();
  stage_ = Stage::kIdle;
  return Outcome::kIdle;
}

}  // namespace weft
