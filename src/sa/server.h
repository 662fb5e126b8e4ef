// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet administration as a state machine without sockets, threads or sleeping: it answers
// requests about the subnet that was published last.
//   SaServer sa(options, [&](const Gmp& gmp) { transport.send(gmp); });
//   sa.publish(snapshot);   while (..) { sa.on_gmp(gmp, now); sa.step(now); }
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "ib/gmp_transport.h"
#include "sa/limits/request_rate.h"
#include "sa/long_gets.h"
#include "sa/meter.h"
#include "sa/options.h"
#include "sa/query.h"
#include "sa/registrations.h"
#include "sa/reporter.h"
#include "sa/request_queue.h"
#include "sa/rmpp.h"
#include "sa/state.h"
#include "sa/view.h"
#include "sm/group_changes.h"

namespace weft {
namespace sa {
struct Attribute;
}

class SaServer {
 public:
  SaServer(SaOptions options, GmpSink out);
  SaServer(const SaServer&) = delete;
  SaServer& operator=(const SaServer&) = delete;

  /// Sets the subnet for all further answers; null: requests are not answered, because this manager
  /// is not master.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  /// As publish(), with a view of SaView::make_after(). Returns the previous view, so that the
  /// caller can free its memory on another thread.
  std::shared_ptr<const SaView> publish_view(std::shared_ptr<SaView> view);
  void set_options(SaOptions options);
  /// Sets a source of the time since 1970, on which leases in files and copies are based, for
  /// simulated time.
  void set_time_of_day(std::function<std::chrono::nanoseconds()> time_of_day) {
    time_of_day_ = std::move(time_of_day);
  }

  void on_gmp(const Gmp& gmp, TimeNs now);
  /// Queues the request for serve_waiting(); by any thread.
  void enqueue(const Gmp& gmp) { queue_.push(gmp); }
  /// Serves at most `count` queued requests, round-robin by port.
  void serve_waiting(std::size_t count, TimeNs now);
  std::size_t waiting() const { return queue_.size(); }
  /// Forwards a trap, which an agent sent to the manager, to subscribers.
  void on_trap(const Notice& notice);
  /// Restores the registrations of an earlier run, continues long Gets and answers of several
  /// segments, sends delayed answers and reports, and updates the meter.
  void step(TimeNs now);
  /// Time of the next step(), if no request arrives before.
  TimeNs next_event() const;

  /// The members of each multicast LID as registered by clients; for the subnet manager.
  std::vector<FiledGroup> multicast_groups() const {
    return options_.disable_multicast || !view_ ? std::vector<FiledGroup>{}
                                                : state_.groups.routed(*view_);
  }
  /// The alias GUIDs of ports; for the subnet manager.
  const AliasGuids& alias_guids() const { return state_.aliases.all(); }
  /// Changes of multicast_groups() since the last call, at most once in kGroupsInterval. The
  /// changes of many groups are returned in several calls, so that this work does not delay
  /// requests.
  std::optional<GroupChanges> take_multicast_groups(TimeNs now);
  /// All alias GUIDs if they changed since the last call.
  std::optional<AliasGuids> take_alias_guids();

  /// The current text of opensm-sa.dump; empty while nothing is published.
  std::string dump(TimeNs now) const;

  // Replication (docs/reference/replication.md)
  /// Sets the registrations of the previous master. These registrations replace those of this
  /// server when the first view after a time without a view is published, before any request is
  /// answered. Null: this server keeps its registrations.
  void inherit(std::shared_ptr<const sa::Saved> saved, TimeNs now);
  /// All registrations if they changed since the last call, at most once in kReplicaInterval or in
  /// kReplicaPause times the duration of the last copy, whichever is longer. Empty without a view,
  /// and unless set_replicated(true) was called.
  std::optional<sa::Registrations> take_registrations(TimeNs now);
  void set_replicated(bool replicated) { replicated_ = replicated; }
  /// With set_replicated(true), delays answers to requests that change registrations until
  /// confirm() is called for these registrations, but at most for this time; 0: no delay. At most
  /// kDelayedMax answers are delayed; further answers are sent at once.
  void hold_answers(TimeNs most) { hold_most_ = most; }
  /// Confirms that all standbys have the registrations of this version.
  void confirm(std::uint64_t version) { confirmed_ = std::max(confirmed_, version); }
  /// With set_replicated(true), the number of answers to requests that changed registrations, sent
  /// although the change was not confirmed.
  std::uint64_t unconfirmed() const { return unconfirmed_; }

  const sa::State::Counts& counts() const { return state_.counts; }
  const sa::Reporter::Counts& report_counts() const { return reporter_.counts(); }
  const sa::State& state() const { return state_; }
  /// Any thread may read the meter. The meter may outlive the server.
  std::shared_ptr<const sa::Meter> meter() const { return meter_; }
  std::size_t bytes_under_way() const { return sender_.bytes(); }
  std::size_t transfers_under_way() const { return sender_.under_way() + receiver_.under_way(); }
  const sa::LongGets& long_gets() const { return long_gets_; }

 private:
  static constexpr TimeNs kGroupsInterval = std::chrono::milliseconds(20);
  static constexpr std::size_t kGroupsPerCall = 16;  // groups returned by one call
  static constexpr TimeNs kReplicaInterval = std::chrono::milliseconds(10);
  static constexpr int kReplicaPause = 3;  // pause between copies, in durations of the last copy
  static constexpr TimeNs kReplicaTimeMax = std::chrono::seconds(1);  // limit of that duration
  static constexpr std::size_t kDelayedMax = 65536;

  void on_rmpp(const Gmp& gmp, const RmppHeader& header, TimeNs now);
  void on_request(const Gmp& gmp, std::span<const std::byte> record, TimeNs now);
  Lid port_of(Lid lid) const;
  EndportId admit(const Gmp& gmp, TimeNs now);
  bool is_trusted_with_key(EndportId requester) const;
  bool has_own_gid(const Gmp& gmp, EndportId requester) const;
  void ignore(const Gmp& gmp, EndportId requester, sa::Refusal why, TimeNs now);
  void answer(const Gmp& gmp, std::span<const std::byte> record, TimeNs now);
  void answer(const Gmp& gmp, const sa::Attribute& attribute, SaQuery& query);
  void finish_get(const Gmp& gmp, const sa::Attribute& attribute, SaAnswer& answer, TimeNs now);
  void begin_long_get(const Gmp& gmp, const sa::Attribute& attribute, SaQuery& query);
  void continue_long_gets();
  void count(const sa::LongGets::Get& get);
  void report_port_changes(const SaView& before);
  void drop_absent_ports();
  void report_pending_notices();
  void report_group_events();
  void apply_inherited();
  std::uint64_t registrations_version() const;
  std::uint64_t unix_now() const;
  void send_change(const Gmp& answer, TimeNs now);
  void release_answers(TimeNs now);
  void reply(const Gmp& request, std::uint16_t status);
  void reply(const Gmp& request, SaAnswer& answer, TimeNs now);
  void reply_in_parts(const Gmp& request, const sa::Attribute& attribute,
                      std::unique_ptr<RmppSource> source, TimeNs now);

  SaOptions options_;
  std::uint64_t options_version_ = 0;
  std::uint64_t ports_version_ = 0;     // version of the ports of the views
  std::uint64_t groups_taken_ = 0;      // version of the groups and options
  std::uint64_t all_groups_taken_ = 0;  // version of the data on which all groups depend
  TimeNs groups_due_{0};                // time before which take_multicast_groups() returns nothing
  std::uint64_t aliases_taken_ = 0;
  GmpSink out_;
  std::function<std::chrono::nanoseconds()> time_of_day_;
  std::shared_ptr<const sa::Saved> saved_;      // not restored yet
  std::shared_ptr<const sa::Saved> inherited_;  // not applied yet
  TimeNs inherited_at_{0};
  std::uint64_t inherited_at_unix_ = 0;
  bool replicated_ = false;
  std::uint64_t changes_ = 0;                 // requests that changed registrations, and new views
  std::uint64_t replica_taken_ = UINT64_MAX;  // version of the last copy
  TimeNs replica_due_{0};
  struct DelayedAnswer {
    Gmp answer;
    std::uint64_t version = 0;
    TimeNs until{0};
  };
  std::deque<DelayedAnswer> delayed_;  // ordered by version
  TimeNs hold_most_{0};
  std::uint64_t confirmed_ = 0;
  std::uint64_t unconfirmed_ = 0;
  std::shared_ptr<const SaView> view_;
  bool was_standby_ = false;        // another manager was master since the last view
  std::uint64_t generation_ = 0;    // generation of the view
  std::vector<std::byte> scratch_;  // memory of answers of one record
  std::shared_ptr<sa::Meter> meter_ = std::make_shared<sa::Meter>();
  std::size_t outcome_ = sa::Meter::kIgnored;  // outcome of the current request
  sa::State state_;
  sa::Reporter reporter_;
  sa::RequestRate rate_;
  sa::RequestQueue queue_;
  sa::LongGets long_gets_;
  RmppSender sender_;
  RmppReceiver receiver_;
};

/// Sends through a transport; MADs that the transport rejects are dropped and logged.
GmpSink send_by(GmpTransport& transport);

/// Number of requests served before newer requests are received.
inline constexpr std::size_t kServedAtOnce = 4;
inline constexpr std::size_t kServedPerCall = 256;
/// Receives waiting MADs, answers at most `requests` requests, then runs due steps; never
/// blocks.
void serve(SaServer& server, GmpTransport& transport, const Clock& clock,
           std::size_t requests = kServedPerCall);

}  // namespace weft
