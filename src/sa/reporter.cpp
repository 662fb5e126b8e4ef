// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/reporter.h"

#include <algorithm>
#include <bit>

#include "base/log.h"

namespace weft::sa {
namespace {

constexpr std::uint64_t kTransactionMask = 0xFFFFFFFF;  // umad sets the other bits

/// The port of the subscriber; if several plane ports have its GID, the port in the plane in which
/// it subscribed.
std::optional<EndportId> subscriber_port(const SaView& view, const Subscription& subscription) {
  return view.find(subscription.subscriber, view.fabric().endport_of(subscription.address.lid));
}

bool may_receive(const PendingNotice& pending, const SaView& view,
                 const Subscription& subscription) {
  if (is_about_security(pending.notice) && !subscription.trusted) return false;
  const auto holder = subscriber_port(view, subscription);
  if (!holder) return false;
  if (pending.pkey)
    return std::ranges::any_of(view.pkeys(*holder),
                               [&](Pkey held) { return match_pkeys(held, *pending.pkey); });
  return pending.about != kNoEndport && view.share_partition(*holder, pending.about);
}

}  // namespace

void Reporter::queue_notice(const PendingNotice& pending, const SaView& view,
                            const Subscriptions& subscriptions) {
  Payload payload;
  for (const auto& [id, subscription] : subscriptions.all()) {
    if (!matches_filter(subscription.info, pending.notice, pending.issuer) ||
        !may_receive(pending, view, subscription))
      continue;
    if (!payload) {
      auto bytes = std::make_shared<std::array<std::byte, 80>>();
      std::ranges::copy(encode(pending.notice), bytes->begin());
      std::ranges::copy(pending.issuer, bytes->begin() + kSmpDataSize);
      payload = std::move(bytes);
    }
    Queue& queue = queues_[id];
    if (queue.waiting.size() >= options_.waiting_max) {
      ++counts_.lost;
      continue;
    }
    queue.waiting.push_back(payload);
    if (queue.under_way < options_.at_a_time) ready_.insert(id);
  }
}

/// Number of consecutive transaction ids for a report, one for each try. A power of two, so that
/// the lower 32 bits, which are sent, do not overflow within a report.
std::uint64_t Reporter::ids_per_report() const {
  return std::bit_ceil(std::uint64_t{options_.retries} + 1);
}

Reporter::Reports::iterator Reporter::report_of(std::uint64_t transaction) {
  const auto at = under_way_.find(transaction & ~(ids_per_report() - 1));
  const bool sent = at != under_way_.end() && transaction - at->first <= at->second.tries;
  return sent ? at : under_way_.end();
}

void Reporter::on_response(const Gmp& gmp, Subscriptions& subscriptions) {
  const auto at = report_of(gmp.transaction_id & kTransactionMask);
  if (at == under_way_.end() || at->second.to != gmp.peer.lid) return;
  if (Subscription* subscription = subscriptions.find(at->second.subscription))
    subscription->unacknowledged = 0;
  ++counts_.acknowledged;
  finish(at);
}

/// Ends a report, acknowledged or not, so that the next report of its subscription can be sent.
void Reporter::finish(Reports::iterator at) {
  deadlines_.erase({at->second.deadline, at->first});
  if (const auto queue = queues_.find(at->second.subscription); queue != queues_.end()) {
    --queue->second.under_way;
    if (!queue->second.waiting.empty()) {
      ready_.insert(queue->first);
    } else if (queue->second.under_way == 0) {
      queues_.erase(queue);
    }
  }
  under_way_.erase(at);
}

void Reporter::send(std::uint64_t first, Report& report, const Subscription& subscription,
                    TimeNs now, const SaView& view, const GmpSink& out) {
  report.deadline = now + options_.timeout;
  deadlines_.emplace(report.deadline, first);
  const auto holder = subscriber_port(view, subscription);
  if (!holder) return;
  Gmp gmp;
  gmp.class_version = kSaClassVersion;
  gmp.method = Method::kReport;
  gmp.transaction_id = first + report.tries;
  gmp.attribute = static_cast<std::uint16_t>(SaAttribute::kNotice);
  gmp.peer = subscription.address;
  gmp.peer.lid = report.to = view.fabric().endport(*holder).lid;
  gmp.peer.port = view.snapshot().manager_port_towards(*holder);
  std::ranges::copy(*report.payload, sa_data(gmp).begin());
  out(gmp);
}

void Reporter::send_again(TimeNs now, const SaView& view, Subscriptions& subscriptions,
                          const GmpSink& out) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto at = under_way_.find(deadlines_.begin()->second);
    Subscription* subscription = subscriptions.find(at->second.subscription);
    if (subscription != nullptr && ++at->second.tries <= options_.retries) {
      deadlines_.erase(deadlines_.begin());
      send(at->first, at->second, *subscription, now, view, out);
      continue;
    }
    ++counts_.given_up;
    const Subscriptions::Id id = at->second.subscription;
    finish(at);
    if (subscription == nullptr || ++subscription->unacknowledged < options_.unacknowledged_max)
      continue;
    ++removed_;
    log_removal(*subscription, now);
    subscriptions.remove(id);
  }
}

/// Logs at most once a minute, because a port could subscribe repeatedly.
void Reporter::log_removal(const Subscription& subscription, TimeNs now) {
  constexpr TimeNs kInterval = std::chrono::minutes(1);
  if (removed_logged_ != 0 && now < next_log_) return;
  log::info(
      "SA: subscription of GUID {:#018x} removed: none of the last {} reports acknowledged; "
      "subscriptions removed since the last message: {}",
      guid_of(subscription.subscriber).value(), options_.unacknowledged_max,
      removed_ - removed_logged_);
  removed_logged_ = removed_;
  next_log_ = now + kInterval;
}

void Reporter::step(TimeNs now, const SaView& view, Subscriptions& subscriptions,
                    const GmpSink& out) {
  send_again(now, view, subscriptions, out);
  for (const Subscriptions::Id id : std::exchange(ready_, {})) {
    const auto queue = queues_.find(id);
    if (queue == queues_.end()) continue;
    const Subscription* subscription = subscriptions.find(id);
    if (subscription == nullptr) {
      queue->second.waiting.clear();
      if (queue->second.under_way == 0) queues_.erase(queue);
      continue;
    }
    while (!queue->second.waiting.empty() && queue->second.under_way < options_.at_a_time) {
      next_transaction_ = (next_transaction_ + ids_per_report()) & kTransactionMask;
      Report& report = under_way_[next_transaction_];
      report = {id, std::move(queue->second.waiting.front()), Lid(0), 0, now};
      queue->second.waiting.pop_front();
      ++queue->second.under_way;
      ++counts_.started;
      send(next_transaction_, report, *subscription, now, view, out);
    }
  }
}

TimeNs Reporter::next_event() const {
  if (!ready_.empty()) return TimeNs{0};
  return deadlines_.empty() ? TimeNs::max() : deadlines_.begin()->first;
}

}  // namespace weft::sa
