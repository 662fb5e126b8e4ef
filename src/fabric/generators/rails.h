// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics for hosts with several adapters: adapter i of each host is cabled to leaves of rail i.
// Sources: NVIDIA, "DGX SuperPOD reference architecture" (H100, B200, B300); Wang, Ghobadi,
// Shakeri, Zhang, Hasani, "How to build low-cost networks for large language models (without
// sacrificing performance)?", 2023 (rail-only); Qian et al., "Alibaba HPN: a data center network
// for large language model training", 2024 (planes); Zhao et al., "Insights into DeepSeek-V3", 2025
// (multi-plane).
#pragma once

#include <string>

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

/// Leaves of a unit connect the same hosts, one leaf per rail. The leaves of a group of rails
/// within a pod share spines; cores connect the pods. No cables connect the groups.
struct RailPlan {
  unsigned units = 1;
  unsigned servers = 32;          // servers of a unit
  unsigned absent = 0;            // unused places for servers at the end
  unsigned rails = 8;             // number of rails: adapters of a server
  unsigned groups = 1;            // groups of rails; divides rails
  unsigned pods = 1;              // divides units
  unsigned ports = 64;            // ports of a switch
  unsigned up = 32;               // uplinks of a leaf
  unsigned spines = 0;            // of a group in a pod; divides up; 0: a single leaf needs none
  bool planes_are_rails = false;  // names: a rail is a plane, a unit a leaf

  // Of a spine: number of leaves below it, and of its ports to leaves and to cores.
  unsigned leaves_below() const { return units / pods * (rails / groups); }
  unsigned spine_down() const { return spines == 0 ? 0 : up / spines * leaves_below(); }
  unsigned spine_up() const { return pods > 1 ? spine_down() : 0; }
  unsigned cores() const;  // number of cores for each spine of a pod
};

/// The smallest number of spines that divides the uplinks and has ports for all leaves; 0 if there
/// is none.
unsigned spines_for(const RailPlan& plan);

Result<Drawing> draw_rails(const Parameters& parameters, const RailPlan& plan);

}  // namespace weft
