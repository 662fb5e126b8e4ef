// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/gmp_client.h"

#include <utility>

#include "base/log.h"

namespace weft {

std::uint32_t GmpClient::unused_id() {
  do {
    ++last_id_;  // 0 is not used
  } while (last_id_ == 0 || first_of_.contains(last_id_));
  return last_id_;
}

void GmpClient::send(Pending& pending) {
  const std::uint32_t id = unused_id();
  pending.ids.push_back(id);
  first_of_[id] = pending.ids.front();
  pending.request.transaction_id = id;
  pending.due = clock_.now() + options_.timeout;
  by_due_.emplace(pending.due, pending.ids.front());
  if (const auto sent = transport_.send(pending.request); !sent)
    log::debug(
        "request of class 0x{:02x}, attribute 0x{:04x}, to LID {}: {}: the try counts as lost",
        static_cast<unsigned>(pending.request.mgmt_class), pending.request.attribute,
        pending.request.peer.lid.value(), sent.error().message);
}

void GmpClient::forget(Pendings::iterator at) {
  by_due_.erase({at->second.due, at->first});
  for (const std::uint32_t id : at->second.ids) first_of_.erase(id);
  pending_.erase(at);
}

void GmpClient::send_request(std::uint64_t ticket, const Gmp& request) {
  Pending pending{ticket, request, options_.retries, {}};
  send(pending);
  const std::uint32_t first = pending.ids.front();
  pending_.emplace(first, std::move(pending));
}

void GmpClient::step() {
  while (auto gmp = transport_.receive()) {
    if (!is_response(gmp->method)) continue;
    const auto first = first_of_.find(static_cast<std::uint32_t>(gmp->transaction_id));
    if (first == first_of_.end()) continue;
    const auto found = pending_.find(first->second);
    if (gmp->attribute != found->second.request.attribute) continue;
    outcomes_.push_back({found->second.ticket, *gmp});
    forget(found);
  }
  while (!by_due_.empty() && by_due_.begin()->first <= clock_.now()) {
    const auto found = pending_.find(by_due_.begin()->second);
    if (found->second.retries_left > 0) {
      by_due_.erase(by_due_.begin());
      --found->second.retries_left;
      send(found->second);
      continue;
    }
    outcomes_.push_back({found->second.ticket, std::nullopt});
    forget(found);
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
  first_of_.clear();
  by_due_.clear();
  outcomes_.clear();
}

}  // namespace weft
