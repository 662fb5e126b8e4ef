// SMPs through libibumad: real HCAs, and simulated ones when ibsim's library is preloaded.
//
// Under ibsim the descriptors are not the kernel's: only open, read, write, ioctl, poll and close
// are intercepted, so a thread of our own receives by umad_recv, and nothing here uses epoll. The
// kernel keeps the upper half of transaction ids for itself: only 32 bits of ours travel. It also
// passes on only answers to requests that it waits for, so requests carry a timeout: at least the
// time of all tries, so that the answer to the first counts as long as the client waits. The
// retries are the client's, each with a transaction id of its own (see SmpClient).
//
// Other management classes travel through the same port: the one thread receives for all of them,
// and each class has an inbox of its own. RMPP is ours too, not the kernel's: segments pass as they
// are, which also is what ibsim does.
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
#include "ib/gmp_transport.h"
#include "ib/transport.h"
#include "transport/umad_outbox.h"
#include "transport/umad_port.h"

namespace weft {

/// A class of GMPs that the port is to carry. A server hears the requests that the class has; a
/// client only the answers to its own.
struct UmadClass {
  MgmtClass mgmt_class = MgmtClass::kSubnAdm;
  std::uint8_t version = 1;
  std::vector<Method> served{};
  std::optional<int> answer_timeout_ms{};  // where it is not that of UmadOptions
};

struct UmadOptions {
  int answer_timeout_ms = 1000;  // how long the kernel waits for the answer to a request
  bool announce_sm = true;       // set the IsSM capability of the port while we run
  std::vector<UmadClass> classes{};
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

  /// One of the classes that open() was told; it lives as long as this, and may be used by another
  /// thread.
  GmpTransport& gmps(MgmtClass mgmt_class);

  /// What comes of this class is first shown to `taker`, on the thread that receives for everybody:
  /// it must be quick. What it returns false for goes into the inbox. An empty one ends that; once
  /// this returns, the old one is not called any more.
  using Taker = std::function<bool(const Gmp&)>;
  void show_arrivals(MgmtClass mgmt_class, Taker taker);

  /// What came and could not be understood, for reports.
  std::uint64_t dropped() const;

 private:
  class GmpPort;
  GmpPort& port_of(MgmtClass mgmt_class);
  /// What the kernel knows us by.
  struct Registered {
    int port = -1;
    int directed = -1;
    int lid_routed = -1;
    std::vector<std::unique_ptr<GmpPort>> classes;
    int issm = -1;  // open descriptor that keeps IsSM set, or -1
    Registered();
    Registered(Registered&&) noexcept;
    Registered& operator=(Registered&&) = delete;
    ~Registered();
  };

  UmadTransport(Registered&& registered, const UmadOptions& options);
  void receive_loop();
  void accept(int agent, void* umad, int length);
  void accept_smp(void* umad);

  const Registered registered_;
  const UmadOptions options_;
  UmadOutbox outbox_;
  RealClock clock_;

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Smp> inbox_;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread receiver_;
};

}  // namespace weft
