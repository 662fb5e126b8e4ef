// What the administrator says about routing, in GUIDs and files, and its resolution to ids of one
// fabric. Files are read once (and again on SIGHUP); GUIDs are resolved for each new Fabric,
// because nodes come and go.
#pragma once

#include <memory>
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
#include "sm/chain_policy.h"
#include "sm/group_file.h"
#include "sm/port_files.h"
#include "sm/port_groups.h"

namespace weft {

/// A GUID of a file, or a port group that stands for several, with the place it stands at for
/// messages.
struct FiledGuid {
  Guid guid;
  std::string place;    // "file:line"
  std::string group{};  // instead of the GUID
};

struct RoutingInputs;

/// A step of a routing chain, and what its own configuration file says.
struct ChainStepInputs {
  FiledStep filed;
  std::shared_ptr<const RoutingInputs> own{};  // null: what all steps are told
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

  PortGroups port_groups;                 // pgrp_policy_file
  std::vector<FiledTopology> topologies;  // topo_policy_file
  std::vector<ChainStepInputs> chain;     // rch_policy_file
};

/// One GUID a line in hex, "0x" or not, or a port group as "group:NAME"; what follows '#' is a
/// comment. A line of another form is dropped with a warning naming file and line, as opensm(8)
/// promises. Fails with kEnvironment where the file cannot be read.
Result<std::vector<FiledGuid>> read_guid_file(const std::string& path,
                                              std::vector<std::string>& warnings);

/// Every port group that a file names must be defined. Fails with kBadInput naming file and line.
Status check_groups(const RoutingInputs& inputs);

/// The options that were given, whatever becomes of them on a fabric.
std::vector<Option> given(const RoutingInputs& inputs);

/// The options for one fabric. Roots may be switch GUIDs, or GUIDs of CAs, which stand for the
/// switches that they are cabled to; the order, compute and I/O nodes are port GUIDs. A GUID that
/// the fabric does not have is skipped with a warning. `throttled`, by ChannelId, is what ports say
/// of their cables; null where nobody asked them.
RoutingOptions resolve(const RoutingInputs& inputs, const Fabric& fabric,
                       std::vector<std::string>& warnings,
                       const std::vector<bool>* throttled = nullptr);
/// The same for one engine of a chain: without the chain.
RoutingOptions resolve_one(const RoutingInputs& inputs, const Fabric& fabric,
                           std::vector<std::string>& warnings,
                           const std::vector<bool>* throttled = nullptr);

}  // namespace weft
