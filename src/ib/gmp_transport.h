// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sending and receiving the GMPs of one management class at one port, on a device or in the
// emulator. GMPs may be lost, as SMPs of SmpTransport.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "ib/gmp.h"

namespace weft {

class GmpTransport {
 public:
  virtual ~GmpTransport() = default;

  /// Sends one GMP and returns at once; a response arrives by receive(), or never. Fails with
  /// kEnvironment if the device refuses the GMP.
  virtual Status send(const Gmp& gmp) = 0;

  /// The next GMP received, with the address of its sender; nothing if none is queued.
  virtual std::optional<Gmp> receive() = 0;

  /// Waits until a GMP is received, wake() is called or the clock reaches `deadline`. The emulator
  /// advances its virtual clock.
  virtual void wait_until(TimeNs deadline) = 0;

  /// Ends a wait_until() of another thread, at once or as soon as it begins.
  virtual void wake() = 0;
};

}  // namespace weft
