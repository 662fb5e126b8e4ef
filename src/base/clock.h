// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Clocks. A service receives a Clock from its caller and does not read the clock of the operating
// system, so that tests control the time.
#pragma once

#include <chrono>
#include <cstdint>

namespace weft {

/// Nanoseconds since an arbitrary start; monotonic.
using TimeNs = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimeNs now() const = 0;
};

/// The machine's monotonic clock.
class RealClock final : public Clock {
 public:
  TimeNs now() const override;
};

/// A clock that changes only when it is advanced: for the emulator and for tests.
class VirtualClock final : public Clock {
 public:
  TimeNs now() const override { return now_; }
  /// Advances the clock to `time`; a time in the past is ignored.
  void advance_to(TimeNs time);
  void advance_by(TimeNs span) { advance_to(now_ + span); }

 private:
  TimeNs now_{0};
};

/// Seconds of real time since construction, for reports.
class Stopwatch {
 public:
  Stopwatch();
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace weft
