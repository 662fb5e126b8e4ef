// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwards notices to subscribers: each report is repeated until it is acknowledged or the retries
// are used up. The number of unacknowledged reports of a subscription is limited, so that an
// unreachable subscriber does not delay others; a subscription with too many unacknowledged reports
// is removed.
// Source: InfiniBand Architecture Specification, volume 1, chapter 13.4.9 (event forwarding).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "sa/rmpp.h"
#include "sa/subscriptions.h"

namespace weft::sa {

struct ReportOptions {
  TimeNs timeout = std::chrono::seconds(1);
  unsigned retries = 3;
  std::size_t at_a_time = 16;        // unacknowledged reports of one subscription
  std::size_t waiting_max = 4096;    // waiting notices of a subscription; further notices are lost
  unsigned unacknowledged_max = 16;  // consecutive unacknowledged reports that end a subscription
};

class Reporter {
 public:
  explicit Reporter(ReportOptions options = {}) : options_(options) {}

  /// Queues a notice for every subscription that matches it, if the subscriber may receive it.
  /// `view` is the subnet at the time of the event.
  void queue_notice(const PendingNotice& pending, const SaView& view,
                    const Subscriptions& subscriptions);
  /// Accepts a ReportResp from the receiver of a report.
  void on_response(const Gmp& gmp, Subscriptions& subscriptions);
  /// Sends new reports, repeats reports that were not acknowledged in time, and removes
  /// subscriptions with too many unacknowledged reports. `view` determines the LIDs of subscribers;
  /// a subscriber without a LID in `view` counts as not responding.
  void step(TimeNs now, const SaView& view, Subscriptions& subscriptions, const GmpSink& out);
  TimeNs next_event() const;

  struct Counts {
    std::uint64_t started = 0;  // reports taken from the queues of all subscriptions
    std::uint64_t acknowledged = 0;
    std::uint64_t given_up = 0;
    std::uint64_t lost = 0;  // notices dropped because the queue was full
  };
  const Counts& counts() const { return counts_; }
  std::size_t under_way() const { return under_way_.size(); }

 private:
  using Payload = std::shared_ptr<const std::array<std::byte, 80>>;  // Notice, and the issuer's GID
  struct Report {
    Subscriptions::Id subscription = 0;
    Payload payload;
    Lid to;
    unsigned tries = 0;
    TimeNs deadline{};
  };
  struct Queue {  // queue of one subscription
    std::deque<Payload> waiting;
    std::size_t under_way = 0;
  };
  using Reports = std::map<std::uint64_t, Report>;
  std::uint64_t ids_per_report() const;
  Reports::iterator report_of(std::uint64_t transaction);
  void send(std::uint64_t first, Report& report, const Subscription& subscription, TimeNs now,
            const SaView& view, const GmpSink& out);
  void finish(Reports::iterator at);
  void log_removal(const Subscription& subscription, TimeNs now);
  void send_again(TimeNs now, const SaView& view, Subscriptions& subscriptions, const GmpSink& out);

  const ReportOptions options_;
  std::map<Subscriptions::Id, Queue> queues_;
  std::set<Subscriptions::Id> ready_;  // subscriptions with a report that can be sent
  Reports under_way_;                  // by transaction id of the first try
  std::set<std::pair<TimeNs, std::uint64_t>> deadlines_;
  std::uint64_t next_transaction_ = 0;
  std::uint64_t removed_ = 0;         // subscriptions removed because reports were not acknowledged
  std::uint64_t removed_logged_ = 0;  // value of removed_ at the last message
  TimeNs next_log_{};
  Counts counts_;
};

}  // namespace weft::sa
