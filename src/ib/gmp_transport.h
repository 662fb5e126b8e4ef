// How GMPs of one management class leave and arrive at one port: the interface that the device and
// the emulator share, beside SmpTransport. It is unreliable in the same way.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "ib/gmp.h"

namespace weft {

class GmpTransport {
 public:
  virtual ~GmpTransport() = default;

  /// Puts one GMP on the wire. Returns at once; an answer may come by receive(), or never.
  virtual Status send(const Gmp& gmp) = 0;

  /// The next GMP that arrived, with the address of who sent it.
  virtual std::optional<Gmp> receive() = 0;

  /// Waits until something can be received, wake() is called or the clock reaches `deadline`. The
  /// emulator moves its virtual clock.
  virtual void wait_until(TimeNs deadline) = 0;

  /// Ends a wait_until() of another thread, at once or as soon as it begins.
  virtual void wake() = 0;
};

}  // namespace weft
