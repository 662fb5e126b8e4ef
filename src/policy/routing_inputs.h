// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The administrator's routing options, as GUIDs and files, and their resolution to IDs of one
// fabric. Files are read once, and again on SIGHUP; GUIDs are resolved for each new Fabric, because
// nodes appear and disappear.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "policy/ar_conf.h"
#include "policy/chain_policy.h"
#include "policy/group_file.h"
#include "policy/measured_weights.h"
#include "policy/port_files.h"
#include "policy/port_groups.h"
#include "routing/file/filed_lfts.h"
#include "routing/options.h"
#include "routing/supported_options.h"
#include "routing/tables/lid_matrix.h"

namespace weft {

/// A GUID or a port group in a file, with its place for messages.
struct FiledGuid {
  Guid guid;
  std::string place;    // "file:line"
  std::string group{};  // port group, in place of the GUID
};

struct RoutingInputs;

/// A step of a routing chain, and the options of the configuration file of the step.
struct ChainStepInputs {
  FiledStep filed;
  std::shared_ptr<const RoutingInputs> own{};  // null: the step has no file
};

struct RoutingInputs {
  RoutingOptions
      plain;  // fields independent of the fabric, such as threads, seed, VLs, connect_roots
  std::vector<FiledGuid> roots;          // -a
  std::vector<FiledGuid> order;          // -X
  std::vector<FiledGuid> compute_nodes;  // -u
  std::vector<FiledGuid> io_nodes;       // -G
  bool order_not_scattered = false;      // guid_routing_order_no_scatter
  bool avoid_throttled_links = false;

  std::vector<FiledPort> ignored;                // -i
  std::vector<FiledWeight> hop_weights;          // -w
  std::vector<FiledNodeWeight> node_weights;     // --node_weights_file
  std::vector<MeasuredWeight> measured_weights;  // by load-aware routing, in place of a file
  std::vector<FiledPortOrder> port_orders;       // -O
  std::vector<FiledSwitchId> switch_ids;         // -m
  std::optional<FiledLfts> lfts;                 // -U
  std::optional<FiledMatrix> lid_matrix;         // -M
  std::vector<FiledGroup> groups;                // --multicast
  std::optional<ArConf> adaptive;                // --ar_mgr_conf_file
  AsymmetricFlow asymmetric_flow = AsymmetricFlow::kOff;  // ar_tree_asymmetric_flow

  PortGroups port_groups;                 // pgrp_policy_file
  std::vector<FiledTopology> topologies;  // topo_policy_file
  std::vector<ChainStepInputs> chain;     // rch_policy_file
};

/// Reads one GUID on each line in hex, with or without "0x", or a port group as "group:NAME"; '#'
/// begins a comment. A line of another form is dropped with a warning naming file and line, as
/// documented in opensm(8). Fails with kEnvironment if the file cannot be read.
Result<std::vector<FiledGuid>> read_guid_file(const std::string& path,
                                              std::vector<std::string>& warnings);

/// Checks that every port group named in a file is defined. Fails with kBadInput naming file and
/// line.
Status check_groups(const RoutingInputs& inputs);

/// The options that are set, whether or not they apply to a fabric. Parameters of engines are left
/// out.
std::vector<Option> given(const RoutingInputs& inputs);

/// Resolves the options for one fabric. Roots may be switch GUIDs, or GUIDs of CAs and
/// routers, which select the switches to which these are cabled; the order, compute nodes and I/O
/// nodes are port GUIDs. A GUID that is not in the fabric is skipped with a warning. `degraded`:
/// degraded links by ChannelId; null: if they are needed, guess_degraded_links() determines them.
RoutingOptions resolve(const RoutingInputs& inputs, const Fabric& fabric,
                       std::vector<std::string>& warnings,
                       const std::vector<bool>* degraded = nullptr);
/// Like resolve(), for one engine of a chain: the result contains no chain.
RoutingOptions resolve_one(const RoutingInputs& inputs, const Fabric& fabric,
                           std::vector<std::string>& warnings,
                           const std::vector<bool>* degraded = nullptr);

}  // namespace weft
