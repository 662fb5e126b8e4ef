// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The transport of one class of GMPs through libibumad, on one or several ports of a CA. One inbox
// has the GMPs that arrive by all ports.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "ib/gmp_transport.h"
#include "transport/umad_agents.h"
#include "transport/umad_outbox.h"

namespace weft {

class UmadGmps final : public GmpTransport {
 public:
  /// The handler returns whether it has taken the GMP.
  using EarlyHandler = std::function<bool(const Gmp&)>;

  UmadGmps(const UmadClass& what, int answer_timeout_ms);

  /// Adds a port; to be called before the first GMP is sent. `port` and `agent` are those of umad.
  void add_port(std::uint8_t number, int port, int agent);

  /// Sends by the port in the address; if the address has none, or the class has no agent at this
  /// port, by the first port.
  Status send(const Gmp& gmp) override;
  /// Takes the whole inbox at once to reduce contention for the lock.
  std::optional<Gmp> receive() override;
  void wait_until(TimeNs deadline) override;
  void wake() override;

  void set_early_handler(EarlyHandler handler);
  MgmtClass mgmt_class() const { return what_.mgmt_class; }

  /// Takes a umad that arrived by the port with this number. False if the MAD is malformed or does
  /// not belong to the class, or the inbox is full.
  bool accept(void* umad, std::uint8_t number);

 private:
  struct Sender {
    int agent;
    std::unique_ptr<UmadOutbox> outbox;
  };

  /// True if a GMP has arrived or wake() was called.
  bool wait_once(TimeNs deadline);
  /// When to call flush() of the outboxes next: `deadline`, or earlier if GMPs wait.
  TimeNs flush(TimeNs deadline);
  bool is_handled(const Gmp& gmp);

  const UmadClass what_;
  const int answer_timeout_ms_;
  std::vector<std::uint8_t> numbers_;  // of the ports
  std::vector<Sender> senders_;        // by index in numbers_
  RealClock clock_;
  std::vector<Gmp> taken_;  // used only by the thread that calls receive(), like next_taken_
  std::size_t next_taken_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Gmp> inbox_;
  bool woken_ = false;
  std::mutex handler_mutex_;  // held during a call
  EarlyHandler handler_;
};

}  // namespace weft
