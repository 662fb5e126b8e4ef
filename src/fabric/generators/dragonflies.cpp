#include "fabric/generators/shapes.h"

namespace weft {
namespace {

/// Cables between groups: every pair of groups gets the same number, as many as the global ports of
/// a group hold, on the switches in turn. `gates[group]` are the switches with global ports,
/// `ports` how many each has.
Status join_groups(Drawing& drawing, const std::vector<std::vector<Drawing::Switch>>& gates,
                   unsigned ports) {
  const auto groups = static_cast<unsigned>(gates.size());
  if (groups < 2) return {};
  const unsigned slots = static_cast<unsigned>(gates[0].size()) * ports;
  if (slots < groups - 1)
    return fail(Code::kUsage, "{} groups want {} global ports in each, found {}", groups,
                groups - 1, slots);
  const unsigned each = slots / (groups - 1);
  // Distance by distance around the circle of groups, so that every group uses its slots in the
  // same order.
  std::vector<unsigned> used(groups, 0);
  const auto take = [&](unsigned group) { return gates[group][used[group]++ / ports]; };
  for (unsigned round = 0; round < each; ++round)
    for (unsigned distance = 1; distance <= groups / 2; ++distance)
      for (unsigned from = 0; from < groups; ++from) {
        const unsigned to = (from + distance) % groups;
        if (2 * distance == groups && from >= to) continue;  // the opposite group: once
        const Drawing::Switch a = take(from);
        drawing.cable(a, take(to));
      }
  return {};
}

}  // namespace

Result<Drawing> draw_dragonfly(const Parameters& parameters) {
  const unsigned a = parameters.get("a");
  const unsigned h = parameters.get("h");
  const unsigned groups = parameters.given("g") ? parameters.get("g") : a * h + 1;
  Drawing drawing;
  std::vector<std::vector<Drawing::Switch>> group(groups);
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned i = 0; i < a; ++i)
      group[g].push_back(drawing.add_switch(fmt::format("group{}-sw{}", g + 1, i + 1)));
  add_hosts(drawing, parameters.get("p"));
  for (const auto& members : group)
    for (unsigned i = 0; i < a; ++i)
      for (unsigned j = i + 1; j < a; ++j) drawing.cable(members[i], members[j]);
  if (auto status = join_groups(drawing, group, h); !status) return forward(status);
  return drawing;
}

Result<Drawing> draw_dragonfly_plus(const Parameters& parameters) {
  const unsigned leaves = parameters.get("leaves");
  const unsigned spines = parameters.get("spines");
  const unsigned h = parameters.get("h");
  const unsigned groups = parameters.given("g") ? parameters.get("g") : spines * h + 1;
  Drawing drawing;
  std::vector<std::vector<Drawing::Switch>> gates(groups);
  for (unsigned g = 0; g < groups; ++g) {
    std::vector<Drawing::Switch> leaf;
    for (unsigned i = 0; i < leaves; ++i)
      leaf.push_back(drawing.add_switch(fmt::format("group{}-leaf{}", g + 1, i + 1)));
    for (unsigned i = 0; i < spines; ++i)
      gates[g].push_back(drawing.add_switch(fmt::format("group{}-spine{}", g + 1, i + 1)));
    for (const Drawing::Switch at : leaf) {
      for (unsigned i = 0; i < parameters.get("hosts"); ++i)
        drawing.host(at, fmt::format("host-{}", drawing.host_count() + 1));
      for (const Drawing::Switch spine : gates[g]) drawing.cable(at, spine);
    }
  }
  if (auto status = join_groups(drawing, gates, h); !status) return forward(status);
  return drawing;
}

}  // namespace weft
