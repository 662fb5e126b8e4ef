// How SMPs leave and arrive: the one interface that the device, the emulator and fault injectors
// share. It is unreliable, as the wire is: who sends keeps the retries, timeouts and the number of
// SMPs under way.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "ib/smp.h"

namespace weft {

class SmpTransport {
 public:
  virtual ~SmpTransport() = default;

  /// Puts one SMP on the wire. Returns at once; an answer may come by receive(), or never.
  virtual Status send(const Smp& smp) = 0;

  /// The next SMP that arrived: an answer, or a request or trap from somebody else. Nothing if none
  /// waits.
  virtual std::optional<Smp> receive() = 0;

  /// Waits until something can be received or the clock reaches `deadline`. The emulator moves its
  /// virtual clock.
  virtual void wait_until(TimeNs deadline) = 0;
};

}  // namespace weft
