// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An open umad port and the agents that are registered at it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "ib/smp.h"
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

/// What to register at a port.
struct UmadUse {
  bool smps = true;                      // both classes of SMPs
  std::span<const UmadClass> classes{};  // of GMPs
  bool announce_sm = true;               // keep the port's IsSM capability bit set
};

/// File descriptors and umad agent ids. The destructor unregisters the agents and closes the port.
struct UmadAgents {
  UmadPort where;
  int port = -1;
  int directed = -1;
  int lid_routed = -1;
  std::vector<int> classes{};  // by index in UmadUse::classes
  int issm = -1;               // file descriptor; IsSM is set while it is open; -1: none

  /// Opens the port and registers. Sets IsSM if requested; a failure to set IsSM is only logged.
  /// Fails with kEnvironment naming the cause, such as a class registered by another manager, or
  /// missing permission for a device.
  static Result<UmadAgents> open(const UmadPort& where, const UmadUse& use);
  UmadAgents() = default;
  UmadAgents(UmadAgents&& other) noexcept;
  UmadAgents& operator=(UmadAgents&&) = delete;
  ~UmadAgents();
};

}  // namespace weft
