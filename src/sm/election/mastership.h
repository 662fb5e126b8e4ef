// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mastership: the election after each discovery and before any Set, handover, takeover, and polling
// as standby. The state machine of SMInfo is in election.h; this class generates its events, sends
// the SMPs, and tells the SubnetManager by an Outcome how its sweep goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "sm/context.h"
#include "sm/discovery/one_smp.h"
#include "sm/election/election.h"
#include "sm/election/manager_list.h"
#include "sm/election/other_managers.h"
#include "sm/election/peers.h"
#include "sm/election/standby.h"

namespace weft {

class Mastership {
 public:
  /// `sm` must outlive this.
  explicit Mastership(SmContext& sm) : sm_(sm), standby_(sm), peers_(sm, managers_, standby_) {}

  enum class Outcome : std::uint8_t {
    kOngoing,      // step it again
    kIdle,         // nothing in progress; a sweep that waited for the election ends
    kLead,         // this manager is master: the sweep continues
    kRefused,      // refusal() tells why the sweep fails
    kRediscover,   // a handover failed, or the own GUID was read wrong: the sweep begins again
    kNoSuccessor,  // resigned, but no standby takes over
  };
  /// Work is in progress: step() it.
  bool is_busy() const { return stage_ != Stage::kIdle; }
  Outcome step(TimeNs deadline);
  /// Drops work in progress.
  void cancel() { stage_ = Stage::kIdle; }

  /// Between sweeps: what mastership requires. False if there is nothing, and the manager may
  /// sweep; otherwise this begins some work, or waits until the deadline.
  bool attend(TimeNs deadline);
  /// The election after a discovery.
  Outcome begin_election();
  const Error& refusal() const { return refusal_; }
  /// Other managers may have become master or changed their priority without a trap.
  void requery_managers();
  /// A SubnGet or SubnSet of another manager.
  void on_request(const Smp& request);
  void priority_changed();

  /// True if a resigning manager has no other manager to hand over to.
  bool is_alone() const { return sm_.options.ignore_other_sm || managers_.empty(); }
  /// Hands over to the best standby. All managers are queried first.
  void resign();
  bool is_resigning() const { return resigning_; }
  /// The same, but this manager continues as standby, with priority 0 until it is master again or
  /// its priority is set. It stays master if no standby ranks above that or acknowledges.
  void yield();

  /// GUID of the manager's port, once it is known.
  const std::optional<Guid>& own_guid() const { return own_guid_; }
  const std::vector<OtherManager>& others() const { return managers_.all(); }
  const Standby& standby() const { return standby_; }
  void query_leader() { standby_.query_leader(); }
  /// This one first, with their LIDs in `fabric`.
  std::vector<KnownManager> known_managers(const Fabric& fabric, EndportId self) const;
  /// An ACKNOWLEDGE is still to be sent.
  bool owes_acknowledgement() const { return owed_.has_value(); }

 private:
  enum class Stage : std::uint8_t {
    kIdle,
    kIntroduction,
    kElection,
    kHandingOver,
    kPollingSuccessor,
    kAwaitingHandover,  // also of another manager to us
    kRequery,
    kPolling,
    kAcknowledging,
  };
  static constexpr std::size_t kEarlyMax = 64;
  static constexpr TimeNs kSuccessorPollInterval = std::chrono::milliseconds(100);

  /// sm_priority; of a master, master_sm_priority if that is higher. 0 after a handover by request.
  std::uint8_t own_priority() const;
  SmInfo own_info(SmKey key) const;
  Contender own_contender() const;
  bool takes_part(const OtherManager& other) const;
  void report_ignored(const OtherManager& other);
  void send(const Smp& request, Stage stage);
  Outcome finish();
  Outcome finish_introduction();
  Outcome finish_election();
  Outcome act_on_standing(Standing standing, const OtherManager& other);
  Outcome lead();
  void enter(SmState state);
  Outcome finish_poll();
  Outcome finish_acknowledgement();
  Outcome finish_requery();

  // handover.cpp
  bool refuses(Guid guid) const;
  Outcome begin_handover(const OtherManager& successor);
  Outcome finish_handover_request();
  Outcome finish_successor_poll();
  Outcome handover_failed(const std::string& why);
  Outcome await_handover(TimeNs deadline);
  Outcome collect_successors();
  Outcome hand_over_to_next_successor();

  // commands.cpp
  Status on_command(const Smp& request);
  void carry_out(SmEvent event, SmState next, const Smp& request, const SmInfo& sender);

  SmContext& sm_;
  Stage stage_ = Stage::kIdle;
  ManagerList managers_;
  Standby standby_;
  const Peers peers_;
  TokenBucket refusals_logged_{20, std::chrono::seconds(60)};  // of commands
  Error refusal_;
  std::optional<Guid> own_guid_;
  TimeNs introduce_at_{0};  // when the own port's GUID is read
  std::vector<Smp> early_;  // requests of other managers before that
  std::uint32_t activity_count_ = 0;

  // Handover
  std::optional<OtherManager> successor_;  // HANDOVER sent, ACKNOWLEDGE not received
  bool handover_acknowledged_ = false;     // by the response: acts as a standby from now on
  TimeNs until_{0};                        // deadline for ACKNOWLEDGE, or for a HANDOVER to us
  TimeNs next_successor_poll_{0};          // next poll whether the successor is master already
  unsigned waits_ = 0;                     // expired waits for a HANDOVER to us
  std::set<Guid> unyielding_;       // other masters that sent no HANDOVER while this one waited
  std::optional<Guid> refused_by_;  // did not acknowledge; no HANDOVER before refused_until_
  TimeNs refused_until_{0};
  bool resigning_ = false;
  std::vector<OtherManager> successors_;  // candidates in turn, the best last

  // Takeover
  std::optional<Smp> owed_;  // our ACKNOWLEDGE, still to be sent
  std::string predecessor_;  // its recipient

  // SMPs in progress
  std::unique_ptr<ManagerInquiry> inquiry_;
  std::unique_ptr<OneSmp> talk_;
};

}  // namespace weft
