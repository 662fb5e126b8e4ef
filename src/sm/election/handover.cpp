// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handover to another manager: to a manager of higher rank, by request, or before the master stops.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/election/mastership.h"

namespace weft {
namespace {

/// One second, or the time of a request with all its retries if that is longer.
TimeNs acknowledge_timeout(const SmOptions& options) {
  return std::max<TimeNs>(std::chrono::seconds(1),
                          options.transaction_timeout * (options.transaction_retries + 1));
}

}  // namespace

bool Mastership::refuses(Guid guid) const {
  return refused_by_ == guid && sm_.now() < refused_until_;
}

Mastership::Outcome Mastership::begin_handover(const OtherManager& successor) {
  log::info("handing over to {}, priority {}", successor.name, successor.info.priority);
  successor_ = successor;
  Smp request = successor.request;
  request.method = Method::kSet;
  request.modifier = static_cast<std::uint32_t>(SmCommand::kHandover);
  request.data = encode(own_info(peers_.own_key()));
  send(request, Stage::kHandingOver);
  return Outcome::kOngoing;
}

Mastership::Outcome Mastership::finish_handover_request() {
  const auto transaction = std::move(transaction_);
  if (!successor_) {  // ACKNOWLEDGE arrived before the response
    stage_ = Stage::kIdle;
    return Outcome::kIdle;
  }
  if (!transaction->answer()) return handover_failed(transaction->failure());
  // In a handover by request or before a stop, this manager answers as STANDBY from now on: an
  // OpenSM that takes over and finds another master sweeps only after its next poll.
  handover_acknowledged_ = stopping_ || sm_.handover_requested;
  until_ = sm_.now() + acknowledge_timeout(sm_.options);
  next_successor_poll_ = sm_.now() + kSuccessorPollInterval;
  stage_ = Stage::kAwaitingHandover;
  return Outcome::kOngoing;
}

/// Waits for the ACKNOWLEDGE of a successor, or for the HANDOVER of another master. OpenSM 3.3
/// takes over without an ACKNOWLEDGE, so the successor is polled during this time.
Mastership::Outcome Mastership::await_handover(TimeNs deadline) {
  if (sm_.now() < until_) {
    if (successor_ && sm_.now() >= next_successor_poll_) {
      next_successor_poll_ = sm_.now() + kSuccessorPollInterval;
      send(successor_->request, Stage::kPollingSuccessor);
      return Outcome::kOngoing;
    }
    const TimeNs next = successor_ ? std::min(next_successor_poll_, until_) : until_;
    sm_.client.wait(std::min(deadline, next));
    return Outcome::kOngoing;
  }
  if (successor_)
    return handover_failed(fmt::format(
        "no ACKNOWLEDGE within {} ms",
        std::chrono::duration_cast<std::chrono::milliseconds>(acknowledge_timeout(sm_.options))
            .count()));
  stage_ = Stage::kIdle;
  return Outcome::kRediscover;
}

/// A successor in state MASTER counts as having acknowledged.
Mastership::Outcome Mastership::finish_successor_poll() {
  const auto transaction = std::move(transaction_);
  stage_ = successor_ ? Stage::kAwaitingHandover : Stage::kIdle;
  if (!successor_) return Outcome::kIdle;
  if (!transaction->answer()) return Outcome::kOngoing;
  const auto info = decode_sm_info(transaction->answer()->data);
  if (!info || info->state != SmState::kMaster) return Outcome::kOngoing;
  OtherManager successor = *successor_;
  successor.info = *info;
  enter(*next_state(sm_.state, SmEvent::kAcknowledge));
  stage_ = Stage::kIdle;
  standby_.follow(successor);
  return Outcome::kIdle;
}

/// A successor that does not acknowledge gets no HANDOVER until refused_until_.
Mastership::Outcome Mastership::handover_failed(const std::string& why) {
  log::error("handover to {} failed: {}", successor_->name, why);
  refused_by_ = successor_->info.guid;
  refused_until_ = sm_.now() + sm_.options.sminfo_polling_timeout *
                                   std::max(1u, sm_.options.polling_retry_number);
  successor_.reset();
  handover_acknowledged_ = false;
  if (stopping_ || sm_.handover_requested) return hand_over_to_next_successor();
  stage_ = Stage::kIdle;
  return Outcome::kRediscover;
}

// ---- Handover by request or before a stop

void Mastership::stop_after_handover() {
  successor_.reset();
  stopping_ = true;
  inquiry_ = std::make_unique<ManagerInquiry>(managers_.all());
  stage_ = Stage::kRequery;
}

void Mastership::stand_by_after_handover() {
  log::info("handing over by request");
  sm_.handover_requested = true;
  successor_.reset();
  inquiry_ = std::make_unique<ManagerInquiry>(managers_.all());
  stage_ = Stage::kRequery;
}

Mastership::Outcome Mastership::collect_successors() {
  successors_.clear();
  for (const OtherManager& other : inquiry_->found()) {
    if (!peers_.exclusion(other).empty() || !peers_.shows_key(other.info) ||
        other.info.state != SmState::kStandby)
      continue;
    // A manager of lower rank would hand over to this manager again.
    if (!stopping_ && !outranks(contender(other), own_contender()))
      log::error("no handover to {}: found sm_priority {}, expected at least 1", other.name,
                 other.info.priority);
    else
      successors_.push_back(other);
  }
  inquiry_.reset();
  std::ranges::sort(successors_, [](const OtherManager& a, const OtherManager& b) {
    return outranks(contender(b), contender(a));  // the highest rank is last
  });
  return hand_over_to_next_successor();
}

Mastership::Outcome Mastership::hand_over_to_next_successor() {
  if (successors_.empty()) {
    log::info("no standby takes over");
    stage_ = Stage::kIdle;
    sm_.handover_requested = false;
    return stopping_ ? Outcome::kNoSuccessor : Outcome::kIdle;
  }
  const OtherManager successor = successors_.back();
  successors_.pop_back();
  return begin_handover(successor);
}

}  // namespace weft
