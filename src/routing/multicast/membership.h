// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Members of multicast groups by switch and by part of the fabric.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/multicast.h"
#include "routing/multicast/tree.h"

namespace weft::multicast {

/// The fabric must outlive this object.
class Membership {
 public:
  explicit Membership(const Fabric& fabric);

  std::span<const std::vector<SwitchId>> parts() const { return parts_; }

  /// The demands of a group: for each part of the fabric, by switch. Members without a switch are
  /// left out.
  std::vector<std::vector<Demand>> of(const MulticastGroup& group) const;

  /// The demands of a group of all hosts, in the same form: every switch with hosts, and the
  /// switches that are members of `groups` themselves.
  std::vector<std::vector<Demand>> with_all_hosts(std::span<const MulticastGroup> groups) const;

 private:
  const Fabric& fabric_;
  std::vector<std::vector<SwitchId>> parts_;
  std::vector<std::size_t> part_of_;  // by switch
};

/// A group of all endports.
MulticastGroup all_endports(const Fabric& fabric);

}  // namespace weft::multicast
