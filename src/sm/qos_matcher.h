// A QoS policy on a fabric: answers which level a query for paths gets. Port groups are resolved to
// ports once a sweep; after that match() is a pure function of the query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "sm/partition_file.h"
#include "sm/qos_policy.h"

namespace weft {

/// Of a PathRecord or MultiPathRecord query; absent: the component mask does not have it.
struct QosQuery {
  Guid source, destination;  // GUIDs of the ports, which the SA knows whatever the query names
  std::optional<Pkey> pkey;  // the membership bit does not count
  std::optional<std::uint64_t> service_id;
  std::optional<std::uint16_t> qos_class;
};

class QosMatcher {
 public:
  QosMatcher() = default;  // no policy
  /// `self` is where the manager sits. Warns of ports and partitions that groups name and that are
  /// not there.
  QosMatcher(QosPolicy policy, const Fabric& fabric, EndportId self,
             const PartitionFile& partitions, std::vector<std::string>& warnings);

  /// The level of the first rule that the query meets in all it asks for, else the default one.
  /// Null without a policy: then nothing is limited, and the SL is 0 or the engine's.
  const QosLevel* match(const QosQuery& query) const;
  bool is_member(std::uint32_t group, Guid port) const;
  const QosPolicy& policy() const { return policy_; }

 private:
  bool meets(const QosMatchRule& rule, const QosQuery& query) const;

  QosPolicy policy_;
  std::vector<std::vector<Guid>>
      members_;  // by group, sorted; those of port-guid are in the policy
};

/// Whether a level allows a P_Key, whatever its membership bit.
bool allows(const QosLevel& level, Pkey pkey);

}  // namespace weft
