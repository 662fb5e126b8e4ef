// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/rails.h"

#include <algorithm>

#include "fabric/generators/shapes.h"
#include "fabric/generators/spread.h"

namespace weft {
namespace {

class RailDrawer {
 public:
  RailDrawer(Drawing& drawing, const RailPlan& plan) : drawing_(drawing), plan_(plan) {}

  void draw() {
    for (unsigned unit = 0; unit < plan_.units; ++unit)
      for (unsigned rail = 0; rail < plan_.rails; ++rail)
        drawing_.add_switch(leaf_name(unit, rail));
    add_servers();
    for (unsigned group = 0; group < plan_.groups; ++group) add_upper_levels(group);
  }

 private:
  Drawing::Switch leaf(unsigned unit, unsigned rail) const { return unit * plan_.rails + rail; }

  std::string leaf_name(unsigned unit, unsigned rail) const {
    if (plan_.planes_are_rails) return fmt::format("plane{}-leaf{}", rail + 1, unit + 1);
    return fmt::format("su{}-rail{}", unit + 1, rail + 1);
  }

  /// The prefix of the names of spines and cores.
  std::string group_name(unsigned group) const {
    if (plan_.groups == 1) return {};
    const char* word = plan_.planes_are_rails        ? "plane"
                       : plan_.groups == plan_.rails ? "rail"
                                                     : "group";
    return fmt::format("{}{}-", word, group + 1);
  }

  void add_servers() {
    const unsigned count = plan_.units * plan_.servers - plan_.absent;
    std::vector<Drawing::Switch> places;
    for (unsigned server = 0; server < count; ++server) {
      places.clear();
      for (unsigned rail = 0; rail < plan_.rails; ++rail)
        places.push_back(leaf(server / plan_.servers, rail));
      drawing_.add_server(places);
    }
  }

  void add_upper_levels(unsigned group) {
    const std::string name = group_name(group);
    std::vector<Drawing::Switch> spines;  // all spines, by pod
    for (unsigned pod = 0; pod < plan_.pods; ++pod)
      for (unsigned i = 0; i < plan_.spines; ++i)
        spines.push_back(drawing_.add_switch(
            plan_.pods > 1 ? fmt::format("{}pod{}-spine{}", name, pod + 1, i + 1)
                           : fmt::format("{}spine{}", name, i + 1)));
    std::vector<Drawing::Switch> cores;
    if (plan_.pods > 1)
      for (unsigned i = 0; i < plan_.spines * plan_.cores(); ++i)
        cores.push_back(drawing_.add_switch(fmt::format("{}core{}", name, i + 1)));
    const unsigned units = plan_.units / plan_.pods;
    const unsigned rails = plan_.rails / plan_.groups;
    for (unsigned unit = 0; unit < plan_.units; ++unit)
      for (unsigned rail = 0; rail < rails; ++rail)
        for (unsigned i = 0; i < plan_.spines; ++i)
          drawing_.cable(leaf(unit, group * rails + rail), spines[unit / units * plan_.spines + i],
                         plan_.up / plan_.spines);
    if (plan_.pods > 1)
      for (unsigned s = 0; s < spines.size(); ++s)
        for (unsigned i = 0; i < plan_.cores(); ++i)
          drawing_.cable(spines[s], cores[s % plan_.spines * plan_.cores() + i],
                         plan_.spine_up() / plan_.cores());
  }

  Drawing& drawing_;
  const RailPlan& plan_;
};

/// Reads and checks the parameters that both rail and railonly have.
Result<RailPlan> rail_plan(const Parameters& parameters, unsigned groups) {
  RailPlan plan;
  plan.units = parameters.number("su");
  plan.rails = parameters.number("nics");
  plan.pods = parameters.number("pods");
  plan.ports = parameters.number("k");
  plan.groups = groups;
  plan.servers = parameters.number_or("servers", plan.ports / 2);
  if (plan.rails % groups != 0)
    return parameters.refuse("groups", fmt::format("groups={}", groups),
                             fmt::format("a divisor of the {} rails", plan.rails));
  if (plan.units % plan.pods != 0)
    return parameters.refuse("pods", fmt::format("pods={}", plan.pods),
                             fmt::format("a divisor of the {} units", plan.units));
  const bool is_alone = plan.leaves_below() == 1 && plan.pods == 1;
  if (is_alone && parameters.given("spines"))
    return parameters.refuse("spines", "spines above a single leaf",
                             "more units, or rails that share spines");
  Ratio ratio;
  if (parameters.given("blocking")) ratio = parameters.ratio("blocking");
  plan.up = is_alone ? 0 : std::max(1u, plan.servers * ratio.below / ratio.above);
  if (plan.servers + plan.up > plan.ports)
    return parameters.refuse(
        "servers", fmt::format("a leaf with {} servers and {} uplinks", plan.servers, plan.up),
        fmt::format("at most {} ports", plan.ports));
  if (is_alone) return plan;
  plan.spines = parameters.number_or("spines", spines_for(plan));
  if (plan.spines == 0 || plan.up % plan.spines != 0)
    return parameters.refuse(
        "spines",
        plan.spines == 0 ? fmt::format("{} leaves that share spines", plan.leaves_below())
                         : fmt::format("spines={}", plan.spines),
        plan.spines == 0 ? fmt::format("at most {} of them: a spine has {} ports",
                                       plan.pods > 1 ? plan.ports / 2 : plan.ports, plan.ports)
                         : fmt::format("a divisor of the {} uplinks of a leaf", plan.up));
  return plan;
}

Result<Drawing> draw_planned(const Parameters& parameters, const Result<RailPlan>& plan) {
  if (!plan) return forward(plan);
  return draw_rails(parameters, *plan);
}

}  // namespace

unsigned RailPlan::cores() const { return even_spread(spine_up(), pods, ports); }

unsigned spines_for(const RailPlan& plan) {
  const unsigned down = plan.pods > 1 ? plan.ports / 2 : plan.ports;
  return even_spread(plan.up, plan.leaves_below(), down);
}

Result<Drawing> draw_rails(const Parameters& parameters, const RailPlan& plan) {
  const std::uint64_t leaves = product({plan.units, plan.rails});
  const std::uint64_t spine_ports = std::uint64_t{plan.spine_down()} + plan.spine_up();
  if (spine_ports > plan.ports)
    return parameters.refuse(fmt::format("a spine with {} ports in use", spine_ports),
                             fmt::format("at most {}", plan.ports));
  if (plan.pods > 1 && plan.cores() == 0)
    return parameters.refuse("pods", fmt::format("{} pods", plan.pods),
                             fmt::format("at most {}: a core has a port for each", plan.ports));
  const std::uint64_t cores = plan.pods > 1 ? product({plan.spines, plan.cores()}) : 0;
  const std::uint64_t switches =
      leaves + product({plan.groups, product({plan.pods, plan.spines}) + cores});
  const std::uint64_t hosts =
      product({product({plan.units, plan.servers}) - plan.absent, plan.rails});
  auto drawing = Drawing::start(parameters, {switches, hosts, plan.ports, "ports of hosts"});
  if (!drawing) return drawing;
  RailDrawer(*drawing, plan).draw();
  return drawing;
}

Result<Drawing> draw_rail(const Parameters& parameters) {
  return draw_planned(parameters, rail_plan(parameters, parameters.number("groups")));
}

Result<Drawing> draw_rail_only(const Parameters& parameters) {
  return draw_planned(parameters, rail_plan(parameters, parameters.number("nics")));
}

Result<Drawing> draw_multiplane(const Parameters& parameters) {
  RailPlan plan;
  plan.planes_are_rails = true;
  plan.rails = plan.groups = parameters.number("planes");
  plan.ports = parameters.number("k");
  plan.units = parameters.number_or("leaves", plan.ports);
  plan.servers = parameters.number_or("hosts", plan.ports / 2);
  plan.up = plan.units == 1 ? 0 : plan.ports / 2;
  if (plan.servers + plan.up > plan.ports)
    return parameters.refuse(
        "hosts", fmt::format("hosts={}", plan.servers),
        fmt::format("at most {}: half of the ports of a leaf are uplinks", plan.ports - plan.up));
  plan.spines = plan.up == 0 ? 0 : spines_for(plan);
  if (plan.up > 0 && plan.spines == 0)
    return parameters.refuse("leaves", fmt::format("leaves={}", plan.units),
                             fmt::format("at most {}: a spine has a port for each", plan.ports));
  return draw_rails(parameters, plan);
}

}  // namespace weft
