// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// HammingMesh: x by y boards, each a mesh of a by b accelerators that forward packets. The west and
// east ends of each line of accelerators are cabled to a network of that line, which all boards of
// a row share; likewise the north and south ends of the columns. A network is one switch, or a
// two-level tree if a switch has too few ports. Here an accelerator is a switch with hosts.
// Source: Hoefler, Bonato, De Sensi, Di Girolamo, Li, Heddes, Belk, Goel, Castro, Scott,
// "HammingMesh: a network topology for large-scale deep learning", 2022.
#include "fabric/generators/shapes.h"
#include "fabric/generators/spread.h"

namespace weft {
namespace {

struct BoardSizes {
  unsigned a, b;  // sizes of a board, in accelerators
  unsigned x, y;  // number of boards
  unsigned k;     // ports of a switch of the line networks

  Drawing::Switch at(unsigned column, unsigned row) const { return row * a * x + column; }
};

/// The switches of a line network with `ends` cables to accelerators.
struct LineNetwork {
  unsigned leaves = 1;
  unsigned spines = 0;
  unsigned ends_of_leaf = 0;
  unsigned up = 0;  // cables of a leaf to each spine

  unsigned switches() const { return leaves + spines; }
};

LineNetwork network_for(unsigned ends, unsigned k) {
  if (ends <= k) return {1, 0, ends, 0};
  LineNetwork network;
  network.ends_of_leaf = k / 2;
  network.leaves = (ends + network.ends_of_leaf - 1) / network.ends_of_leaf;
  network.spines = even_spread(network.ends_of_leaf, network.leaves, k);
  network.up = network.spines == 0 ? 0 : network.ends_of_leaf / network.spines;
  return network;
}

class HammingMesh {
 public:
  HammingMesh(Drawing& drawing, const BoardSizes& sizes) : drawing_(drawing), sizes_(sizes) {}

  void draw(unsigned hosts) {
    const auto [a, b, x, y, k] = sizes_;
    for (unsigned row = 0; row < b * y; ++row)
      for (unsigned column = 0; column < a * x; ++column)
        drawing_.add_switch(
            fmt::format("board-{}-{}-acc-{}-{}", column / a, row / b, column % a, row % b));
    drawing_.add_hosts_everywhere(hosts);
    for (unsigned row = 0; row < b * y; ++row)
      for (unsigned column = 0; column < a * x; ++column) {
        if (column % a + 1 < a) drawing_.cable(sizes_.at(column, row), sizes_.at(column + 1, row));
        if (row % b + 1 < b) drawing_.cable(sizes_.at(column, row), sizes_.at(column, row + 1));
      }
    for (unsigned row = 0; row < b * y; ++row) {
      std::vector<Drawing::Switch> ends;
      for (unsigned board = 0; board < x; ++board)
        for (const unsigned end : {board * a, board * a + a - 1})
          ends.push_back(sizes_.at(end, row));
      add_network(fmt::format("row{}", row + 1), ends);
    }
    for (unsigned column = 0; column < a * x; ++column) {
      std::vector<Drawing::Switch> ends;
      for (unsigned board = 0; board < y; ++board)
        for (const unsigned end : {board * b, board * b + b - 1})
          ends.push_back(sizes_.at(column, end));
      add_network(fmt::format("column{}", column + 1), ends);
    }
  }

 private:
  void add_network(const std::string& name, const std::vector<Drawing::Switch>& ends) {
    const LineNetwork network = network_for(static_cast<unsigned>(ends.size()), sizes_.k);
    const Drawing::Switch first = drawing_.switch_count();
    for (unsigned leaf = 0; leaf < network.leaves; ++leaf)
      drawing_.add_switch(network.spines == 0 ? name : fmt::format("{}-leaf{}", name, leaf + 1));
    for (unsigned spine = 0; spine < network.spines; ++spine)
      drawing_.add_switch(fmt::format("{}-spine{}", name, spine + 1));
    for (std::size_t i = 0; i < ends.size(); ++i)
      drawing_.cable(first + static_cast<Drawing::Switch>(i) / network.ends_of_leaf, ends[i]);
    for (unsigned leaf = 0; leaf < network.leaves; ++leaf)
      for (unsigned spine = 0; spine < network.spines; ++spine)
        drawing_.cable(first + leaf, first + network.leaves + spine, network.up);
  }

  Drawing& drawing_;
  const BoardSizes sizes_;
};

}  // namespace

Result<Drawing> draw_hammingmesh(const Parameters& parameters) {
  const BoardSizes sizes{parameters.number("a"), parameters.number("b"), parameters.number("x"),
                         parameters.number("y"), parameters.number("k")};
  const unsigned hosts = parameters.number("hosts");
  const LineNetwork rows = network_for(2 * sizes.x, sizes.k);
  const LineNetwork columns = network_for(2 * sizes.y, sizes.k);
  for (const auto& [key, network] : {std::pair("x", rows), std::pair("y", columns)})
    if (network.leaves > 1 && network.spines == 0)
      return parameters.refuse(
          key, fmt::format("{} cables to a network", 2 * parameters.number(key)),
          fmt::format("at most {}: a tree of two levels of switches with {} ports",
                      sizes.k / 2 * sizes.k, sizes.k));
  const std::uint64_t accelerators = product({sizes.a, sizes.b, sizes.x, sizes.y});
  const std::uint64_t switches = accelerators + product({sizes.b, sizes.y, rows.switches()}) +
                                 product({sizes.a, sizes.x, columns.switches()});
  const std::uint64_t network_ports =
      std::max(rows.spines > 0 ? sizes.k : 2 * sizes.x, columns.spines > 0 ? sizes.k : 2 * sizes.y);
  auto drawing = Drawing::start(parameters,
                                {switches, product({accelerators, hosts}),
                                 std::max<std::uint64_t>(network_ports, std::uint64_t{hosts} + 4)});
  if (!drawing) return drawing;
  HammingMesh(*drawing, sizes).draw(hosts);
  return drawing;
}

}  // namespace weft
