// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that keeps LIDs across restarts, in OpenSM's format: a line `0xGUID 0xFIRST 0xLAST` for
// each port, with blank lines between. If ports of a CA have the same GUID, as plane ports may
// have, the number of the port follows: `0xGUID 0xFIRST 0xLAST PORT`.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "base/files/cached_file.h"
#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// A port in guid2lid. `port` is 0 if no other port of the node has the GUID.
struct LidKey {
  Guid guid;
  PortNum port{};
  // NOLINTNEXTLINE(google-explicit-constructor): most ports are identified by their GUID.
  LidKey(Guid port_guid, PortNum number = {}) : guid(port_guid), port(number) {}
  auto operator<=>(const LidKey&) const = default;
};

using LidMemory = std::map<LidKey, LidRange>;

/// The key of an endport: with the port number if other ports of the node have the GUID, or had it
/// when the LID was stored.
LidKey lid_key(const Fabric& fabric, EndportId endport, const LidMemory& memory);
/// The stored LID of an endport, also if it was stored when no other port had the GUID; end() if
/// there is none.
LidMemory::const_iterator find_lid(const Fabric& fabric, EndportId endport,
                                   const LidMemory& memory);

/// Content of the file; empty if there is none. A line that is malformed, has an invalid range, or
/// has the GUID or a LID of an earlier line is dropped with a warning that names file and line;
/// after a read error the rest of the file is dropped. After kGuid2LidWarningsMax warnings only the
/// number of further warnings is returned. Fails with kEnvironment if the file cannot be opened.
Result<LidMemory> read_guid2lid(const std::string& path, std::vector<std::string>& warnings);
inline constexpr std::size_t kGuid2LidWarningsMax = 20;

/// A line of the file, without the line end.
std::string guid2lid_line(const LidKey& key, const LidRange& range);

/// Writes a temporary file and renames it. Fails with kEnvironment naming the path.
Status write_guid2lid(const std::string& path, const LidMemory& memory);

/// The LIDs of earlier sweeps and earlier runs, including those of absent ports.
inline constexpr CachedFormat<LidMemory> kGuid2Lid{"guid2lid", "LIDs", read_guid2lid,
                                                   write_guid2lid};

/// Stores the LIDs that ports have from the previous master in `lids`, in place of earlier LIDs of
/// these ports.
void keep_port_lids(const Fabric& fabric, LidMemory& lids);

}  // namespace weft
