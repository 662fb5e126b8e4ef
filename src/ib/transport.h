// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sending and receiving SMPs, on a device, in the emulator or through a fault injector. SMPs may be
// lost, as on a link: the caller handles retries, timeouts and the number of outstanding SMPs.
#pragma once

#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "ib/smp.h"

namespace weft {

class SmpTransport {
 public:
  virtual ~SmpTransport() = default;

  /// Sends one SMP and returns at once; a response arrives by receive(), or never. Fails with
  /// kEnvironment if the device refuses the SMP.
  virtual Status send(const Smp& smp) = 0;

  /// The next SMP received: a response, or a request or trap of another node. Nothing if none is
  /// queued.
  virtual std::optional<Smp> receive() = 0;

  /// Waits until an SMP is received or the clock reaches `deadline`. The emulator advances its
  /// virtual clock.
  virtual void wait_until(TimeNs deadline) = 0;

  /// For a transport with several ports: whether the link of one of them came up or went down since
  /// the last call. No trap reports this, because a trap needs the link. False with one port.
  virtual bool take_link_change() { return false; }
};

}  // namespace weft
