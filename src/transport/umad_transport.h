// SMPs through libibumad: real HCAs, and simulated ones when ibsim's library is preloaded.
//
// Under ibsim the descriptors are not the kernel's: only open, read, write, ioctl, poll and close
// are intercepted, so a thread of our own receives by umad_recv, and nothing here uses epoll. The
// kernel keeps the upper half of transaction ids for itself: only 32 bits of ours travel. It also
// hands answers only to who waits for them, so requests carry a timeout; the retries are ours all
// the same (see SmpClient).
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "ib/transport.h"
#include "transport/umad_port.h"

namespace weft {

struct UmadOptions {
  int answer_timeout_ms =
      1000;  // how long the kernel keeps a request's slot; above the client's own timeout
  bool announce_sm = true;  // set the IsSM capability of the port while we run
};

class UmadTransport final : public SmpTransport {
 public:
  /// Opens the port and registers for both SMP classes. Fails with kEnvironment saying what was
  /// refused: a class that another manager holds, or a device that may not be opened.
  static Result<std::unique_ptr<UmadTransport>> open(const UmadPort& port,
                                                     const UmadOptions& options = {});
  ~UmadTransport() override;
  UmadTransport(const UmadTransport&) = delete;
  UmadTransport& operator=(const UmadTransport&) = delete;

  Status send(const Smp& smp) override;
  std::optional<Smp> receive() override;
  void wait_until(TimeNs deadline) override;

  /// What came and could not be understood, for reports.
  std::uint64_t dropped() const;

 private:
  UmadTransport(int port, int agent_directed, int agent_lid_routed, int issm,
                const UmadOptions& options);
  void receive_loop();
  void accept(void* umad, int length);

  const int port_;
  const int agent_directed_;
  const int agent_lid_routed_;
  const int issm_;  // open descriptor that keeps IsSM set, or -1
  const UmadOptions options_;
  RealClock clock_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Smp> inbox_;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread receiver_;
};

}  // namespace weft
