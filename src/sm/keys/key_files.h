// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files for restarting a manager on a fabric protected by M_Keys, in OpenSM's formats: guid2mkey,
// with a line `0xPORTGUID 0xMKEY` for each port, and neighbors, with a line `0xPORTGUID:PORT
// 0xPORTGUID:PORT` for each direction of a link; blank lines between. Together the files give the
// expected port behind a link, and its M_Key, before the port answers.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "base/files/cached_file.h"
#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// M_Keys by port GUID; for a switch, the GUID of port 0. Key 0: the port has no key.
using KeyMemory = std::map<Guid, Mkey>;

/// One end of a cable, identified by a GUID and a port number. In these files the GUID is the port
/// GUID of the SMA: of the CA's port, or of port 0 of a switch. In sm/health it is the node GUID.
struct CableEnd {
  Guid guid;
  PortNum port;
  auto operator<=>(const CableEnd&) const = default;
};
using NeighborMemory = std::map<CableEnd, CableEnd>;  // has both directions of every cable

/// Content of a file; empty if there is no file. A line that is malformed or contradicts an earlier
/// line is dropped with a warning naming file and line. At most kKeyFileWarningsMax warnings are
/// returned, then the count of all further warnings. Fails with kEnvironment if the file cannot be
/// opened, or if users other than the owner may write it.
Result<KeyMemory> read_guid2mkey(const std::string& path, std::vector<std::string>& warnings);
Result<NeighborMemory> read_neighbors(const std::string& path, std::vector<std::string>& warnings);
inline constexpr std::size_t kKeyFileWarningsMax = 20;

/// Writes atomically, with mode 0600. Fails with kEnvironment naming the path.
Status write_guid2mkey(const std::string& path, const KeyMemory& keys);
Status write_neighbors(const std::string& path, const NeighborMemory& neighbors);
inline constexpr CachedFormat<NeighborMemory> kNeighborFile{"neighbors", "neighbors",
                                                            read_neighbors, write_neighbors};

/// Lines of these files, without line ends.
std::string guid2mkey_line(Guid guid, Mkey key);
std::string neighbors_line(const CableEnd& near, const CableEnd& far);

/// All cables of a fabric, in the form of the file.
NeighborMemory neighbors_of(const Fabric& fabric);

}  // namespace weft
