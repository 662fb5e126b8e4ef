// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration file of torus-2QoS: the shape of the torus, the seeds that determine the
// coordinates of some switches, and the order and groups of ports. Format: torus-2QoS.conf(5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "ib/ids.h"

namespace weft {

inline constexpr std::string_view kTorusConfigFile = "/etc/opensm/torus-2QoS.conf";
inline constexpr unsigned kTorusDimensions = 3;
inline constexpr std::array kDimensionNames{'x', 'y', 'z'};

/// A switch, its neighbors in some directions, and its position relative to the datelines.
struct TorusSeed {
  Guid origin{};                                 // 0: not given
  std::array<Guid, kTorusDimensions> plus{};     // neighbor up in each dimension; 0: not given
  std::array<Guid, kTorusDimensions> minus{};    // neighbor down in each dimension; 0: not given
  std::array<int, kTorusDimensions> dateline{};  // moves coordinate 0 relative to the origin
  std::size_t line = 1;                          // first line of the seed
};

struct TorusConfig {
  std::string path;  // for messages
  std::array<unsigned, kTorusDimensions> radix{1, 1, 1};
  std::array<bool, kTorusDimensions> mesh{};  // open ends: no cable between the last and the first
  std::vector<TorusSeed> seeds;               // tried in order; at least one
  unsigned portgroup_max_ports = 16;
  std::vector<PortNum> port_order{};  // without duplicates
  unsigned max_changes = 32;          // limit of log lines about missing switches and cables
};

/// Fails with kBadInput on a line that torus-2QoS.conf(5) does not allow, and on a seed that does
/// not suffice for the shape: file, line, value found and value expected.
Result<TorusConfig> parse_torus_config(LineReader reader);

/// Reads and parses a file; fails as parse_torus_config(), and with kEnvironment if the file cannot
/// be read.
Result<TorusConfig> read_torus_config(const std::string& path);

}  // namespace weft
