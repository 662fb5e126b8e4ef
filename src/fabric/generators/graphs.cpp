#include <algorithm>
#include <map>
#include <set>

#include "fabric/generators/shapes.h"

namespace weft {
namespace {

bool is_prime(unsigned q) {
  if (q < 2) return false;
  for (unsigned d = 2; d * d <= q; ++d)
    if (q % d == 0) return false;
  return true;
}

/// The smallest generator of the multiplicative group modulo a prime.
unsigned primitive_root(unsigned q) {
  for (unsigned root = 2;; ++root) {
    unsigned power = 1;
    unsigned order = 0;
    do {
      power = power * root % q;
      ++order;
    } while (power != 1);
    if (order == q - 1) return root;
  }
}

/// The two generator sets of McKay, Miller and Siran's graphs for q = 4 w + delta.
struct MmsSets {
  std::vector<unsigned> first, second;
};

MmsSets mms_sets(unsigned q) {
  const unsigned root = primitive_root(q);
  std::vector<unsigned> power{1};
  while (power.size() < q - 1) power.push_back(power.back() * root % q);
  MmsSets sets;
  if (q % 4 == 1) {
    for (unsigned i = 0; i < q - 1; ++i)
      (i % 2 == 0 ? sets.first : sets.second).push_back(power[i]);
    return sets;
  }
  const unsigned w = (q + 1) / 4;
  for (unsigned i = 0; i <= 2 * w - 2; i += 2) sets.first.push_back(power[i]);
  for (unsigned i = 2 * w - 1; i <= 4 * w - 3; i += 2) sets.first.push_back(power[i]);
  for (unsigned i = 1; i <= 2 * w - 1; i += 2) sets.second.push_back(power[i]);
  for (unsigned i = 2 * w; i <= 4 * w - 2; i += 2) sets.second.push_back(power[i % (q - 1)]);
  return sets;
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;

Edge ordered(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

bool connected(std::uint32_t n, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::uint32_t>> next(n);
  for (const auto& [a, b] : edges) {
    next[a].push_back(b);
    next[b].push_back(a);
  }
  std::vector<bool> seen(n, false);
  std::vector<std::uint32_t> queue{0};
  seen[0] = true;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const std::uint32_t to : next[queue[head]])
      if (!seen[to]) {
        seen[to] = true;
        queue.push_back(to);
      }
  return queue.size() == n;
}

/// A regular graph from a circulant one by many swaps of edge ends that keep it simple.
std::vector<Edge> random_regular(std::uint32_t n, unsigned degree, Rng& rng) {
  std::set<Edge> present;
  for (std::uint32_t at = 0; at < n; ++at) {
    for (unsigned step = 1; step <= degree / 2; ++step)
      present.insert(ordered(at, (at + step) % n));
    if (degree % 2 == 1) present.insert(ordered(at, (at + n / 2) % n));
  }
  std::vector<Edge> edges(present.begin(), present.end());
  const auto swap_some = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Edge& one = edges[rng.below(edges.size())];
      Edge& two = edges[rng.below(edges.size())];
      const bool crossed = rng.below(2) == 1;
      const std::uint32_t c = crossed ? two.second : two.first;
      const std::uint32_t d = crossed ? two.first : two.second;
      const Edge left = ordered(one.first, c);
      const Edge right = ordered(one.second, d);
      if (left.first == left.second || right.first == right.second || left == right ||
          present.contains(left) || present.contains(right))
        continue;
      present.erase(one);
      present.erase(two);
      present.insert(left);
      present.insert(right);
      one = left;
      two = right;
    }
  };
  constexpr std::size_t kSwapsPerEdge = 20;
  swap_some(edges.size() * kSwapsPerEdge);
  while (!connected(n, edges)) swap_some(edges.size());
  std::ranges::sort(edges);
  return edges;
}

}  // namespace

void add_hosts(Drawing& drawing, unsigned per_switch) {
  for (Drawing::Switch at = 0; at < drawing.switch_count(); ++at)
    for (unsigned i = 0; i < per_switch; ++i)
      drawing.host(at, fmt::format("host-{}", drawing.host_count() + 1));
}

Result<Drawing> draw_full(const Parameters& parameters) {
  Drawing drawing;
  const unsigned n = parameters.get("n");
  for (unsigned i = 0; i < n; ++i) drawing.add_switch(fmt::format("sw-{}", i + 1));
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = i + 1; j < n; ++j) drawing.cable(i, j, parameters.get("trunks"));
  add_hosts(drawing, parameters.get("hosts"));
  return drawing;
}

Result<Drawing> draw_kautz(const Parameters& parameters) {
  const unsigned letters = parameters.get("b") + 1;
  const unsigned length = parameters.get("n") + 1;
  std::vector<std::vector<unsigned>> words{{}};
  for (unsigned i = 0; i < length; ++i) {
    std::vector<std::vector<unsigned>> longer;
    for (const auto& word : words)
      for (unsigned letter = 0; letter < letters; ++letter)
        if (word.empty() || word.back() != letter) {
          longer.push_back(word);
          longer.back().push_back(letter);
        }
    words = std::move(longer);
    if (words.size() > 20'000) return fail(Code::kUsage, "kautz: over 20000 switches");
  }
  Drawing drawing;
  std::map<std::vector<unsigned>, Drawing::Switch> place;
  for (const auto& word : words)
    place[word] = drawing.add_switch(fmt::format("sw-{}", fmt::join(word, "-")));
  for (const auto& word : words)
    for (unsigned letter = 0; letter < letters; ++letter) {
      if (letter == word.back()) continue;
      std::vector<unsigned> next(word.begin() + 1, word.end());
      next.push_back(letter);
      drawing.cable(place[word],
                    place[next]);  // one cable an arc: two where the arc goes both ways
    }
  add_hosts(drawing, parameters.get("hosts"));
  return drawing;
}

Result<Drawing> draw_slimfly(const Parameters& parameters) {
  const unsigned q = parameters.get("q");
  if (!is_prime(q) || q < 5)
    return fail(Code::kUsage, "slimfly: found q={}, want a prime from 5 on", q);
  const MmsSets sets = mms_sets(q);
  Drawing drawing;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned x = 0; x < q; ++x)
      for (unsigned y = 0; y < q; ++y) drawing.add_switch(fmt::format("sw-{}-{}-{}", half, x, y));
  const auto at = [&](unsigned half, unsigned x, unsigned y) { return (half * q + x) * q + y; };
  std::set<Edge> edges;
  for (unsigned x = 0; x < q; ++x)
    for (unsigned y = 0; y < q; ++y) {
      for (const unsigned step : sets.first)
        edges.insert(ordered(at(0, x, y), at(0, x, (y + step) % q)));
      for (const unsigned step : sets.second)
        edges.insert(ordered(at(1, x, y), at(1, x, (y + step) % q)));
      for (unsigned m = 0; m < q; ++m)
        edges.insert(ordered(at(0, x, y), at(1, m, (y + q * q - m * x) % q)));
    }
  for (const auto& [a, b] : edges) drawing.cable(a, b);
  add_hosts(drawing, parameters.get("hosts"));
  return drawing;
}

Result<Drawing> draw_random(const Parameters& parameters) {
  const unsigned n = parameters.get("n");
  const unsigned degree = parameters.get("degree");
  if (degree >= n || n * degree % 2 != 0)
    return fail(Code::kUsage,
                "random: found n={}, degree={}; want a degree below n, and one of the two even", n,
                degree);
  if (n > 2 && degree < 2)
    return fail(Code::kUsage, "random: found degree={}, want at least 2 to be connected", degree);
  Drawing drawing;
  for (unsigned i = 0; i < n; ++i) drawing.add_switch(fmt::format("sw-{}", i + 1));
  add_hosts(drawing, parameters.get("hosts"));
  Rng rng = Rng(parameters.wide("seed")).fork(1);
  for (const auto& [a, b] : random_regular(n, degree, rng)) drawing.cable(a, b);
  return drawing;
}

}  // namespace weft
