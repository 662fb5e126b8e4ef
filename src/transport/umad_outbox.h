// Sends MADs through libibumad. Those that the kernel has no room for at the moment wait, a limited
// time and a limited number, and are sent in order once there is room.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace weft {

class UmadOutbox {
 public:
  static constexpr std::size_t kWaitingMax = 4096;
  static constexpr TimeNs kAgeMax = std::chrono::milliseconds(200);  // then the client has given up
  static constexpr TimeNs kPause = std::chrono::milliseconds(1);     // between tries

  explicit UmadOutbox(int port) : port_(port) {}

  /// `umad` is the library's header and a MAD of `length` bytes, addressed. `timeout_ms`: how long
  /// the kernel waits for the answer; 0: there is none. Fails with kEnvironment where the kernel
  /// refuses for good.
  Status send(int agent, std::span<const std::byte> umad, int timeout_ms, std::size_t length);
  /// Sends what waits and may go now; false while something still waits.
  bool flush();
  /// When flush() is due if something waits until `deadline`.
  TimeNs next_try(TimeNs deadline);

 private:
  struct Waiting {
    int agent;
    std::vector<std::byte> umad;
    int timeout_ms;
    std::size_t length;
    TimeNs since;
  };
  bool flush_locked();

  const int port_;
  RealClock clock_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
};

}  // namespace weft
