// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DGX SuperPOD in its published sizes: 8 rails, a leaf per rail in each scalable unit (two leaves
// for B300 with NDR), and the smallest number of spines that divides the uplinks of a leaf evenly.
// See rails.h.
#include "fabric/generators/rails.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

Result<Drawing> draw_superpod(const Parameters& parameters, RailPlan plan) {
  plan.spines = spines_for(plan);
  return draw_rails(parameters, plan);
}

}  // namespace

/// Units of 32 nodes. The last unit has one node less, because its ports are for the servers of the
/// management software.
Result<Drawing> draw_superpod_h100(const Parameters& parameters) {
  RailPlan plan;
  plan.units = parameters.number("su");
  plan.absent = 1;
  return draw_superpod(parameters, plan);
}

/// Above 8 units there are pods of 4 units, connected by cores.
Result<Drawing> draw_superpod_b200(const Parameters& parameters) {
  RailPlan plan;
  plan.units = parameters.number("su");
  if (plan.units > 8) {
    if (plan.units % 4 != 0)
      return parameters.refuse("su", fmt::format("su={}", plan.units),
                               "at most 8, or a multiple of 4: cores join pods of 4 units");
    plan.pods = plan.units / 4;
  }
  return draw_superpod(parameters, plan);
}

/// A unit of 64 nodes has two leaves per rail. Above 4 units the rails form groups, each with its
/// own spines.
Result<Drawing> draw_superpod_b300(const Parameters& parameters) {
  RailPlan plan;
  const unsigned units = parameters.number("su");
  plan.units = 2 * units;
  while (plan.leaves_below() > plan.ports && plan.groups < plan.rails) plan.groups *= 2;
  return draw_superpod(parameters, plan);
}

/// Units of 72 nodes on switches of 144 ports.
Result<Drawing> draw_superpod_b300_xdr(const Parameters& parameters) {
  RailPlan plan;
  plan.units = parameters.number("su");
  plan.servers = plan.up = 72;
  plan.ports = 144;
  return draw_superpod(parameters, plan);
}

}  // namespace weft
