// The InfiniBand ports of this machine, as libibumad knows them (under ibsim's preload: the
// simulated ones).
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

/// All InfiniBand ports, in the library's order. Fails with kEnvironment where there is no umad at
/// all, or no InfiniBand port: the message lists the ports of other link layers.
Result<std::vector<UmadPort>> list_umad_ports();

/// The port to manage: by GUID, or by default the first that is up, else the first that is there.
/// Fails with kEnvironment, listing the ports at hand, where there is no such port.
Result<UmadPort> choose_umad_port(std::optional<Guid> guid);

}  // namespace weft
