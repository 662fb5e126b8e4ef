// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The verdict on each plane of a fabric (fabric/planes.h): hosts use the verified planes while
// another plane is damaged. Derived from the verdict on the whole fabric, without following packets
// again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/planes.h"
#include "verify/verify.h"

namespace weft {

enum class PlaneState {
  kVerified,     // all ports in the plane reach each other, without loops and deadlock
  kPartitioned,  // verified, but cables do not connect all of its ports
  kFailed,       // a lost packet, a credit loop, or a missing VL
  kNotVerified,  // verification is off, or faults of the plane may be missing from the verdict
  kDown          // no host has a link in the plane
};
std::string_view name(PlaneState state);

struct PlaneVerdict {
  std::uint32_t number = 0;  // from 1
  PlaneState state = PlaneState::kNotVerified;
  Plane size;
  std::uint32_t hosts = 0;     // hosts of the fabric with a port in some plane
  std::uint64_t pairs = 0;     // ordered pairs of a port and a LID of another port in the plane
  std::uint64_t cut_off = 0;   // pairs that no cables connect
  std::uint64_t failures = 0;  // pairs of a switch and a LID with packets that do not arrive
  bool credit_loop = false;    // a credit loop has a channel of the plane
  bool lanes_missing = false;  // packets use a VL that a link of the plane lacks

  /// Whether hosts can use the plane.
  bool is_usable() const {
    return state == PlaneState::kVerified || state == PlaneState::kPartitioned;
  }
  bool operator==(const PlaneVerdict&) const = default;
};

/// The verdicts in order of plane numbers; empty if the fabric has no planes. `stated`: see
/// find_planes().
std::vector<PlaneVerdict> plane_verdicts(const Fabric& fabric, const Verdict& verdict,
                                         std::uint32_t stated = 0);

/// A verdict as text: "plane 2: down, 0 of 512 hosts, 0 switches".
std::string describe(const PlaneVerdict& plane);

}  // namespace weft
