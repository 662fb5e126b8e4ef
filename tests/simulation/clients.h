// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Client programs on hosts. The clients query paths and tables, join and leave groups, subscribe,
// register services, and check the answers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "emulator/emulated_fabric.h"
#include "sa/rmpp.h"
#include "sa/state.h"

namespace weft::simulation {

/// Determines which hosts share a partition, from the plan and independently of the manager.
class Neighborhood {
 public:
  explicit Neighborhood(bool partitions) : partitions_(partitions) {}
  /// Hosts are counted from 0. Host h is in partition A unless h mod 3 is 1, and in partition B
  /// unless h mod 3 is 0. All hosts except managers are limited members of the default partition.
  bool may_communicate(std::uint32_t a, std::uint32_t b) const {
    if (!partitions_ || a == b) return true;
    const bool both_in_a = a % 3 != 1 && b % 3 != 1, both_in_b = a % 3 != 0 && b % 3 != 0;
    return both_in_a || both_in_b;
  }
  /// Text of partitions.conf; empty if the plan has no partitions.
  std::string file(const Fabric& fabric) const;

 private:
  bool partitions_;
};

class Client {
 public:
  Client(EmulatedFabric& emulated, std::uint32_t host, std::uint64_t seed,
         std::chrono::milliseconds pause, const Neighborhood& neighborhood,
         std::vector<std::uint32_t> manager_hosts);
  ~Client();
  Client(const Client&) = delete;

  /// Processes received MADs, and sends a request when due. problem() describes an invalid
  /// answer.
  void step();
  const std::string& problem() const { return problem_; }
  /// The client accepts unknown nodes in answers: the manager may receive corrupted answers, which
  /// then describe nodes that do not exist.
  void expect_absent_nodes() { expects_absent_nodes_ = true; }

  struct Counts {
    std::uint64_t requests = 0, answered = 0, refused = 0, reports = 0, tables = 0;
  };
  const Counts& counts() const { return counts_; }

  /// The last change of a registration that the SA answered with status 0. A ClientReregister
  /// removes it from acknowledged().
  struct AcknowledgedChange {
    bool registered = false;  // false: withdrawn
    TimeNs at{};              // time of the answer
    bool confirmed = false;   // a standby had the registration when the answer was sent
  };
  /// Keyed by name: "service", "group 2", "trap 64".
  const std::map<std::string, AcknowledgedChange>& acknowledged() const { return acknowledged_; }
  /// Whether the SA holds the registration of this name.
  bool is_held(const std::string& name, const sa::State& state) const;
  /// Clears acknowledged(), since the SA may have lost the registrations.
  void forget_acknowledged() { acknowledged_.clear(); }
  void forget_acknowledged(const std::string& name) { acknowledged_.erase(name); }
  /// If true, requests may arrive twice or late, so that an answer does not prove that the SA has
  /// the registration.
  void set_may_arrive_twice(bool may_arrive_twice) { may_arrive_twice_ = may_arrive_twice; }
  /// If false, the SA may acknowledge changes that no standby has.
  void set_confirmed(bool confirmed) { confirmed_ = confirmed; }
  std::uint32_t host() const { return host_; }
  PortId port() const { return port_; }

 private:
  enum class RequestKind { kPath, kNodes, kJoin, kLeave, kSubscribe, kService };
  static constexpr std::size_t kRequestKinds = 6;

  bool is_ready() const;
  void send_request();
  void process_mad(const Gmp& gmp);
  void check_path_record(const Gmp& gmp);
  void check_node_records(std::span<const std::byte> records, std::size_t offset);
  void join_again_after_reregistration();
  void begin_change(std::string name, bool registers);
  void note_change(bool good);
  Gmp request(Method method, std::uint16_t attribute, std::uint64_t mask);
  std::uint32_t other_host();
  Gid gid_of(std::uint32_t host) const;

  EmulatedFabric& emulated_;
  const std::uint32_t host_;
  const PortId port_;
  const std::uint64_t pause_;  // maximum interval between requests, in milliseconds
  Rng rng_;
  const Neighborhood& neighborhood_;
  const std::vector<std::uint32_t> manager_hosts_;
  GmpTransport& wire_;
  RmppReceiver receiver_;
  TimeNs next_{};
  TimeNs deadline_{};
  std::uint64_t transaction_ = 0;
  bool waiting_ = false;
  std::uint64_t request_id_ = 0;  // transaction id of the request
  RequestKind request_kind_{};
  std::uint32_t requested_host_ = 0;  // the host in the request
  std::map<Gid, std::uint8_t> joined_;
  std::uint32_t reregistrations_ = 0;
  bool expects_absent_nodes_ = false;
  std::map<std::string, AcknowledgedChange> acknowledged_;
  std::string changes_;  // name of the registration that the request changes; empty: none
  bool registers_ = false;
  bool arrives_once_ = false;  // the request arrives once
  bool may_arrive_twice_ = false, confirmed_ = false;
  Counts counts_;
  std::string problem_;
};

}  // namespace weft::simulation
