// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An emulated subnet with a manager and an SA, as in one process of `weft sm`, and hosts that
// attack the manager and the SA by raw MADs. The manager is on host 0. An attacker has root access
// to its host: it sends any MAD from its own port, and can read all attributes of this port.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/emulated_fabric.h"
#include "ib/notice.h"
#include "ib/sa_records.h"
#include "sa/server.h"
#include "sm/subnet_manager.h"
#include "support/notices.h"
#include "support/sa_subnet.h"
#include "support/temp_dir.h"

namespace weft::attacks {

/// Transport between the manager and the fabric. It records the TrapRepress that the manager sends,
/// and delivers injected SMPs with any source LID to the manager, since no switch checks source
/// LIDs.
class WatchedWire final : public SmpTransport {
 public:
  explicit WatchedWire(SmpTransport& wire) : wire_(wire) {}

  Status send(const Smp& smp) override;
  std::optional<Smp> receive() override;
  void wait_until(TimeNs deadline) override;

  void inject(const Smp& smp) { injected_.push_back(smp); }
  /// The first kKept TrapRepress that the manager sent.
  const std::vector<Smp>& represses() const { return represses_; }

 private:
  static constexpr std::size_t kKept = 65536;
  SmpTransport& wire_;
  std::vector<Smp> injected_, represses_;
};

/// Delays each answer of the SA by the processor time that the SA took (see
/// AttackedSubnet::charge_time()).
class DelayedTransport final : public GmpTransport {
 public:
  explicit DelayedTransport(GmpTransport& wire) : wire_(wire) {}
  Status send(const Gmp& gmp) override;
  std::optional<Gmp> receive() override { return wire_.receive(); }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  void wake() override { wire_.wake(); }
  /// Sends the GMPs in order, until the first GMP that is not due or cannot be sent.
  void release(TimeNs now);
  /// `delay` returns the time before which release() does not send a GMP. Without `delay` the next
  /// release() sends each GMP.
  void set_delay(std::function<TimeNs()> delay) { delay_ = std::move(delay); }

 private:
  GmpTransport& wire_;
  std::function<TimeNs()> delay_;
  std::deque<std::pair<TimeNs, Gmp>> held_;
};

class AttackedSubnet {
 public:
  explicit AttackedSubnet(Fabric fabric, SmOptions sm_options = {}, SaOptions sa_options = {},
                          const EmulatorOptions& emulator = {});
  ~AttackedSubnet();
  AttackedSubnet(const AttackedSubnet&) = delete;

  /// Starts the manager and brings the subnet up; false if it does not come up.
  bool start();
  /// From this call on, adds the processor time of the manager and of the SA to the virtual clock,
  /// as if each ran on a separate thread. During a computation the manager or the SA neither
  /// receives nor sends. Times then depend on the machine, but not on other programs that run on
  /// the machine.
  void charge_time() { charges_time_ = true; }
  struct Busy {
    TimeNs sm{},
        sm_longest{};  // processor time of all steps of the manager, and of the longest step
    TimeNs sa{}, sa_longest{};
  };
  const Busy& busy() const { return busy_; }
  /// Runs manager, SA and network for a span of virtual time.
  void run_for(TimeNs span);
  /// Runs until `done` returns true or `limit` of virtual time has passed; returns the last result
  /// of `done`.
  bool run_until(const std::function<bool()>& done, TimeNs limit = std::chrono::minutes(2));

  unsigned hosts() const { return fabric_.endport_count() - fabric_.switch_count(); }
  EndportId endport(unsigned host) const { return EndportId(fabric_.switch_count() + host); }
  PortId port(unsigned host) const { return fabric_.endport(endport(host)).port; }
  NodeId node(unsigned host) const { return fabric_.endport(endport(host)).node; }
  Guid guid(unsigned host) const { return fabric_.port(port(host)).guid; }
  Gid gid(unsigned host) const { return make_gid(sa_options_.subnet_prefix, guid(host)); }
  Lid lid(unsigned host) const { return emulated_.port_info(port(host)).lid; }

  const Fabric& fabric() const { return fabric_; }
  EmulatedFabric& emulated() { return emulated_; }
  SubnetManager& sm() { return *sm_; }
  SaServer& sa() { return *sa_; }
  WatchedWire& wire() { return *wire_; }
  const std::string& cache_folder() const { return cache_.path(); }
  /// Number of events that would be written to the event log and the history.
  std::uint64_t occurrences() const { return occurrences_; }
  /// Number of traps that the manager passed to the SA for subscribers.
  std::uint64_t traps_forwarded() const { return traps_forwarded_; }

 private:
  void step(TimeNs deadline);
  void timed_step();
  void prepare_sa_view();
  void serve_sa(std::size_t requests);

  TempDir cache_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  SmOptions sm_options_;
  SaOptions sa_options_;
  std::optional<WatchedWire> wire_;
  std::unique_ptr<SubnetManager> sm_;
  std::unique_ptr<SaServer> sa_;
  std::optional<DelayedTransport> queries_;
  bool charges_time_ = false;
  TimeNs sm_busy_until_{}, sa_busy_until_{};
  Busy busy_;
  std::shared_ptr<const Snapshot> published_;
  // Data that the thread of the manager and the thread of the SA exchange.
  std::shared_ptr<const SaView> newest_view_;
  std::optional<std::shared_ptr<SaView>> to_publish_;
  std::vector<std::shared_ptr<const SaView>> replaced_;
  std::optional<GroupChanges> groups_;
  std::optional<AliasGuids> aliases_;
  std::uint64_t occurrences_ = 0, traps_forwarded_ = 0;
};

/// A host of the subnet that sends raw MADs; not the manager's host.
class Host {
 public:
  /// `is_sm`: the port has IsSM set.
  Host(AttackedSubnet& subnet, unsigned number, bool is_sm = false);
  ~Host();
  Host(const Host&) = delete;

  unsigned number() const { return number_; }
  Lid lid() const { return subnet_.lid(number_); }
  Gid gid() const { return subnet_.gid(number_); }
  SaClient& sa() { return *client_; }
  /// Sends an SA request without waiting for the answer.
  void send(const Gmp& gmp) { static_cast<void>(client_->transport().send(gmp)); }
  /// Discards received GMPs and SMPs, and returns their number.
  std::size_t drain();

  /// Sends a trap with the LID of this host as source to the manager.
  void trap(const Notice& notice);
  /// Sends an SMInfo request to the manager by LID; only a Set has `info`. Returns the answer;
  /// empty if no answer arrives within 200 ms.
  std::optional<Smp> sm_info(Method method, std::uint32_t modifier, const SmInfo& info);
  SmpTransport& smps() { return wire_; }

  // SA requests
  Gmp path_to(unsigned host);
  Gmp member(Method method, std::uint64_t mask, const McMemberRecord& record);
  Gmp service(Method method, const ServiceRecord& record);
  Gmp subscription(std::uint16_t trap, Lid about);
  Gmp aliases(Method method, Lid of, unsigned index, Guid guid);
  /// The two segments of a GetMulti(MultiPathRecord) for paths from this host to itself.
  std::array<Gmp, 2> long_request();
  /// Sends up to five requests for a path to `host`, until an answer has status 0. Returns false if
  /// no answer has status 0.
  bool gets_path(unsigned host);
  /// Sends the request. Returns the status of the answer; 0xFFFF if no answer arrives.
  std::uint16_t status_of(const Gmp& gmp);

 private:
  AttackedSubnet& subnet_;
  const unsigned number_;
  SmpTransport& wire_;
  std::optional<SaClient> client_;
};

// Components of McMemberRecords.
inline constexpr std::uint64_t kToJoin = 1u << 0 | 1u << 1 | 1u << 16;  // MGID, PortGID, JoinState
inline constexpr std::uint64_t kToCreate =
    kToJoin | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13;

inline Gid multicast_gid(std::uint64_t number) {
  return make_gid(std::uint64_t{0xFF15} << 48, Guid(number));
}

/// A McMemberRecord with which a port requests full membership for itself in a partition.
McMemberRecord membership(const Gid& group, const Gid& port, Pkey pkey = Pkey(0xFFFF));

/// Parses the text of a partition file.
PartitionFile partitions_of(const std::string& text);

}  // namespace weft::attacks
