// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads node descriptions and capability masks after trap 144 announced a change, without a sweep,
// and stores new descriptions in the observation. vports/vport_reading.h reads changes of virtual
// ports, and planes/plane_reading.h changes of HierarchyInfo.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/discovery/node_names.h"
#include "sm/discovery/smp_client.h"
#include "sm/observed.h"

namespace weft {

/// Changes announced by traps.
struct LocalChanges {
  std::set<Guid> names;         // GUIDs of nodes with a new description
  std::set<Guid> capabilities;  // GUIDs of ports with a new capability mask
  std::map<Guid, bool> vports;  // ports with changed vports; true: read all data of the vports
  std::set<Guid> hierarchy;     // GUIDs of nodes with a changed HierarchyInfo
  bool empty() const {
    return names.empty() && capabilities.empty() && vports.empty() && hierarchy.empty();
  }
};

class LocalChangeReading final : public SmpWork {
 public:
  /// Nodes and ports that are not in the observation are ignored. `observed` must outlive this
  /// object.
  LocalChangeReading(const Observed& observed, const LocalChanges& changes);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  struct Name {
    NodeId node;
    std::string text;
  };
  struct Capabilities {
    NodeId node;
    PortNum port;
    std::uint32_t mask = 0;
    std::uint16_t mask2 = 0;
  };
  // Results from nodes and ports that answered.
  const std::vector<Name>& names() const { return names_; }
  const std::vector<Capabilities>& capabilities() const { return capabilities_; }
  /// Messages about nodes and ports without a valid answer.
  const std::vector<std::string>& silent() const { return silent_; }
  /// Whether the capability mask of at least one port could not be read.
  bool missed_a_port() const { return missed_a_port_; }

 private:
  struct Query {
    NodeId node;
    std::optional<PortNum> port;  // port for PortInfo; empty: NodeDescription is read
  };
  DirectedPath path_to(const Query& query) const;
  void miss(const Query& query, const std::string& why);

  const Observed& observed_;
  std::vector<Query> queries_;
  std::size_t at_ = 0;
  std::vector<Name> names_;
  std::vector<Capabilities> capabilities_;
  std::vector<std::string> silent_;
  bool missed_a_port_ = false;
};

/// Replaces node descriptions in the graph of the observation. Nodes with a name in `given`
/// (node_name_map_name) have this name in the graph; their descriptions are stored in
/// ObservedNode::own_description. Fails with kBadInput if the graph cannot be rebuilt with the same
/// nodes.
Status rename(Observed& observed, const std::vector<LocalChangeReading::Name>& names,
              const NodeNames& given);

}  // namespace weft
