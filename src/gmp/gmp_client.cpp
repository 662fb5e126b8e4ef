#include "gmp/gmp_client.h"

#include "base/log.h"

namespace weft {

void GmpClient::send(Pending& pending) {
  pending.due = clock_.now() + options_.timeout;
  by_due_.emplace(pending.due, static_cast<std::uint32_t>(pending.question.transaction_id));
  // What the transport refuses is lost as on the wire.
  if (const auto sent = transport_.send(pending.question); !sent)
    log::debug("a question of class 0x{:02x}: {}",
               static_cast<unsigned>(pending.question.mgmt_class), sent.error().message);
}

void GmpClient::ask(std::uint64_t ticket, const Gmp& question) {
  do {
    ++last_id_;  // 0 is never used
  } while (last_id_ == 0 || pending_.contains(last_id_));
  Pending& pending = pending_[last_id_];
  pending = {ticket, question, options_.retries, {}};
  pending.question.transaction_id = last_id_;
  send(pending);
}

void GmpClient::step() {
  while (auto gmp = transport_.receive()) {
    if (!is_response(gmp->method)) continue;
    const auto found = pending_.find(static_cast<std::uint32_t>(gmp->transaction_id));
    if (found == pending_.end()) continue;
    const Pending& pending = found->second;
    if (gmp->attribute != pending.question.attribute) continue;
    by_due_.erase({pending.due, found->first});
    outcomes_.push_back({pending.ticket, *gmp});
    pending_.erase(found);
  }
  while (!by_due_.empty() && by_due_.begin()->first <= clock_.now()) {
    const auto found = pending_.find(by_due_.begin()->second);
    by_due_.erase(by_due_.begin());
    if (found->second.retries_left > 0) {
      --found->second.retries_left;
      send(found->second);
      continue;
    }
    outcomes_.push_back({found->second.ticket, std::nullopt});
    pending_.erase(found);
  }
}

std::optional<GmpClient::Outcome> GmpClient::next() {
  if (outcomes_.empty()) return std::nullopt;
  const Outcome outcome = outcomes_.front();
  outcomes_.pop_front();
  return outcome;
}

TimeNs GmpClient::next_event() const {
  return by_due_.empty() ? TimeNs::max() : by_due_.begin()->first;
}

void GmpClient::forget_all() {
  pending_.clear();
  by_due_.clear();
  outcomes_.clear();
}

}  // namespace weft
