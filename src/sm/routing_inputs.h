// What the administrator says about routing, in GUIDs and files, and its resolution to ids of one
// fabric. Files are read once (and again on SIGHUP); GUIDs are resolved for each new Fabric,
// because nodes come and go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/file/filed_lfts.h"
#include "routing/file/lid_matrix.h"
#include "routing/heeded.h"
#include "routing/options.h"
#include "sm/ar_conf.h"
#include "sm/group_file.h"
#include "sm/port_files.h"

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
  bool order_not_scattered = false;      // guid_routing_order_no_scatter
  bool avoid_throttled_links = false;

  std::vector<FiledPort> ignored;             // -i
  std::vector<FiledWeight> hop_weights;       // -w
  std::vector<FiledNodeWeight> node_weights;  // --node_weights_file
  std::vector<FiledPortOrder> port_orders;    // -O
  std::vector<FiledSwitchId> switch_ids;      // -m
  std::optional<FiledLfts> lfts;              // -U
  std::optional<FiledMatrix> lid_matrix;      // -M
  std::vector<FiledGroup> groups;             // --multicast
  std::optional<ArConf> adaptive;             // --ar_mgr_conf_file
};

/// One GUID a line in hex, "0x" or not; what follows '#' is a comment. A line of another form is
/// dropped with a warning naming file and line, as opensm(8) promises. Fails with kEnvironment
/// where the file cannot be read.
Result<std::vector<FiledGuid>> read_guid_file(const std::string& path,
                                              std::vector<std::string>& warnings);

/// The options that were given, whatever becomes of them on a fabric.
std::vector<Option> given(const RoutingInputs& inputs);

/// The options for one fabric. Roots may be switch GUIDs, or GUIDs of CAs, which stand for the
/// switches that they are cabled to; the order, compute and I/O nodes are port GUIDs. A GUID that
/// the fabric does not have is skipped with a warning. `throttled`, by ChannelId, is what ports say
/// of their cables; null where nobody asked them.
RoutingOptions resolve(const RoutingInputs& inputs, const Fabric& fabric,
                       std::vector<std::string>& warnings,
                       const std::vector<bool>* throttled = nullptr);

}  // namespace weft
