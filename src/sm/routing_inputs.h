// What the administrator says about routing, in GUIDs and files, and its resolution to ids of one
// fabric. Files are read once (and again on SIGHUP); GUIDs are resolved for each new Fabric,
// because nodes come and go.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/options.h"

namespace weft {

/// A GUID of a file, with the place it stands at for messages.
struct FiledGuid {
  Guid guid;
  std::string place;  // "file:line"
};

struct RoutingInputs {
  RoutingOptions plain;          // what needs no fabric: threads, seed, VLs, balance, connect_roots
  std::vector<FiledGuid> roots;  // -a
  std::vector<FiledGuid> order;  // -X
  std::vector<FiledGuid> compute_nodes;  // -u
  std::vector<FiledGuid> io_nodes;       // -G
};

/// One GUID a line in hex, "0x" or not; what follows '#' is a comment. A line of another form is
/// dropped with a warning naming file and line, as opensm(8) promises. Fails with kEnvironment
/// where the file cannot be read.
Result<std::vector<FiledGuid>> read_guid_file(const std::string& path,
                                              std::vector<std::string>& warnings);

/// The options for one fabric. Roots may be switch GUIDs, or GUIDs of CAs, which stand for the
/// switches that they are cabled to; the order, compute and I/O nodes are port GUIDs. A GUID that
/// the fabric does not have is skipped with a warning.
RoutingOptions resolve(const RoutingInputs& inputs, const Fabric& fabric,
                       std::vector<std::string>& warnings);

}  // namespace weft
