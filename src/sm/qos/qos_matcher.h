// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A QoS policy on a fabric: selects the QoS level of a path query. Port groups are resolved to
// ports once in each sweep; match() is a pure function of the query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "sm/partitions/partition_file.h"
#include "sm/qos/qos_policy.h"

namespace weft {

/// Fields of a PathRecord or MultiPathRecord query; absent: not selected by the component mask.
struct QosQuery {
  Guid source, destination;  // port GUIDs, resolved by the SA
  std::optional<Pkey> pkey;  // the membership bit is ignored
  std::optional<std::uint64_t> service_id;
  std::optional<std::uint16_t> qos_class;
};

class QosMatcher {
 public:
  QosMatcher() = default;  // no policy
  /// `self`: the manager's endport. Warns of partitions in groups that are not defined, and of
  /// groups without a port of the fabric.
  QosMatcher(QosPolicy policy, const Fabric& fabric, EndportId self,
             const PartitionFile& partitions, std::vector<std::string>& warnings);

  /// The level of the first rule that the query matches, otherwise the default level. Null without
  /// a policy: paths then have no limits, and the SL is 0 or that of the engine.
  const QosLevel* match(const QosQuery& query) const;
  bool is_member(std::uint32_t group, Guid port) const;
  const QosPolicy& policy() const { return policy_; }

 private:
  bool matches(const QosMatchRule& rule, const QosQuery& query) const;

  QosPolicy policy_;
  std::vector<std::vector<Guid>> members_;  // by group, sorted; without port-guid members
};

/// Whether a level allows a P_Key; the membership bit is ignored.
bool allows(const QosLevel& level, Pkey pkey);

}  // namespace weft
