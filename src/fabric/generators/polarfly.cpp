// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PolarFly: the Erdos-Renyi polarity graph of a projective plane, with diameter 2 and nearly as
// many switches as such graphs can have. Switches are the points (x, y, 1), (x, 1, 0) and (1, 0, 0)
// over the field of q elements, connected if their dot product is 0; a point that is orthogonal to
// itself has one neighbor less. Ports are in the order of the neighbors; hosts follow.
// Sources: Erdos, Renyi, Sos, "On a problem of graph theory", 1966; Lakhotia, Besta, Monroe, Isham,
// Iff, Hoefler, Petrini, "PolarFly: a cost-effective and flexible low-diameter topology", 2022.
#include <algorithm>

#include "fabric/generators/galois.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

struct ProjectivePoint {
  unsigned x, y, z;
};

/// The point with a number. Point (x, y, 1) has number x q + y; the points (x, 1, 0) follow, then
/// (1, 0, 0).
ProjectivePoint point(unsigned number, unsigned q) {
  if (number < q * q) return {number / q, number % q, 1};
  if (number < q * q + q) return {number - q * q, 1, 0};
  return {1, 0, 0};
}

/// The points that are orthogonal to p, in ascending order.
std::vector<unsigned> orthogonal(const ProjectivePoint& p, const GaloisField& field) {
  const unsigned q = field.order();
  const auto divided = [&](unsigned a, unsigned b) {  // -a/b
    return field.negative(field.multiply(a, field.inverse(b)));
  };
  std::vector<unsigned> found;
  if (p.y != 0) {
    for (unsigned x = 0; x < q; ++x)
      found.push_back(x * q + divided(field.add(field.multiply(p.x, x), p.z), p.y));
  } else if (p.x != 0) {
    for (unsigned y = 0; y < q; ++y) found.push_back(divided(p.z, p.x) * q + y);
  }
  if (p.x != 0) {
    found.push_back(q * q + divided(p.y, p.x));
  } else if (p.y == 0) {
    for (unsigned x = 0; x < q; ++x) found.push_back(q * q + x);
  }
  if (p.x == 0) found.push_back(q * q + q);
  return found;
}

}  // namespace

Result<Drawing> draw_polarfly(const Parameters& parameters) {
  const unsigned q = parameters.number("q");
  const unsigned hosts = parameters.number("hosts");
  const auto field = GaloisField::of_order(q);
  if (!field)
    return parameters.refuse("q", fmt::format("q={}", q),
                             "a power of a prime from 2 on, such as 5, 7, 8, 9, 11, 13, 16 or 17");
  const unsigned count = q * q + q + 1;
  auto drawing =
      Drawing::start(parameters, {count, product({count, hosts}), std::uint64_t{q} + 1 + hosts});
  if (!drawing) return drawing;
  for (unsigned i = 0; i < count; ++i) {
    const ProjectivePoint p = point(i, q);
    drawing->add_switch(fmt::format("sw-{}-{}-{}", p.x, p.y, p.z));
  }
  for (unsigned i = 0; i < count; ++i)
    for (const unsigned to : orthogonal(point(i, q), *field))
      if (i < to) drawing->cable(i, to);
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
