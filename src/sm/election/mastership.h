// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mastership: the election after each discovery, handover, takeover, and polling as standby. The
// state machine of SMInfo is in election.h. This class generates its events, sends the SMPs, and
// returns an Outcome, which determines how the SubnetManager continues its sweep.
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
  /// `sm` must outlive this object.
  explicit Mastership(SmContext& sm) : sm_(sm), standby_(sm), peers_(sm, managers_, standby_) {}

  enum class Outcome : std::uint8_t {
    kOngoing,      // step() must be called again
    kIdle,         // nothing in progress; a sweep that waited for the election ends
    kMaster,       // this manager is master: the sweep continues
    kRefused,      // the sweep fails; refusal() has the reason
    kRediscover,   // discover again: no handover took place in time, or the own GUID was misread
    kNoSuccessor,  // the manager is to stop, but no standby takes over
  };
  /// Work is in progress: step() must be called.
  bool is_busy() const { return stage_ != Stage::kIdle; }
  Outcome step(TimeNs deadline);
  /// Drops work in progress.
  void cancel() { stage_ = Stage::kIdle; }

  /// Continues the tasks between sweeps: reads the own GUID, polls the master, sends an
  /// ACKNOWLEDGE. False if there is no task, so that the manager may sweep. Otherwise begins a
  /// task, or waits until the deadline at most.
  bool attend(TimeNs deadline);
  /// Begins the election after a discovery.
  Outcome begin_election();
  const Error& refusal() const { return refusal_; }
  /// Queries the known managers again: each may have become master or changed its priority without
  /// a trap.
  void requery_managers();
  /// For a master: queries the known managers and the manager at the port with this GUID, which
  /// another source has reported.
  void query_manager(Guid port);
  /// Handles a SubnGet(SMInfo) or SubnSet(SMInfo) of another manager.
  void on_request(const Smp& request);
  /// To be called after a change of the configured priority.
  void priority_changed();

  /// True if no other manager is known, or if other managers are ignored.
  bool is_alone() const { return sm_.options.ignore_other_sm || managers_.empty(); }
  /// Hands over to the standby with the highest rank, or, if it does not acknowledge, to the next.
  /// All known managers are queried first.
  void stop_after_handover();
  bool is_stopping() const { return stopping_; }
  /// Like stop_after_handover(), but this manager continues as standby. Its priority is 0 until it
  /// is master again or its priority is set. It stays master if no standby outranks a manager with
  /// priority 0, or if no standby acknowledges.
  void stand_by_after_handover();

  /// GUID of the manager's port, once it is known.
  const std::optional<Guid>& own_guid() const { return own_guid_; }
  const std::vector<OtherManager>& others() const { return managers_.all(); }
  const Standby& standby() const { return standby_; }
  void query_polled_manager() { standby_.query_polled_manager(); }
  /// This manager, then the managers that answered the last query and have a port in `fabric`, with
  /// their LIDs.
  std::vector<KnownManager> known_managers(const Fabric& fabric, EndportId self) const;
  /// True if an ACKNOWLEDGE is still to be sent.
  bool has_pending_acknowledgement() const { return pending_acknowledgement_.has_value(); }

 private:
  enum class Stage : std::uint8_t {
    kIdle,
    kReadingOwnGuid,
    kElection,
    kHandingOver,
    kPollingSuccessor,
    kAwaitingHandover,  // waits for an ACKNOWLEDGE, or for the HANDOVER of another master
    kRequery,
    kPolling,
    kAcknowledging,
  };
  static constexpr std::size_t kEarlyMax = 64;
  static constexpr TimeNs kSuccessorPollInterval = std::chrono::milliseconds(100);

  /// sm_priority; while master, the higher of sm_priority and master_sm_priority; 0 after a
  /// handover by request.
  std::uint8_t own_priority() const;
  SmInfo own_info(SmKey key) const;
  Contender own_contender() const;
  bool takes_part(const OtherManager& other) const;
  void report_ignored(const OtherManager& other);
  void send(const Smp& request, Stage stage);
  Outcome finish();
  Outcome finish_reading_own_guid();
  Outcome finish_election();
  Outcome act_on_standing(Standing standing, const OtherManager& other);
  Outcome be_master();
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
  TokenBucket refusals_logged_{20, std::chrono::seconds(60)};  // limits log lines
  Error refusal_;
  std::optional<Guid> own_guid_;
  TimeNs own_guid_read_at_{0};  // earliest time of the next read of the own GUID
  std::vector<Smp> early_;      // requests received before the own GUID is known
  std::uint32_t activity_count_ = 0;

  // Handover
  std::optional<OtherManager> successor_;  // HANDOVER sent, ACKNOWLEDGE not received
  bool handover_acknowledged_ = false;     // by a response: answer as STANDBY
  TimeNs until_{0};                // deadline for ACKNOWLEDGE, or for a HANDOVER to this manager
  TimeNs next_successor_poll_{0};  // next query of the successor
  unsigned waits_ = 0;             // expired waits for a HANDOVER
  std::set<Guid> masters_without_handover_;  // other masters that sent no HANDOVER
  std::optional<Guid> refused_by_;           // manager that did not acknowledge
  TimeNs refused_until_{0};                  // no HANDOVER to refused_by_ before this time
  bool stopping_ = false;
  std::vector<OtherManager> successors_;  // further candidates, the highest rank last

  // Takeover
  std::optional<Smp> pending_acknowledgement_;  // ACKNOWLEDGE still to be sent
  std::string predecessor_;                     // recipient of the ACKNOWLEDGE

  // SMPs in progress
  std::unique_ptr<ManagerInquiry> inquiry_;
  std::unique_ptr<OneSmp> transaction_;
};

}  // namespace weft
