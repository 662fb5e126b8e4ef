// Forwarding tables as a file gives them for the engine "file": opensm-lfts.dump, the output of
// dump_lfts or ibroute, or opensm.fdbs. Read once, without a fabric; matched to each fabric anew by
// GUIDs, because LIDs may have moved since the file was written. (routes/dump/read.h, for `verify`,
// takes LIDs as they stand.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

struct FiledTable {
  Guid sw;  // node or port 0
  std::size_t line = 0;
  std::vector<std::uint8_t> ports;  // by LID as far as the table goes; kNoRoute where it is silent
};

struct FiledLfts {
  std::string path;
  std::vector<FiledTable> tables;
  std::vector<Guid> owner;              // by LID: the port GUID that a line names, or 0
  std::vector<std::size_t> owner_line;  // by LID: where
};

/// Fails with kEnvironment where the file cannot be read, and with kBadInput "FILE:LINE:COLUMN: .."
/// on an entry that is malformed or out of range, or a file without any table.
Result<FiledLfts> read_filed_lfts(const std::string& path, std::vector<std::string>& warnings);

/// The tables with the LIDs of a fabric. LIDs with a port GUID go to who holds that GUID today, the
/// lowest of its LIDs in the file to its lowest; LIDs without stay what they are. What the fabric
/// does not have is left out with a warning.
Lfts match_lfts(const FiledLfts& filed, const Fabric& fabric, std::vector<std::string>& warnings);

}  // namespace weft
