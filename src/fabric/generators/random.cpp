// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A connected random regular graph without loops and parallel cables: a circulant graph in which
// many pairs of cables were swapped at random, determined by the seed. Ports: hosts, then the
// neighbors in order. Jellyfish is such a graph of switches with k ports, r of them to other
// switches.
// Sources: Singla, Hong, Popa, Godfrey, "Jellyfish: networking data centers randomly", 2012; of the
// swaps: Rao, Jana, Bandyopadhyay, "A Markov chain Monte Carlo method for generating random
// (0,1)-matrices with given marginals", 1996.
#include <algorithm>
#include <span>
#include <vector>

#include "base/disjoint_sets.h"
#include "base/rng.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

Edge ordered(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// A simple regular graph with edges that are swapped in place. Neighbors are stored in unsorted
/// rows of `degree`: short enough for linear search, and contiguous in memory.
class SwappedGraph {
 public:
  SwappedGraph(std::uint32_t n, unsigned degree) : n_(n), degree_(degree) {
    for (std::uint32_t at = 0; at < n; ++at) {
      for (unsigned step = 1; step <= degree / 2; ++step) {
        neighbors_.push_back((at + step) % n);
        neighbors_.push_back((at + n - step) % n);
      }
      if (degree % 2 == 1) neighbors_.push_back((at + n / 2) % n);
    }
    for (std::uint32_t at = 0; at < n; ++at)
      for (const std::uint32_t to : row(at))
        if (at < to) edges_.emplace_back(at, to);
    std::ranges::sort(edges_);
  }

  void swap_some(std::size_t count, Rng& rng) {
    for (std::size_t i = 0; i < count; ++i) {
      Edge& one = edges_[rng.below(edges_.size())];
      Edge& two = edges_[rng.below(edges_.size())];
      const auto [a, b] = one;
      const auto [c, d] = rng.below(2) == 1 ? Edge(two.second, two.first) : two;
      if (a == c || b == d || &one == &two || are_joined(a, c) || are_joined(b, d)) continue;
      replace(a, b, c);
      replace(b, a, d);
      replace(c, d, a);
      replace(d, c, b);
      one = ordered(a, c);
      two = ordered(b, d);
    }
  }

  bool is_connected() const {
    DisjointSets sets(n_);
    std::uint32_t pieces = n_;
    for (const auto& [a, b] : edges_) pieces -= sets.join(a, b) ? 1 : 0;
    return pieces == 1;
  }

  const std::vector<Edge>& edges() const { return edges_; }

 private:
  std::span<std::uint32_t> row(std::uint32_t at) {
    return std::span(neighbors_).subspan(std::size_t{at} * degree_, degree_);
  }
  // Both functions scan the whole row without a branch, so that compilers use vector instructions.
  bool are_joined(std::uint32_t a, std::uint32_t b) { return std::ranges::count(row(a), b) != 0; }
  void replace(std::uint32_t at, std::uint32_t old_peer, std::uint32_t new_peer) {
    for (std::uint32_t& peer : row(at)) peer = peer == old_peer ? new_peer : peer;
  }

  std::uint32_t n_;
  unsigned degree_;
  std::vector<std::uint32_t> neighbors_;
  std::vector<Edge> edges_;
};

std::vector<Edge> random_regular(std::uint32_t n, unsigned degree, Rng rng) {
  constexpr std::size_t kSwapsPerEdge = 20;
  SwappedGraph graph(n, degree);
  graph.swap_some(graph.edges().size() * kSwapsPerEdge, rng);
  while (!graph.is_connected()) graph.swap_some(graph.edges().size(), rng);
  std::vector<Edge> edges = graph.edges();
  std::ranges::sort(edges);
  return edges;
}

/// Checks the degree and creates the graph, for both generators.
Result<Drawing> draw_regular(const Parameters& parameters, std::string_view degree_key,
                             unsigned degree, unsigned hosts, unsigned model_ports) {
  const unsigned n = parameters.number("n");
  if (degree >= n)
    return parameters.refuse(degree_key, fmt::format("{}={}", degree_key, degree),
                             fmt::format("less than the {} switches", n));
  if (n % 2 == 1 && degree % 2 == 1)
    return parameters.refuse(degree_key, fmt::format("n={} and {}={}", n, degree_key, degree),
                             "one of the two even: a cable has two ends");
  if (n > 2 && degree < 2)
    return parameters.refuse(degree_key, fmt::format("{}={}", degree_key, degree),
                             "at least 2: otherwise the switches are not connected");
  auto drawing = Drawing::start(parameters, {n, product({n, hosts}), std::uint64_t{degree} + hosts},
                                model_ports);
  if (!drawing) return drawing;
  for (unsigned i = 0; i < n; ++i) drawing->add_switch(fmt::format("sw-{}", i + 1));
  drawing->add_hosts_everywhere(hosts);
  const Rng rng = Rng(parameters.number64("seed")).fork(1);
  for (const auto& [a, b] : random_regular(n, degree, rng)) drawing->cable(a, b);
  return drawing;
}

}  // namespace

Result<Drawing> draw_random(const Parameters& parameters) {
  return draw_regular(parameters, "degree", parameters.number("degree"), parameters.number("hosts"),
                      0);
}

Result<Drawing> draw_jellyfish(const Parameters& parameters) {
  const unsigned k = parameters.number("k");
  const unsigned r = parameters.number_or("r", k - (k + 3) / 4);
  if (r > k)
    return parameters.refuse("r", fmt::format("r={}", r),
                             fmt::format("at most the {} ports of a switch", k));
  return draw_regular(parameters, "r", r, k - r, k);
}

}  // namespace weft
