// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Grids: lines, rings and their products, detected from cables. In a product, opposite edges of a
// square belong to the same dimension, and so do two edges of a switch without a common square;
// majority votes make this robust against missing cables and switches. Without the edges of one
// dimension, the connected components are the layers along that dimension. The edges between layers
// determine the coordinate of each layer. Source: Feigenbaum, "Recognizing graph products", 1986.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "base/disjoint_sets.h"
#include "report/layout_kinds.h"

namespace weft {
namespace {

constexpr std::uint32_t kDegreeMax = 200;
constexpr std::size_t kDimensionsMax = 12;

/// Returns a number for each entry of graph.edges; both directions of an edge have the same number.
std::vector<std::uint32_t> edge_numbers(const SwitchGraph& graph, std::uint32_t& count) {
  std::vector<std::uint32_t> number(graph.edges.size());
  count = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (std::uint32_t e = graph.begin[s]; e < graph.begin[s + 1]; ++e) {
      const std::uint32_t to = graph.edges[e].to;
      if (to > s) {
        number[e] = count++;
        continue;
      }
      const auto row = graph.of(to);
      const auto at = std::ranges::lower_bound(row, s, {}, &SwitchGraph::Edge::to);
      number[e] = number[graph.begin[to] + static_cast<std::size_t>(at - row.begin())];
    }
  return number;
}

class Product {
 public:
  explicit Product(const SwitchGraph& graph) : graph_(graph), sets_(0) {
    number_ = edge_numbers(graph, edges_);
    on_square_.resize(edges_);
    sets_ = DisjointSets(edges_);
  }

  /// The dimension of each edge, by edge number. In a graph with squares, an edge that is on no
  /// square has the value kNoComponent, because neighbors are missing or the edge is miscabled.
  std::vector<std::uint32_t> dimensions(std::size_t& count) {
    join_squares();
    join_lines();
    std::vector<std::uint32_t> dimension(edges_, kNoComponent);
    std::vector<std::uint32_t> of_set(edges_, kNoComponent);
    count = 0;
    for (std::uint32_t e = 0; e < edges_; ++e) {
      if (!is_informative(e)) continue;
      std::uint32_t& set_dimension = of_set[sets_.find(e)];
      if (set_dimension == kNoComponent) set_dimension = static_cast<std::uint32_t>(count++);
      dimension[e] = set_dimension;
    }
    return dimension;
  }
  std::uint32_t number(std::size_t edge) const { return number_[edge]; }

 private:
  /// The fourth corner of the square through a, `at` and b, if there is exactly one and a and b are
  /// not neighbors.
  std::uint32_t fourth_corner(std::uint32_t at, std::uint32_t a, std::uint32_t b) const {
    const auto x = graph_.of(a);
    const auto y = graph_.of(b);
    std::uint32_t corner = kNoComponent;
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (x[i].to == y[j].to && x[i].to != at) {
        if (corner != kNoComponent) return kNoComponent;
        corner = x[i].to;
      }
      const bool step_x = x[i].to <= y[j].to;
      const bool step_y = y[j].to <= x[i].to;
      i += step_x;
      j += step_y;
    }
    return corner == kNoComponent || graph_.are_linked(a, b) ? kNoComponent : corner;
  }

  bool is_informative(std::uint32_t edge) const { return square_.empty() || on_square_[edge]; }

  std::uint32_t edge_between(std::uint32_t a, std::uint32_t b) const {
    const auto row = graph_.of(a);
    const auto at = std::ranges::lower_bound(row, b, {}, &SwitchGraph::Edge::to);
    return number_[graph_.begin[a] + static_cast<std::size_t>(at - row.begin())];
  }

  template <class Use>
  void for_each_corner(const Use& use) const {
    for (std::uint32_t s = 0; s < graph_.size(); ++s)
      for (std::uint32_t e = graph_.begin[s]; e < graph_.begin[s + 1]; ++e)
        for (std::uint32_t f = graph_.begin[s]; f < e; ++f) use(s, e, f);
  }

  void join_squares() {
    for_each_corner([&](std::uint32_t s, std::uint32_t e, std::uint32_t f) {
      const std::uint32_t a = graph_.edges[e].to;
      const std::uint32_t b = graph_.edges[f].to;
      const std::uint32_t corner = fourth_corner(s, a, b);
      if (corner == kNoComponent) return;
      square_.push_back({number_[e], number_[f]});
      for (const std::uint32_t side :
           {number_[e], number_[f], edge_between(a, corner), edge_between(b, corner)})
        on_square_[side] = true;
      sets_.join(number_[e], edge_between(b, corner));
      sets_.join(number_[f], edge_between(a, corner));
    });
    std::ranges::sort(square_);
  }

  /// Merges two sets of edges into one dimension if their edges share switches but seldom form
  /// squares.
  void join_lines() {
    struct Vote {
      std::uint32_t a, b;
      bool square;
      auto operator<=>(const Vote&) const = default;
    };
    std::vector<Vote> votes;
    for_each_corner([&](std::uint32_t, std::uint32_t e, std::uint32_t f) {
      const std::uint32_t a = sets_.find(number_[e]);
      const std::uint32_t b = sets_.find(number_[f]);
      if (a != b && is_informative(number_[e]) && is_informative(number_[f]))
        votes.push_back({std::min(a, b), std::max(a, b),
                         std::ranges::binary_search(square_, std::pair(number_[e], number_[f]))});
    });
    std::ranges::sort(votes);
    std::vector<std::size_t> size(edges_, 0);
    for (std::uint32_t e = 0; e < edges_; ++e) ++size[sets_.find(e)];
    for (std::size_t begin = 0, end = 0; begin < votes.size(); begin = end) {
      std::size_t squares = 0;
      for (; end < votes.size() && votes[end].a == votes[begin].a && votes[end].b == votes[begin].b;
           ++end)
        squares += votes[end].square;
      const std::size_t least = std::min(size[votes[begin].a], size[votes[begin].b]);
      if (2 * (end - begin) >= least + 4 * squares) sets_.join(votes[begin].a, votes[begin].b);
    }
  }

  const SwitchGraph& graph_;
  std::uint32_t edges_ = 0;
  std::vector<std::uint32_t> number_;  // by index in graph.edges
  DisjointSets sets_;
  std::vector<bool> on_square_;                                  // by edge number
  std::vector<std::pair<std::uint32_t, std::uint32_t>> square_;  // pairs of edges of a square
};

/// The order of the layers along one dimension.
struct Line {
  GridDimension shape;
  std::vector<std::uint32_t> place;  // by switch
};

std::optional<Line> line_of(const SwitchGraph& graph, const Product& product,
                            std::span<const std::uint32_t> dimension, std::uint32_t along) {
  DisjointSets slices(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (std::uint32_t e = graph.begin[s]; e < graph.begin[s + 1]; ++e)
      if (const std::uint32_t d = dimension[product.number(e)]; d != along && d != kNoComponent)
        slices.join(s, graph.edges[e].to);
  std::vector<std::uint32_t> slice(graph.size(), kNoComponent);
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (slices.find(s) == s) slice[s] = count++;
  for (std::uint32_t s = 0; s < graph.size(); ++s) slice[s] = slice[slices.find(s)];
  std::vector<std::vector<std::uint32_t>> next(count);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (std::uint32_t e = graph.begin[s]; e < graph.begin[s + 1]; ++e)
      if (dimension[product.number(e)] == along) next[slice[s]].push_back(slice[graph.edges[e].to]);
  std::size_t ends = 0;
  std::size_t widest = 0;
  std::uint32_t first = 0;
  for (std::uint32_t i = count; i-- > 0;) {
    std::ranges::sort(next[i]);
    next[i].erase(std::unique(next[i].begin(), next[i].end()), next[i].end());
    if (std::ranges::binary_search(next[i], i)) return std::nullopt;
    widest = std::max(widest, next[i].size());
    if (next[i].size() == 1) {
      ++ends;
      first = i;
    }
  }
  Line line;
  line.shape.size = count;
  std::vector<std::uint32_t> place(count, kNoComponent);
  if (widest <= 2 && (ends == 2 || ends == 0)) {
    line.shape.closed = ends == 0 && count > 2;
    for (std::uint32_t at = first, i = 0; at != kNoComponent; ++i) {
      place[at] = i;
      const auto next_free = std::ranges::find_if(
          next[at], [&](std::uint32_t other) { return place[other] == kNoComponent; });
      at = next_free == next[at].end() ? kNoComponent : *next_free;
    }
  } else if (std::ranges::all_of(next, [&](const auto& n) { return n.size() + 1 == count; })) {
    line.shape.full = true;
    std::iota(place.begin(), place.end(), 0u);
  } else {
    return std::nullopt;
  }
  if (std::ranges::count(place, kNoComponent) > 0) return std::nullopt;
  for (const std::uint32_t own_slice : slice) line.place.push_back(place[own_slice]);
  return line;
}

/// Combines two dimensions of size two into a ring of four, so that a hypercube becomes a product
/// of rings.
void pair_twos(std::vector<Line>& lines) {
  std::vector<Line> paired;
  std::vector<Line> twos;
  for (Line& line : lines) (line.shape.size == 2 ? twos : paired).push_back(std::move(line));
  for (std::size_t i = 0; i < twos.size(); i += 2) {
    if (i + 1 == twos.size()) {
      paired.push_back(std::move(twos[i]));
      break;
    }
    Line ring{{4, true, false}, {}};
    for (std::size_t s = 0; s < twos[i].place.size(); ++s)
      ring.place.push_back(twos[i].place[s] == 0 ? twos[i + 1].place[s] : 3 - twos[i + 1].place[s]);
    paired.push_back(std::move(ring));
  }
  std::ranges::stable_sort(paired, std::ranges::greater{},
                           [](const Line& line) { return line.shape.size; });
  lines = std::move(paired);
}

std::string name_of(std::span<const GridDimension> dimensions, std::size_t twos) {
  std::string sizes;
  bool closed = true;
  bool open = true;
  bool full = true;
  for (const GridDimension& d : dimensions) {
    sizes += (sizes.empty() ? "" : " x ") + std::to_string(d.size);
    full &= d.full || d.size == 2;
    closed &= d.closed || d.size == 2;
    open &= !d.closed && !d.full;
  }
  if (twos > 2) return fmt::format("hypercube of {} dimensions, drawn as {}", twos, sizes);
  if (dimensions.size() == 1) {
    const GridDimension& only = dimensions.front();
    if (only.full) return fmt::format("complete graph of {}", only.size);
    return fmt::format("{} of {}", only.closed ? "ring" : "line", only.size);
  }
  if (open) return "mesh of " + sizes;
  if (closed) return "torus of " + sizes;
  return (full ? "HyperX of " : "grid of ") + sizes;
}

/// Position of a grid coordinate in the picture. The first two dimensions are horizontal and
/// vertical; of an odd number of dimensions, the third is oblique, between the cells; each further
/// pair of dimensions is a grid of such grids.
class GridProjection {
 public:
  explicit GridProjection(std::span<const GridDimension> dimensions) : dimensions_(dimensions) {
    std::size_t first = dimensions.size() % 2 == 1 && dimensions.size() >= 3 ? 3 : 2;
    double step_x = 1.5;
    double step_y = 1.5;
    if (first == 3) {  // the third dimension, no larger than the first two, is oblique
      const double depth = dimensions[2].size;
      slant_ = 0.75;
      step_x = slant_ * depth + 1.0;
      step_y = slant_ * depth * 0.8 + 0.6;
    }
    for (std::size_t d = 0; d < dimensions.size(); d += d == 0 ? first : 2) {
      steps_.push_back({d, step_x, step_y});
      const bool flat = d + 1 < dimensions.size();
      step_x = step_x * dimensions[d].size + 2;
      step_y = flat ? step_y * dimensions[d + 1].size + 2 : step_y;
    }
  }

  void put(const std::uint32_t* place, double& x, double& y) const {
    x = y = 0;
    for (const Step& step : steps_) {
      x += step.x * place[step.dimension];
      if (step.dimension + 1 < dimensions_.size()) y += step.y * place[step.dimension + 1];
    }
    if (slant_ > 0) {
      x += slant_ * place[2];
      y -= slant_ * 0.8 * place[2];
    }
  }

 private:
  struct Step {
    std::size_t dimension;
    double x, y;
  };
  std::span<const GridDimension> dimensions_;
  std::vector<Step> steps_;
  double slant_ = 0;
};

void put_on_circle(Layout& layout) {
  const std::uint32_t n = layout.dimensions.front().size;
  const double radius = std::max(1.5, n * 1.2 / (2 * M_PI));
  for (std::size_t s = 0; s < layout.x.size(); ++s) {
    const double angle = 2 * M_PI * layout.place[s] / n - M_PI / 2;
    layout.x[s] = radius * std::cos(angle);
    layout.y[s] = radius * std::sin(angle);
  }
}

/// Divides the grid into boxes of neighboring coordinates, few enough for a picture.
void box_blocks(Layout& layout) {
  std::vector<std::uint32_t> block(layout.dimensions.size(), 1);
  const auto blocks = [&](std::size_t d) {
    return (layout.dimensions[d].size + block[d] - 1) / block[d];
  };
  const auto all = [&] {
    std::size_t product = 1;
    for (std::size_t d = 0; d < block.size(); ++d) product *= blocks(d);
    return product;
  };
  // Dimensions with the closest switches are merged first: the oblique third dimension, then the
  // first two, then the further pairs.
  std::vector<std::vector<std::size_t>> stages;
  const bool oblique = block.size() % 2 == 1 && block.size() >= 3;
  if (oblique) stages.push_back({2});
  stages.push_back({0});
  if (block.size() > 1) stages.back().push_back(1);
  for (std::size_t d = oblique ? 3 : 2; d + 1 < block.size(); d += 2) stages.push_back({d, d + 1});
  for (const auto& stage : stages)
    while (layout.boxed && all() > kDrawnMax / 2) {
      const std::size_t most = *std::ranges::max_element(stage, {}, blocks);
      if (blocks(most) == 1) break;
      block[most] = oblique && most == 2 ? layout.dimensions[2].size : 2 * block[most];
    }
  std::map<std::vector<std::uint32_t>, std::uint32_t> number;
  layout.box.resize(layout.x.size());
  for (std::uint32_t s = 0; s < layout.x.size(); ++s) {
    std::vector<std::uint32_t> key;
    for (std::size_t d = 0; d < block.size(); ++d) key.push_back(layout.at(s, d) / block[d]);
    const auto [at, fresh] =
        number.try_emplace(std::move(key), static_cast<std::uint32_t>(layout.boxes.size()));
    if (fresh) layout.boxes.push_back(make_box(layout.boxed ? "block" : ""));
    layout.box[s] = at->second;
  }
}

}  // namespace

std::optional<Layout> lay_out_grid(const SwitchGraph& graph) {
  if (graph.size() < 2) return std::nullopt;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (graph.of(s).size() > kDegreeMax) return std::nullopt;
  Product product(graph);
  std::size_t count = 0;
  const auto dimension = product.dimensions(count);
  if (count > kDimensionsMax) return std::nullopt;
  if (10 * std::ranges::count(dimension, kNoComponent) > std::ssize(dimension)) return std::nullopt;
  std::vector<Line> lines;
  for (std::uint32_t d = 0; d < count; ++d) {
    auto line = line_of(graph, product, dimension, d);
    if (!line) return std::nullopt;
    lines.push_back(std::move(*line));
  }
  const auto twos = static_cast<std::size_t>(
      std::ranges::count(lines, 2u, [](const Line& line) { return line.shape.size; }));
  const bool cube = twos == count;
  pair_twos(lines);
  Layout layout;
  layout.shape = Shape::kGrid;
  double places = 1;
  for (const Line& line : lines) {
    layout.dimensions.push_back(line.shape);
    places *= line.shape.size;
  }
  if (places > 2.0 * graph.size()) return std::nullopt;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const Line& line : lines) layout.place.push_back(line.place[s]);
  std::vector<std::vector<std::uint32_t>> taken;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    taken.emplace_back();
    for (std::size_t d = 0; d < lines.size(); ++d) taken.back().push_back(layout.at(s, d));
  }
  std::ranges::sort(taken);
  if (std::ranges::adjacent_find(taken) != taken.end()) return std::nullopt;

  layout.about = name_of(layout.dimensions, cube ? twos : 0);
  layout.boxed = graph.size() > kDrawnMax;
  layout.x.resize(graph.size());
  layout.y.resize(graph.size());
  if (lines.size() == 1 && (layout.dimensions[0].closed || layout.dimensions[0].full)) {
    put_on_circle(layout);
  } else {
    const GridProjection projection(layout.dimensions);
    for (std::uint32_t s = 0; s < graph.size(); ++s)
      projection.put(&layout.place[s * lines.size()], layout.x[s], layout.y[s]);
  }
  box_blocks(layout);
  close_boxes(layout, graph);
  move_to_origin(layout);
  return layout;
}

}  // namespace weft
