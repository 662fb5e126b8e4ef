// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand ports of this machine that libibumad lists (with ibsim's library preloaded: the
// simulated ports).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"

namespace weft {

struct UmadPort {
  std::string device;
  int number = 0;  // 0 on a switch
  Guid guid;
  PortState state{};
  Lid lid{};
};

/// All InfiniBand ports, in the library's order. Fails with kEnvironment if umad is unavailable or
/// there is no InfiniBand port; the message lists ports of other link layers.
Result<std::vector<UmadPort>> list_umad_ports();

/// The port for the subnet manager: by GUID, or by default the first port with its link up,
/// otherwise the first port. Fails with kEnvironment, listing the available ports, if there is no
/// such port.
Result<UmadPort> choose_umad_port(std::optional<Guid> guid);

}  // namespace weft
