// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layouts: shapes are detected from cables only, also with missing cables, and switches do not
// overlap.

#include "report/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fabric/generators/spec.h"
#include "report/drawing.h"
#include "support/fabrics.h"
#include "support/tiny.h"

namespace weft {
namespace {

SwitchGraph graph_of(const std::string& spec) {
  const auto fabric = generate(spec);
  EXPECT_TRUE(fabric) << spec;
  return make_switch_graph(*fabric);
}

void expect_drawable(const Layout& layout, const SwitchGraph& graph, const std::string& name) {
  ASSERT_EQ(layout.x.size(), graph.size()) << name;
  ASSERT_EQ(layout.y.size(), graph.size()) << name;
  ASSERT_EQ(layout.box.size(), graph.size()) << name;
  std::vector<std::uint32_t> order(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    order[s] = s;
    EXPECT_TRUE(std::isfinite(layout.x[s]) && std::isfinite(layout.y[s])) << name;
    EXPECT_TRUE(layout.x[s] > 0 && layout.x[s] < layout.width) << name;
    EXPECT_TRUE(layout.y[s] > 0 && layout.y[s] < layout.height) << name;
    const LayoutBox& box = layout.boxes[layout.box[s]];
    EXPECT_TRUE(layout.x[s] > box.x && layout.x[s] < box.x + box.width) << name;
    EXPECT_TRUE(layout.y[s] > box.y && layout.y[s] < box.y + box.height) << name;
  }
  std::ranges::sort(order, {}, [&](std::uint32_t s) { return layout.x[s]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const double dx = layout.x[order[j]] - layout.x[order[i]];
      if (dx >= kNearest) break;
      const double dy = layout.y[order[j]] - layout.y[order[i]];
      ASSERT_GE(std::hypot(dx, dy), kNearest) << name << ": " << order[i] << " and " << order[j];
    }
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;
  for (const LayoutBox& box : layout.boxes) {
    switches += box.switches;
    hosts += box.hosts;
  }
  EXPECT_EQ(switches, graph.size()) << name;
  std::uint32_t all = 0;
  for (const std::uint32_t count : graph.hosts) all += count;
  EXPECT_EQ(hosts, all) << name;
}

TEST(Layout, SwitchesHaveDistinctPositionsOnSmallFabrics) {
  for (const char* spec : kSmallSpecs) {
    const SwitchGraph graph = graph_of(spec);
    expect_drawable(lay_out(graph), graph, spec);
  }
}

TEST(Layout, LargeFabricsHaveFewBoxes) {
  for (const char* spec :
       {"fattree3:k=54,hosts=1", "torus:16x16x16", "dragonfly:a=16,h=8,p=1,g=70",
        "random:n=2000,degree=6", "hypercube:n=11", "slimfly:q=19", "xgft:m=8x8x8x8,w=1x4x4x4"}) {
    const SwitchGraph graph = graph_of(spec);
    const Layout layout = lay_out(graph);
    EXPECT_TRUE(layout.boxed) << spec;
    EXPECT_GE(layout.boxes.size(), 4u) << spec;
    EXPECT_LE(layout.boxes.size(), kDrawnMax) << spec;
    expect_drawable(layout, graph, spec);
  }
}

TEST(Layout, IsReproducible) {
  for (const char* spec : {"random:n=100,degree=4", "fattree3:k=8", "torus:5x6x7"}) {
    const SwitchGraph graph = graph_of(spec);
    const Layout a = lay_out(graph);
    const Layout b = lay_out(graph);
    EXPECT_EQ(a.x, b.x) << spec;
    EXPECT_EQ(a.y, b.y) << spec;
    EXPECT_EQ(a.box, b.box) << spec;
  }
}

TEST(TreeLayout, LevelsAreTheDistancesFromHosts) {
  const SwitchGraph graph = graph_of("fattree3:k=8");  // 32 leaves, 32 spines, 16 cores
  const Layout layout = lay_out(graph);
  EXPECT_EQ(layout.about, "tree of 3 levels");
  ASSERT_EQ(layout.shape, Shape::kTree);
  std::map<std::uint32_t, int> count;
  std::map<std::uint32_t, std::set<double>> heights;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    ++count[layout.level[s]];
    heights[layout.level[s]].insert(layout.y[s]);
    EXPECT_EQ(graph.hosts[s] > 0, layout.level[s] == 0);
  }
  EXPECT_EQ(count, (std::map<std::uint32_t, int>{{0, 32}, {1, 32}, {2, 16}}));
  for (const auto& [level, ys] : heights) EXPECT_EQ(ys.size(), 1u) << level;
  EXPECT_GT(*heights[0].begin(), *heights[1].begin());
  EXPECT_GT(*heights[1].begin(), *heights[2].begin());
}

TEST(TreeLayout, LeavesOfAPodAreAdjacent) {
  const SwitchGraph graph = graph_of("fattree3:k=8");
  const Layout layout = lay_out(graph);
  std::vector<bool> below(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) below[s] = layout.level[s] < 2;
  const SwitchComponents pods = components(graph, &below);
  ASSERT_EQ(pods.count, 8u);
  std::vector<std::pair<double, std::uint32_t>> leaves;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (layout.level[s] == 0) leaves.emplace_back(layout.x[s], pods.of[s]);
  std::ranges::sort(leaves);
  int changes = 0;
  for (std::size_t i = 1; i < leaves.size(); ++i)
    changes += leaves[i].second != leaves[i - 1].second;
  EXPECT_EQ(changes, 7);
}

TEST(TreeLayout, IsFoundWithoutSomeCablesAndSwitches) {
  for (const char* spec : {"fattree3:k=8,fail=20,seed=3", "fattree3:k=8,dead=5,seed=2",
                           "fattree2:k=12", "xgft:m=4x4x4,w=1x2x3", "fattree2:k=4"})
    EXPECT_EQ(lay_out(graph_of(spec)).shape, Shape::kTree) << spec;
}

// One spine has a host, for example the host of the manager. The other spine has an aggregation
// node, which has the system GUID of the switch.
TEST(TreeLayout, IsFoundWithAHostAtASpine) {
  Tiny tiny(6);
  for (unsigned leaf = 0; leaf < 4; ++leaf) tiny.link(leaf, 4).link(leaf, 5).hosts(leaf, 4);
  tiny.hosts(4).hosts(5);
  tiny.builder().node(23).system_guid = Guid(0x105);
  const SwitchGraph graph = make_switch_graph(tiny.build());
  EXPECT_EQ(graph.hosts, (std::vector<std::uint32_t>{4, 4, 4, 4, 1, 0}));
  const Layout layout = lay_out(graph);
  EXPECT_EQ(layout.shape, Shape::kTree);
  EXPECT_EQ(layout.level, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1}));
}

// The aggregation node is recognized by its device id, and has a system GUID of its own.
TEST(Drawing, DoesNotCountAggregationNodesAsHosts) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 2).hosts(1);
  tiny.builder().node(4).device_id = 0xCF09;
  const Fabric fabric = tiny.build();
  const SwitchGraph graph = make_switch_graph(fabric);
  EXPECT_EQ(graph.hosts, (std::vector<std::uint32_t>{2, 0}));
  const DrawnLoad load{"load", std::vector<std::uint64_t>(fabric.channel_count(), 0)};
  const std::string svg = draw_fabric("drawing", fabric, lay_out(graph), load).finish(false);
  EXPECT_NE(svg.find(", 2 hosts"), std::string::npos);
  EXPECT_NE(svg.find(", 0 hosts"), std::string::npos);
}

/// Expects a grid of these sizes, in which every cable joins neighbors on a line or ring.
void expect_grid(const std::string& spec, std::vector<std::uint32_t> sizes, bool closed) {
  const SwitchGraph graph = graph_of(spec);
  const Layout layout = lay_out(graph);
  ASSERT_EQ(layout.shape, Shape::kGrid) << spec << ": " << layout.about;
  std::vector<std::uint32_t> found;
  for (const GridDimension& dimension : layout.dimensions) {
    found.push_back(dimension.size);
    EXPECT_EQ(dimension.closed, closed && dimension.size > 2) << spec;
  }
  std::ranges::sort(sizes, std::ranges::greater{});
  EXPECT_EQ(found, sizes) << spec;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const auto& edge : graph.of(s)) {
      unsigned steps = 0;
      for (std::size_t d = 0; d < layout.dimensions.size(); ++d) {
        const std::uint32_t size = layout.dimensions[d].size;
        const std::uint32_t apart = (layout.at(s, d) + size - layout.at(edge.to, d)) % size;
        steps += closed ? std::min(apart, size - apart)
                        : static_cast<unsigned>(std::abs(static_cast<int>(layout.at(s, d)) -
                                                         static_cast<int>(layout.at(edge.to, d))));
      }
      ASSERT_EQ(steps, 1u) << spec << ": " << s << " - " << edge.to;
    }
}

TEST(GridLayout, NeighborsAreAdjacentOnTori) {
  expect_grid("torus:6x6x6", {6, 6, 6}, true);
  expect_grid("torus:3x5", {3, 5}, true);
  expect_grid("torus:4x5x7,hosts=2", {4, 5, 7}, true);
  expect_grid("torus:5x5x5x5", {5, 5, 5, 5}, true);
  expect_grid("ring:n=9", {9}, true);
  expect_grid("hypercube:n=6", {4, 4, 4}, true);
  expect_grid("hypercube:n=5", {4, 4, 2}, true);
}

TEST(GridLayout, NeighborsAreAdjacentOnMeshes) {
  expect_grid("mesh:3x4", {3, 4}, false);
  expect_grid("mesh:5x6x7", {5, 6, 7}, false);
  expect_grid("line:n=7", {7}, false);
}

TEST(GridLayout, IsFoundWithoutSomeCablesAndSwitches) {
  expect_grid("torus:6x6x6,fail=10,seed=1", {6, 6, 6}, true);
  expect_grid("torus:8x8,fail=3,seed=2", {8, 8}, true);
  expect_grid("torus:6x6x6,dead=3,seed=5", {6, 6, 6}, true);
}

TEST(GridLayout, FindsFullDimensions) {
  const Layout layout = lay_out(graph_of("hyperx:5x6"));
  ASSERT_EQ(layout.shape, Shape::kGrid) << layout.about;
  EXPECT_EQ(layout.about, "HyperX of 6 x 5");
  EXPECT_TRUE(layout.dimensions[0].full && layout.dimensions[1].full);
}

TEST(GridLayout, IdentifiesCablesThatCloseRings) {
  const SwitchGraph graph = graph_of("torus:6x5");
  const Layout layout = lay_out(graph);
  unsigned closing = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const auto& edge : graph.of(s))
      closing += edge.to > s && closes_ring(layout, s, edge.to) ? 1 : 0;
  EXPECT_EQ(closing, 11u);
}

void expect_groups(const std::string& spec, std::size_t groups, std::uint32_t size) {
  const Layout layout = lay_out(graph_of(spec));
  ASSERT_EQ(layout.shape, Shape::kGroups) << spec << ": " << layout.about;
  EXPECT_EQ(layout.boxes.size(), groups) << spec;
  for (const LayoutBox& box : layout.boxes) EXPECT_EQ(box.switches, size) << spec;
  for (std::uint32_t s = 0; s < layout.group.size();
       ++s)  // generators number the switches of each group consecutively
    EXPECT_EQ(layout.group[s], s / size) << spec;
}

TEST(GroupLayout, FindsTheGroupsOfDragonflies) {
  expect_groups("dragonfly:a=4,h=2,p=2", 9, 4);
  expect_groups("dragonfly:a=8,h=4,p=4", 33, 8);
  expect_groups("dragonfly:a=6,h=3,p=3,g=7", 7, 6);
  expect_groups("dragonflyplus:leaves=4,spines=4,h=2,hosts=4", 9, 8);
  expect_groups("dragonflyplus:leaves=8,spines=8,h=2,hosts=1", 17, 16);
  expect_groups("dragonfly:a=8,h=4,p=4,fail=40,seed=1", 33, 8);
}

TEST(FreeLayout, IsUsedWithoutADetectedShape) {
  for (const char* spec : {"random:n=40,degree=4,seed=2", "kautz:b=3,n=2"})
    EXPECT_EQ(lay_out(graph_of(spec)).shape, Shape::kFree) << spec;
  EXPECT_EQ(lay_out(make_switch_graph(Tiny(1).hosts(0, 2).build())).about, "a single switch");
}

TEST(Layout, PlacesUnconnectedPartsBesideEachOther) {
  Tiny tiny(7);
  tiny.link(0, 1).link(1, 2).link(2, 0).link(3, 4).hosts(0, 2).hosts(3);
  const SwitchGraph graph = make_switch_graph(tiny.build());
  const Layout layout = lay_out(graph);
  EXPECT_EQ(layout.about, "ring of 3 and 3 more parts");
  expect_drawable(layout, graph, "parts");
}

}  // namespace
}  // namespace weft
