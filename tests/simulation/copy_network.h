// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates the connections by which standbys copy the state of the master, in place of HTTPS
// (cli/sm/replication_link.h). Requests and answers may be lost, late or repeated. Connections
// break when the peer process ends, and can be interrupted for a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "emulator/emulated_fabric.h"
#include "manager_process.h"
#include "plan.h"

namespace weft::simulation {

class CopyNetwork {
 public:
  CopyNetwork(EmulatedFabric& emulated, std::uint64_t seed, const CopyRates& rates)
      : emulated_(emulated), rates_(rates), rng_(Rng(seed).fork(82)) {}

  /// Adds a manager that replicates; `process` must exist until the last step().
  void add(ManagerProcess& process) { copiers_.push_back({.process = &process}); }
  /// Delivers the messages that are due, and sends the next requests.
  void step();
  /// Drops all messages until this time.
  void interrupt(TimeNs until) { interrupted_until_ = std::max(interrupted_until_, until); }
  /// From this call on no further message is lost, late or repeated.
  void repair();

  struct Counts {
    std::uint64_t requests = 0, answers = 0, refused = 0, broken = 0, lost = 0, repeated = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Copier {
    ManagerProcess* process = nullptr;
    std::uint64_t starts = 0;      // process->starts() at the last step
    std::uint64_t connection = 0;  // number of the connection; 0: not connected
    std::size_t peer = 0;          // index in copiers_
    std::uint64_t peer_starts = 0;
    bool ends_without_close = false;  // the machine of the peer fails: no close is received
    std::uint64_t request = 0;        // number of the request in progress; 0: none
    TimeNs sent{};
    TimeNs next{};
  };
  TimeNs now() const { return emulated_.clock().now(); }
  bool is_interrupted() const { return now() < interrupted_until_; }
  void step(Copier& copier);
  void connect(Copier& copier);
  void request(Copier& copier);
  void lose(Copier& copier, const std::string& reason);
  void close(Copier& copier);
  void deliver(const std::function<void()>& message);
  void deliver_answer(std::size_t number, std::uint64_t connection, std::uint64_t request,
                      int status, std::string body);
  void process_answer(std::size_t number, std::uint64_t connection, std::uint64_t request,
                      int status, const std::string& body);
  bool draw(double chance) { return rng_.below(1000) < static_cast<std::uint64_t>(chance * 1000); }

  EmulatedFabric& emulated_;
  CopyRates rates_;
  Rng rng_;
  std::vector<Copier> copiers_;
  std::multimap<TimeNs, std::function<void()>> messages_;
  std::uint64_t last_number_ = 0;  // last number given to a connection or request
  TimeNs interrupted_until_{0};
  Counts counts_;
};

}  // namespace weft::simulation
