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
// Other management classes use the same port: one thread receives for all classes, and each class
// has its own inbox. RMPP is implemented in Weft, not in the kernel: segments pass unchanged, as
// under ibsim.
#pragma once

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
#include "transport/umad_outbox.h"
#include "transport/umad_port.h"

namespace weft {

/// A management class of GMPs to register. A server receives requests with the methods in `served`;
/// a client receives only responses to its own requests.
struct UmadClass {
  MgmtClass mgmt_class = MgmtClass::kSubnAdm;
  std::uint8_t version = 1;
  std::vector<Method> served{};
  std::optional<int> answer_timeout_ms{};  // overrides UmadOptions::answer_timeout_ms
};

struct UmadOptions {
  int answer_timeout_ms = 1000;  // how long the kernel waits for the response to a request
  bool announce_sm = true;       // keep the port's IsSM capability bit set
  std::vector<UmadClass> classes{};
};

class UmadTransport final : public SmpTransport {
 public:
  /// Opens the port, registers for both SMP classes and for the classes in the options, and sets
  /// IsSM if the options request it; a failure to set IsSM is only logged. Fails with kEnvironment
  /// naming the cause, such as a class registered by another manager, or missing permission for a
  /// device.
  static Result<std::unique_ptr<UmadTransport>> open(const UmadPort& port,
                                                     const UmadOptions& options = {});
  ~UmadTransport() override;
  UmadTransport(const UmadTransport&) = delete;
  UmadTransport& operator=(const UmadTransport&) = delete;

  Status send(const Smp& smp) override;
  std::optional<Smp> receive() override;
  void wait_until(TimeNs deadline) override;

  /// The transport of a class passed to open(), valid during the lifetime of this object; may be
  /// used by another thread.
  GmpTransport& gmps(MgmtClass mgmt_class);

  /// Passes each received GMP of this class to `handler` first. The handler runs on the thread that
  /// receives for all classes, so it must return fast. GMPs for which the handler returns false go
  /// into the inbox. An empty handler unregisters; the old handler is then not called any more.
  using EarlyHandler = std::function<bool(const Gmp&)>;
  void set_early_handler(MgmtClass mgmt_class, EarlyHandler handler);

  /// Number of received MADs dropped because they are malformed or the queue is full.
  std::uint64_t dropped() const;

 private:
  class GmpPort;
  GmpPort& port_of(MgmtClass mgmt_class);
  /// File descriptors and umad agent ids.
  struct Registered {
    int port = -1;
    int directed = -1;
    int lid_routed = -1;
    std::vector<std::unique_ptr<GmpPort>> classes;
    int issm = -1;  // file descriptor; IsSM is set while it is open; -1: none
    Registered();
    Registered(Registered&&) noexcept;
    Registered& operator=(Registered&&) = delete;
    ~Registered();
  };

  static constexpr QueueLimits kRequests{4096, 2, 16384};

  UmadTransport(Registered&& registered, const UmadOptions& options);
  void receive_loop();
  void accept(int agent, void* umad, int length);
  void accept_smp(void* umad);
  bool keep(Smp& smp);

  const Registered registered_;
  const UmadOptions options_;
  UmadOutbox outbox_;
  RealClock clock_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  /// Responses to the manager, in a queue of their own so that traps and requests of other nodes do
  /// not displace them.
  std::deque<Smp> answers_;
  FairQueue<Smp> requests_{kRequests};
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread receiver_;
};

}  // namespace weft
