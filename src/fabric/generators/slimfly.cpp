// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Slim fly: the graphs of McKay, Miller and Siran, with diameter 2 and nearly as many switches as
// such graphs can have. Switches (half, x, y) over the field of q elements: (0, x, y) and (0, x,
// y') are connected if y - y' is in a set X, (1, m, c) and (1, m, c') if c - c' is in a set X', and
// (0, x, y) and (1, m, c) if y = m x + c. Ports are in the order of the neighbors; hosts follow.
// Sources: McKay, Miller, Siran, "A note on large graphs of diameter two and given maximum degree",
// 1998; Hafner, "Geometric realisation of the graphs of McKay-Miller-Siran", 2004; Besta, Hoefler,
// "Slim Fly: a cost effective low-diameter network topology", 2014.
#include <algorithm>

#include "fabric/generators/galois.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

struct DifferenceSets {
  std::vector<unsigned> first, second;  // X and X'; each holds the negatives of its elements
};

DifferenceSets difference_sets(const GaloisField& field) {
  const unsigned q = field.order();
  DifferenceSets sets;
  if (q % 4 != 3) {  // -1 is an even power, or q is even and each element is its own negative
    for (unsigned i = 0; i < q; i += 2) sets.first.push_back(field.power(i));
    for (unsigned i = 1; i < q; i += 2) sets.second.push_back(field.power(i));
    return sets;
  }
  const unsigned w = (q + 1) / 4;
  for (unsigned i = 0; i + 2 <= 2 * w; i += 2)
    for (const unsigned x : {field.power(i), field.negative(field.power(i))})
      sets.first.push_back(x);
  for (unsigned i = 1; i < 2 * w; i += 2)
    for (const unsigned x : {field.power(i), field.negative(field.power(i))})
      sets.second.push_back(x);
  return sets;
}

using SwitchPair = std::pair<Drawing::Switch, Drawing::Switch>;

std::vector<SwitchPair> edges_of(const GaloisField& field) {
  const unsigned q = field.order();
  const DifferenceSets sets = difference_sets(field);
  const auto at = [&](unsigned half, unsigned x, unsigned y) { return (half * q + x) * q + y; };
  std::vector<SwitchPair> edges;
  const auto join = [&](Drawing::Switch a, Drawing::Switch b) {
    edges.emplace_back(std::min(a, b), std::max(a, b));
  };
  for (unsigned x = 0; x < q; ++x)
    for (unsigned y = 0; y < q; ++y) {
      for (const unsigned step : sets.first) join(at(0, x, y), at(0, x, field.add(y, step)));
      for (const unsigned step : sets.second) join(at(1, x, y), at(1, x, field.add(y, step)));
      for (unsigned m = 0; m < q; ++m)
        join(at(0, x, y), at(1, m, field.add(y, field.negative(field.multiply(m, x)))));
    }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

Result<Drawing> draw_slimfly(const Parameters& parameters) {
  const unsigned q = parameters.number("q");
  const unsigned hosts = parameters.number("hosts");
  const auto field = GaloisField::of_order(q);
  if (!field || q % 4 == 2)
    return parameters.refuse("q", fmt::format("q={}", q),
                             "a power of a prime from 3 on, such as 5, 7, 8, 9, 11, 13, 16 or 17");
  const unsigned degree = (3 * q + (q % 4 == 3 ? 1 : 0) - (q % 4 == 1 ? 1 : 0)) / 2;
  const std::uint64_t count = product({2, q, q});
  auto drawing =
      Drawing::start(parameters, {count, product({count, hosts}), std::uint64_t{degree} + hosts});
  if (!drawing) return drawing;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned x = 0; x < q; ++x)
      for (unsigned y = 0; y < q; ++y) drawing->add_switch(fmt::format("sw-{}-{}-{}", half, x, y));
  for (const auto& [a, b] : edges_of(*field)) drawing->cable(a, b);
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
