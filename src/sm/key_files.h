// The files that let a manager back into a fabric that is protected by M_Keys, in OpenSM's formats:
// guid2mkey, a line `0xPORTGUID 0xMKEY` a port, and neighbors, a line `0xPORTGUID:PORT
// 0xPORTGUID:PORT` for each direction of a cable; blank lines between. With both a manager knows
// which port hides behind a cable, and with which key it answers, before it has said a word.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// By port GUID; that of port 0 on a switch. Key 0: the port is known to have none.
using KeyMemory = std::map<Guid, Mkey>;

/// One end of a cable, named by the GUID of the agent there: a CA's port, or port 0 of a switch.
struct CableEnd {
  Guid guid;
  PortNum port;
  auto operator<=>(const CableEnd&) const = default;
};
using NeighborMemory = std::map<CableEnd, CableEnd>;  // both directions of every cable

/// What a file holds; empty where there is none. A line that is damaged, or contradicts an earlier
/// one, is dropped with a warning naming file and line; of many warnings the first
/// kKeyFileWarningsMax and the count of the others are given. Fails with kEnvironment where the
/// file cannot be opened.
Result<KeyMemory> read_guid2mkey(const std::string& path, std::vector<std::string>& warnings);
Result<NeighborMemory> read_neighbors(const std::string& path, std::vector<std::string>& warnings);
inline constexpr std::size_t kKeyFileWarningsMax = 20;

/// Whole or not at all, and for nobody else to read. Fails with kEnvironment naming the path.
Status write_guid2mkey(const std::string& path, const KeyMemory& keys);
Status write_neighbors(const std::string& path, const NeighborMemory& neighbors);

/// All cables of a fabric, as the file has them.
NeighborMemory neighbors_of(const Fabric& fabric);

}  // namespace weft
