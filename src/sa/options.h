// What an administrator may set on the subnet administration. Names and defaults are opensm.conf's
// where it has the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ib/sm_info.h"
#include "sa/prefix_routes.h"
#include "sa/rmpp.h"

namespace weft {
namespace sa {
struct Saved;
}

struct PartitionSl {
  std::uint16_t base = 0;  // the P_Key without its membership bit
  Sl sl;
  bool operator==(const PartitionSl&) const = default;
};

struct SaOptions {
  SmKey sa_key{1};  // requests that carry it are trusted
  std::uint64_t subnet_prefix = 0xFE80000000000000;
  std::uint8_t subnet_timeout = 18;  // life time of packets between two ports: 4.096 us * 2^n
  std::vector<PrefixRoute> prefix_routes;
  /// With QoS: of paths in a partition, where neither policy nor routes nor question say another.
  std::vector<PartitionSl> partition_sls;

  bool original_rates_only = false;   // no codes above 18 (300 Gb/s)
  std::uint8_t sm_assigned_guid = 0;  // of alias GUIDs that this manager makes; one per manager

  /// Subscriptions and services of ports that are gone are forgotten; all of them when mastership
  /// comes back from another manager.
  bool drop_event_subscriptions = false;

  // Multicast groups
  bool disable_multicast = false;     // they can be joined, but have no trees
  bool validate_ip_groups = true;     // new ones must be as their broadcast group
  bool validate_joins = true;         // what a join says of its group must be true
  bool consolidate_ipv6_snm = false;  // solicited-node groups of a scope and P_Key share a LID
  bool qos = false;                   // groups of partitions have the SL that the file says
  std::vector<Lid> reserved_mlids;    // not for these groups; sorted

  /// What clients told an earlier manager (dump.h), taken in with the first subnet.
  std::shared_ptr<const sa::Saved> saved;

  RmppOptions rmpp;
  std::size_t answer_max = std::size_t{64} << 20;  // bytes of one answer that is made at once
};

}  // namespace weft
