// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends and receives MADs through libibumad, on HCAs, or on simulated HCAs if ibsim's library is
// preloaded.
//
// ibsim intercepts only open, read, write, ioctl, poll and close; therefore a thread receives with
// umad_recv() instead of epoll. The kernel uses the upper 32 bits of the transaction id, so only
// the lower 32 bits are available. The kernel delivers a response only until the timeout of its
// request, so the timeout of each request is at least the client's total retry time. The client
// retries, each time with a new transaction id (see SmpClient).
//
// Other management classes use the same ports: one thread for each port receives for all classes,
// and each class has its own inbox. RMPP is implemented in Weft, not in the kernel: segments pass
// unchanged, as under ibsim.
//
// On a CA with several ports, the kernel sends a directed-route SMP only by the port that the first
// hop of its path names. Other SMPs leave by the port in Smp::port, or by the first port.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "ib/fair_queue.h"
#include "ib/gmp_transport.h"
#include "ib/transport.h"
#include "transport/umad_agents.h"
#include "transport/umad_gmps.h"
#include "transport/umad_outbox.h"
#include "transport/umad_port.h"

namespace weft {

struct UmadOptions {
  int answer_timeout_ms = 1000;  // how long the kernel waits for the response to a request
  bool announce_sm = true;       // keep the IsSM capability bit of the ports set
  std::vector<UmadClass> classes{};
};

class UmadTransport final : public SmpTransport {
 public:
  /// Opens the ports, and registers as UmadAgents::open(): for both SMP classes at `ports.smps`,
  /// for the classes in the options at `ports.gmps`. Fails with kEnvironment if that fails at the
  /// first port of a list. A warning names other ports that fail; they are not used.
  static Result<std::unique_ptr<UmadTransport>> open(const UmadPorts& ports,
                                                     const UmadOptions& options = {});
  ~UmadTransport() override;
  UmadTransport(const UmadTransport&) = delete;
  UmadTransport& operator=(const UmadTransport&) = delete;

  /// The numbers of the ports for SMPs, except the first.
  std::vector<PortNum> more_ports() const;

  Status send(const Smp& smp) override;
  std::optional<Smp> receive() override;
  void wait_until(TimeNs deadline) override;
  /// With several ports for SMPs, the threads read the state of each link once a second.
  bool take_link_change() override { return link_changed_.exchange(false); }

  /// The transport of a class passed to open(), valid during the lifetime of this object; may be
  /// used by another thread.
  GmpTransport& gmps(MgmtClass mgmt_class) { return gmps_of(mgmt_class); }

  /// Passes each received GMP of this class to `handler` first. The handler runs on a thread that
  /// receives for all classes, so it must return fast; calls do not overlap. GMPs for which the
  /// handler returns false go into the inbox. An empty handler unregisters; the old handler is then
  /// not called any more.
  using EarlyHandler = UmadGmps::EarlyHandler;
  void set_early_handler(MgmtClass mgmt_class, EarlyHandler handler);

  /// Number of received MADs dropped because they are malformed or the queue is full.
  std::uint64_t dropped() const;

 private:
  /// A port, and the thread that receives from it.
  struct OpenPort {
    explicit OpenPort(UmadAgents&& opened) : agents(std::move(opened)), outbox(agents.port) {}
    std::uint8_t number() const { return static_cast<std::uint8_t>(agents.where.number); }
    UmadAgents agents;
    UmadOutbox outbox;  // of SMPs
    std::thread receiver;
  };
  using OpenPorts = std::vector<std::unique_ptr<OpenPort>>;

  static constexpr QueueLimits kRequests{4096, 2, 16384};

  static Result<OpenPorts> open_all(const UmadPorts& ports, const UmadOptions& options);
  UmadTransport(OpenPorts opened, const UmadOptions& options);
  UmadGmps& gmps_of(MgmtClass mgmt_class);
  TimeNs flush(TimeNs deadline);
  void receive_loop(OpenPort& open_port);
  void watch_link(const OpenPort& open_port, bool& up, TimeNs& next);
  void accept(const OpenPort& open_port, int agent, void* umad, int length);
  void accept_smp(const OpenPort& open_port, void* umad);
  bool keep(Smp& smp);

  const OpenPorts open_ports_;             // those with SMPs first
  std::vector<std::uint8_t> smp_numbers_;  // of the open ports with SMPs
  const UmadOptions options_;
  std::vector<std::unique_ptr<UmadGmps>> gmps_;  // by index in options_.classes
  RealClock clock_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  /// Responses to the manager, in a queue of their own so that traps and requests of other nodes do
  /// not displace them.
  std::deque<Smp> answers_;
  FairQueue<Smp> requests_{kRequests};
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::atomic<bool> link_changed_ = false;
};

}  // namespace weft
