// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configuration of routing chains: topologies (topo_policy_file), which consist of port groups, and
// routing steps (rch_policy_file). Format: docs/reference/routing-chains.md.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/port_groups.h"

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
  std::string config;        // configuration file of the engine, or empty
  unsigned topology = 0;     // 0: the whole fabric
  unsigned fallback_to = 0;  // step that this step replaces if that step fails; 0: none
  unsigned path_bit = 0;
  std::string place;         // "file:line"
  std::string config_place;  // "file:line:column"
  bool operator==(const FiledStep&) const = default;
};

/// Reads the topologies. Fails with kEnvironment if the file cannot be read; with kBadInput, with
/// all errors in the message: an unknown or missing qualifier, an id that is not a number from 1
/// to 1000000 or is a duplicate, an undefined group.
Result<std::vector<FiledTopology>> read_topologies(const std::string& path,
                                                   const PortGroups& groups);

/// Reads the steps. Fails with kEnvironment if the file cannot be read; with kBadInput, with all
/// errors in the message: an unknown or missing qualifier; an invalid or duplicate id; an engine
/// that is unknown, adaptive, "chain" or "auto"; an undefined topology or step; cyclic fallbacks; a
/// first step (the one with the lowest id) that is a fallback or is not on topology 0 and path bit
/// 0; a path bit beyond the LMC; no step, or more than kChainStepsMost steps.
Result<std::vector<FiledStep>> read_steps(const std::string& path,
                                          const std::vector<FiledTopology>& topologies,
                                          unsigned lmc);

}  // namespace weft
