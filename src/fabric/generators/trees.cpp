#include <numeric>

#include "fabric/generators/shapes.h"

namespace weft {
namespace {

/// XGFT(h; m_1..m_h; w_1..w_h): level 0 are hosts. A node of level i is named by digits
/// a_h..a_{i+1} (which subtree) and b_i..b_1 (which of its parallel roots); it has m_i children and
/// w_{i+1} parents.
struct Shape {
  std::vector<unsigned> m;       // m[i]: children of a node on level i + 1
  std::vector<unsigned> w;       // w[i]: parents of a node on level i
  std::vector<unsigned> trunks;  // cables in parallel between levels i and i + 1; of hosts always 1
  std::vector<std::string> names;  // of levels 1..h
};

std::uint64_t product(std::span<const unsigned> values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{1}, std::multiplies<>());
}

Result<Drawing> draw(const Shape& shape) {
  const std::size_t levels = shape.m.size();
  constexpr std::uint64_t kNodesMax = 1 << 20;
  if (product(shape.m) * shape.w[0] > kNodesMax)
    return fail(Code::kUsage, "the tree would have over {} hosts", kNodesMax);
  Drawing drawing;
  std::vector<std::vector<Drawing::Switch>> level(levels + 1);
  for (std::size_t i = 1; i <= levels; ++i) {
    const std::uint64_t subtrees = product(std::span(shape.m).subspan(i));
    const std::uint64_t roots = product(std::span(shape.w).first(i));
    if (subtrees * roots > kNodesMax)
      return fail(Code::kUsage, "level {} of the tree would have over {} switches", i, kNodesMax);
    for (std::uint64_t n = 0; n < subtrees * roots; ++n)
      level[i].push_back(drawing.add_switch(fmt::format("{}-{}", shape.names[i - 1], n + 1)));
  }
  // Hosts first, so that they take the leaves' low ports; then each level's ports toward its
  // parents.
  for (std::size_t leaf = 0; leaf < level[1].size(); ++leaf)
    for (unsigned i = 0; i < shape.m[0]; ++i)
      drawing.host(level[1][leaf], fmt::format("host-{}", leaf * shape.m[0] + i + 1));
  for (std::size_t i = 1; i < levels; ++i) {
    const std::uint64_t roots = product(std::span(shape.w).first(i));
    for (std::size_t n = 0; n < level[i].size(); ++n) {
      const std::uint64_t subtree = n / roots / shape.m[i];
      const std::uint64_t root = n % roots;
      for (unsigned up = 0; up < shape.w[i]; ++up) {
        const std::uint64_t parent = subtree * roots * shape.w[i] + up * roots + root;
        drawing.cable(level[i][n], level[i + 1][parent], shape.trunks[i]);
      }
    }
  }
  return drawing;
}

}  // namespace

Result<Drawing> draw_xgft(const Parameters& parameters) {
  Shape shape{parameters.list("m"), parameters.list("w"), {}, {}};
  if (shape.m.empty() || shape.m.size() != shape.w.size())
    return fail(Code::kUsage,
                "xgft wants m=AxBx.. and w=AxBx.. of the same length, found {} and {} numbers",
                shape.m.size(), shape.w.size());
  if (shape.w[0] != 1)
    return fail(Code::kUsage, "xgft: w starts with {}, want 1: a host has one port", shape.w[0]);
  shape.trunks.assign(shape.m.size(), parameters.get("trunks"));
  for (std::size_t i = 0; i < shape.m.size(); ++i)
    shape.names.push_back(fmt::format("level{}", i + 1));
  return draw(shape);
}

Result<Drawing> draw_fattree2(const Parameters& parameters) {
  const unsigned k = parameters.get("k");
  const unsigned trunks = parameters.get("trunks");
  const unsigned hosts = parameters.given("hosts") ? parameters.get("hosts") : k / 2;
  const unsigned spines =
      parameters.given("spines") ? parameters.get("spines") : (k - k / 2) / trunks;
  const unsigned leaves = parameters.given("leaves") ? parameters.get("leaves") : k / trunks;
  if (spines == 0 || leaves == 0)
    return fail(Code::kUsage, "fattree2: k={} ports do not hold trunks of {}", k, trunks);
  return draw({{hosts, leaves}, {1, spines}, {1, trunks}, {"leaf", "spine"}});
}

Result<Drawing> draw_fattree3(const Parameters& parameters) {
  const unsigned k = parameters.get("k");
  const unsigned half = k / 2;
  const unsigned hosts = parameters.given("hosts") ? parameters.get("hosts") : half;
  const unsigned pods = parameters.given("pods") ? parameters.get("pods") : k;
  return draw({{hosts, half, pods}, {1, half, half}, {1, 1, 1}, {"leaf", "agg", "core"}});
}

}  // namespace weft
