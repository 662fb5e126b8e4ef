// Sends notices to those who have subscribed: each report again until it is acknowledged or given
// up, a few at a time to each subscriber, so that one who vanished delays nobody and costs little.
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
  std::size_t at_a_time = 16;      // reports under way to one subscription
  std::size_t waiting_max = 4096;  // behind those; what comes then is lost
  unsigned unheard_max = 16;       // reports in a row given up: the subscription ends
};

class Reporter {
 public:
  explicit Reporter(ReportOptions options = {}) : options_(options) {}

  /// Queues a notice for every subscription that wants it and whose holder may know. `view` is of
  /// the time when it happened.
  void tell(const News& news, const SaView& view, const Subscriptions& subscriptions);
  /// A ReportResp, from whom it was sent to.
  void on_response(const Gmp& gmp, Subscriptions& subscriptions);
  /// Sends what is due. LIDs are those of `view`: who is not there now is waited for in vain.
  void step(TimeNs now, const SaView& view, Subscriptions& subscriptions, const GmpSink& out);
  TimeNs next_event() const;

  struct Counts {
    std::uint64_t told = 0;  // reports, each subscriber's of its own
    std::uint64_t acknowledged = 0;
    std::uint64_t given_up = 0;
    std::uint64_t lost = 0;  // too many were waiting
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
  struct Line {  // of one subscription
    std::deque<Payload> waiting;
    std::size_t under_way = 0;
  };
  using Reports = std::map<std::uint64_t, Report>;
  std::uint64_t ids_of_a_report() const;
  Reports::iterator report_of(std::uint64_t transaction);
  void send(std::uint64_t first, Report& report, const Subscription& subscription, TimeNs now,
            const SaView& view, const GmpSink& out);
  void finish(Reports::iterator at);
  void send_again(TimeNs now, const SaView& view, Subscriptions& subscriptions, const GmpSink& out);

  const ReportOptions options_;
  std::map<Subscriptions::Id, Line> lines_;
  std::set<Subscriptions::Id> ready_;  // lines where something can be sent
  Reports under_way_;                  // by the transaction of the first try
  std::set<std::pair<TimeNs, std::uint64_t>> deadlines_;
  std::uint64_t next_transaction_ = 0;
  Counts counts_;
};

}  // namespace weft::sa
