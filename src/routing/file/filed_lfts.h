// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables read from a file for the engine "file": opensm-lfts.dump, the output of
// dump_lfts or ibroute, or opensm.fdbs. Read once, without a fabric, and matched to each fabric by
// GUIDs, because LIDs may have changed since the file was written. (routes/dump/read.h, for
// `verify`, uses the LIDs of the file.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

struct FiledTable {
  Guid sw;  // GUID of the node or of port 0
  std::size_t line = 0;
  std::vector<std::uint8_t> ports;  // by LID up to the highest listed; kNoRoute for LIDs not listed
};

struct FiledLfts {
  std::string path;
  std::vector<FiledTable> tables;
  std::vector<Guid> owner;              // by LID: the port GUID that a line names, or 0
  std::vector<std::size_t> owner_line;  // by LID: line of that GUID
};

/// Fails with kEnvironment if the file cannot be read, with kBadInput "FILE:LINE:COLUMN: .." on the
/// header of a table or an entry that is malformed or out of range, and with kBadInput "FILE: .."
/// if the file has no table. Appends a warning for each unknown line, and for each LID with two
/// port GUIDs.
Result<FiledLfts> read_filed_lfts(const std::string& path, std::vector<std::string>& warnings);

/// The tables with the LIDs of a fabric. LIDs with a port GUID become the current LIDs of that
/// port: the lowest LID in the file becomes the base LID. LIDs without a GUID stay unchanged, and
/// are left out if the fabric does not have them. Entries for ports and switches that are not in
/// the fabric, and output ports that the switch does not have, are left out with a warning. A
/// warning also names each switch of the fabric without a table.
Lfts match_lfts(const FiledLfts& filed, const Fabric& fabric, std::vector<std::string>& warnings);

}  // namespace weft
