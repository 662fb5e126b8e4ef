// Routing chains as the administrator writes them: topologies (topo_policy_file) of port groups,
// and steps (rch_policy_file) that route them. docs/reference/routing-chains.md
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "sm/port_groups.h"

namespace weft {

struct FiledTopology {
  unsigned id = 0;  // from 1; 0 is the whole fabric
  std::string switch_group;
  std::string host_group;
  bool operator==(const FiledTopology&) const = default;
};

struct FiledStep {
  unsigned id = 0;
  std::string engine;
  std::string use;
  std::string config;        // a configuration file of its own, or empty
  unsigned topology = 0;     // 0: the whole fabric
  unsigned fallback_to = 0;  // the step that it stands in for; 0: it is no fallback
  unsigned path_bit = 0;
  std::string place;         // "file:line"
  std::string config_place;  // "file:line:column"
  bool operator==(const FiledStep&) const = default;
};

/// Fails with kBadInput, all complaints in the message: an unknown or missing qualifier, an id that
/// is not from 1 on or is there already, a group that is not defined.
Result<std::vector<FiledTopology>> read_topologies(const std::string& path,
                                                   const PortGroups& groups);

/// Fails with kBadInput, all complaints in the message: what is true of topologies; an engine that
/// is not known, "chain" and "auto" among them; a topology or step that is not there; fallbacks in
/// a circle; a first step that is a fallback or is not on topology 0 and path bit 0; a path bit
/// that ports with this LMC do not have; no step.
Result<std::vector<FiledStep>> read_steps(const std::string& path,
                                          const std::vector<FiledTopology>& topologies,
                                          unsigned lmc);

}  // namespace weft
